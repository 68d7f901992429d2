"""The part of an attempt that describes its run."""

from __future__ import annotations

from gnomon.model.attempts import RunFacts
from gnomon.model.records import RunRecord

VOLATILE_IMPORT_MAX_AGE_S = 300.0
"""A file that read a Variable, the environment or the network at import is imported again after this span."""


def describe_run(dag_id: str, record: RunRecord) -> RunFacts:
    """The fields of the run that a process on a worker may see."""
    return RunFacts(
        run_pk=record.run_pk,
        dag_id=dag_id,
        run_id=record.run_id,
        run_type=record.run_type._value_,
        run_after=record.run_after,
        logical_at=record.logical_at,
        interval_start=record.interval_start,
        interval_end=record.interval_end,
        queued_at=record.queued_at,
        started_at=record.started_at,
        state=record.state._value_,
        conf=record.conf,
        clear_number=record.clear_number,
        partition_key=record.partition_key,
        partition_date=record.partition_date,
        bundle_version=record.bundle_version,
    )
