"""The records of DAGs that are in no database: those of parsed files, as a first parse would store them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from gnomon.model.ids import group_of
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.spec import DagSpec


def build_records(specs: Iterable[tuple[DagSpec, str]], at: Instant) -> list[DagRecord]:
    """A record for each DAG, given with its file, as if all had been parsed and unpaused at that instant.

    Hooks that change task instances are left out: they are author code, which a projection does not call for each try.
    """
    return [
        DagRecord(
            dag_pk=number,
            dag_id=spec.dag_id,
            group_no=group_of(spec.dag_id),
            paused=False,
            active=True,
            plan_seq=0,
            cursor=None,
            next_run=None,
            fingerprint=None,
            version_pk=number,
            spec=replace(spec, mutates_instances=False) if spec.mutates_instances else spec,
            task_numbers={task.task_id: place for place, task in enumerate(spec.tasks)},
            file=file,
            input_hash="",
            live_at=at,
        )
        for number, (spec, file) in enumerate(specs, 1)
    ]
