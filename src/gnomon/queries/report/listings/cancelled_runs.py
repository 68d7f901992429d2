"""Runs and tasks of other DAGs that failed because a run did, which they waited for: they run again when that run is marked successful."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.downstream_runs import MAX_RUNS
from gnomon.queries.report.listings.marked_tasks import RunInstancesToClear
from gnomon.queries.report.listings.run_list import TaskInstanceRow, find_run
from gnomon.queries.report.listings.task_selection import FAILED_STATE_NAMES, select_instances
from gnomon.rules.engine.state.edge_waits import is_cancel_reason
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import run_waits


def list_cancelled_by(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[RunInstancesToClear]:
    """What waited for the run, or for runs that it made fail, and failed for that reason, each after what it waited for; at most MAX_RUNS runs."""
    cleared: dict[int, RunInstancesToClear] = {}
    unvisited = [(dag.dag_id, run.slot_at)]
    while unvisited:
        up_dag, slot = unvisited.pop(0)
        tasks: dict[tuple[str, str], set[str | None]] = {}
        for down in run_waits.list_downstream_runs(tx, up_dag, [] if slot is None else [slot]):
            if down.run_pk != run.run_pk and down.run_pk not in cleared:
                tasks.setdefault((down.dag_id, down.run_id), set()).add(down.task_id)
        for (dag_id, run_id), waited in tasks.items():
            other = find_dag(tx, dag_id)
            record = find_run(tx, other, run_id)
            rows = list(_select_cancelled(tx, other, record, waited))
            if rows and len(cleared) < MAX_RUNS:
                cleared[record.run_pk] = RunInstancesToClear(other, record, rows)
                if record.state is DagRunState.FAILED:
                    unvisited.append((dag_id, record.slot_at))
    return list(cleared.values())


def _select_cancelled(
    tx: Transaction, dag: DagRecord, run: RunRecord, waited: Collection[str | None]
) -> Iterator[TaskInstanceRow]:
    """The instances of a run that was cancelled as a whole; else those of tasks that were cancelled, and what failed below them."""
    is_whole = None in waited and run.state is DagRunState.FAILED and is_cancel_reason(run.reason)
    rows = select_instances(tx, dag, run)
    if is_whole:
        yield from (row for row in rows if row.state is not None)
        return
    cancelled: dict[str, set[int]] = {}
    for row in rows:
        if (
            row.task_id in waited
            and row.state == TaskInstanceState.UPSTREAM_FAILED.value
            and is_cancel_reason(row.reason)
        ):
            cancelled.setdefault(row.task_id, set()).add(row.map_index)
    if cancelled:
        yield from (
            row for row in select_instances(tx, dag, run, cancelled, downstream=True) if row.state in FAILED_STATE_NAMES
        )
