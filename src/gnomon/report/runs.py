"""Runs of a DAG, as listings print them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import DagRunState
from gnomon.report.missing import no_run
from gnomon.store import Transaction, runs

_SUGGEST_AMONG = 1000
"""A wrong run id is compared with at most so many of the newest ones."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run; `run_id` is what Airflow's REST API calls `dag_run_id`."""

    dag_id: str
    run_id: str
    run_type: str
    state: str
    logical_date: str | None
    run_after: str | None
    data_interval_start: str | None
    data_interval_end: str | None
    start_date: str | None
    end_date: str | None
    conf: dict[str, object]
    reason: str | None


def list_runs(tx: Transaction, dag: DagRecord, state: DagRunState | None = None) -> list[RunRow]:
    """All runs of the DAG, newest first; those in `state` alone when one is given."""
    return [run_row(dag.dag_id, run) for run in runs.list_runs(tx, dag.dag_id, state=state)]


def find_run(tx: Transaction, dag: DagRecord, run_id: str) -> RunRecord:
    """The run; NotThere with the nearest ids when there is none."""
    run = runs.find(tx, dag.dag_id, run_id)
    if run is None:
        newest = runs.list_runs(tx, dag.dag_id, limit=_SUGGEST_AMONG)
        raise no_run(dag.dag_id, run_id, [other.run_id for other in newest])
    return run


def run_row(dag_id: str, run: RunRecord) -> RunRow:
    """The record of one run."""
    return RunRow(
        dag_id=dag_id,
        run_id=run.run_id,
        run_type=run.run_type.value,
        state=run.state.value,
        logical_date=iso(run.logical_at),
        run_after=iso(run.run_after),
        data_interval_start=iso(run.interval_start),
        data_interval_end=iso(run.interval_end),
        start_date=iso(run.started_at),
        end_date=iso(run.ended_at),
        conf=run.conf,
        reason=run.reason,
    )
