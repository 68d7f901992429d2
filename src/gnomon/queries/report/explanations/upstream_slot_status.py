"""Sentences on the runs of upstream slots: their states now, and the command that would let waiting runs start."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.ids import quote_argument, quote_arguments
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import Edge
from gnomon.queries.report.listings.import_problems import find_planning_error
from gnomon.queries.report.listings.run_list import count_states, list_task_instances
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, dags, upstream_dags
from gnomon.storage.store.ownership import group_state

_SHOWN = 5


def describe_upstream_runs(tx: Transaction, edge: Edge, waits: Sequence[RunWait], now: Instant) -> list[str]:
    """A sentence on the run of each of these open waits, which are for slots of one upstream DAG."""
    up = find_upstream(tx, edge)
    if up is None or all(wait.up_at == NO_SLOT for wait in waits):
        return [text for text, _ in describe_slot(tx, up, edge, waits[0], now)]
    sentences = [text for wait in waits for text, _ in describe_slot(tx, up, edge, wait, now)]
    return sentences + _describe_deleted_dag(up)


def find_upstream(tx: Transaction, edge: Edge) -> DagRecord | None:
    """The DAG that the dependency leads to; None when there is none."""
    row = dags.find_dag_row(tx, edge.after.dag_id)
    return next(iter(group_state.load_dags(tx, [row.dag_pk])), None) if row is not None else None


def describe_slot(
    tx: Transaction, up: DagRecord | None, edge: Edge, wait: RunWait, now: Instant
) -> list[tuple[str, RunRecord | None]]:
    """A sentence for each run of the slot of an open wait, with the run; one sentence without a run when there is none. `up`: as `find_upstream` found it."""
    if up is None:
        return [(f"there is no DAG {edge.after.dag_id}; the wait lasts until a file defines it", None)]
    if wait.up_at == NO_SLOT:
        return [(f"DAG {up.dag_id} exists now; the scheduler is looking up which of its slots to wait for", None)]
    run_ids = [
        run_id for run_id, _ in upstream_dags.list_runs_of_slots(tx, up.dag_pk, [wait.up_at]).get(wait.up_at, ())
    ]
    runs = [run for run_id in run_ids if (run := dag_runs.find_stored_run(tx, up.dag_id, run_id)) is not None]
    return [(_describe_run(tx, up, run, edge.after.task_id), run) for run in runs] or [
        (_describe_missing_run(up, wait, now), None)
    ]


def list_later_clears(
    tx: Transaction, dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait]
) -> list[str]:
    """Sentences on upstream runs that were cleared after this run had started, which therefore did not wait for them again."""
    row = dags.find_dag_row(tx, edge.after.dag_id)
    if row is None or run.started_at is None:
        return []
    clear_numbers = {wait.up_at: wait.clear_number for wait in waits}
    by_slot = upstream_dags.list_runs_of_slots(tx, row.dag_pk, clear_numbers)
    cleared = [
        run_id for at, runs in sorted(by_slot.items()) for run_id, clears in runs if clears > max(clear_numbers[at], 0)
    ]
    sentences = []
    for run_id in cleared:
        up = dag_runs.find_stored_run(tx, edge.after.dag_id, run_id)
        if up is not None and up.queued_at > run.started_at:
            sentences.append(
                f"run {run_id} of {edge.after.dag_id} was cleared at {iso(up.queued_at)}, after this run had started, and is {up.state}"
            )
    if sentences:
        more = len(sentences) - _SHOWN
        sentences = [*sentences[:_SHOWN], *([f"and {more} more were cleared"] if more > 0 else [])]
        sentences.append(
            f"to run this run again after them: gnomon runs clear {quote_arguments(dag.dag_id, run.run_id)}"
        )
    return sentences


def _describe_run(tx: Transaction, up: DagRecord, run: RunRecord, task_id: str | None) -> str:
    name = f"run {run.run_id} of {up.dag_id}"
    if task_id is not None and run.state is not DagRunState.QUEUED:
        return f"task {task_id} of {name}{_describe_task(tx, up, run, task_id)}"
    match run.state:
        case DagRunState.QUEUED:
            paused = f"; {_unpause_command(up)}" if up.paused else ""
            return f"{name} is queued" + (f": {run.reason}" if run.reason else "") + paused
        case DagRunState.RUNNING:
            return f"{name} has been running since {iso(run.started_at)}" + (
                f"; {_unpause_command(up)}" if up.paused else ""
            )
        case DagRunState.FAILED:
            why = f" ({run.reason})" if run.reason else ""
            return f"{name} failed at {iso(run.ended_at)}{why}; run it again with: {_clear_command(up, run)}"
        case _:
            return f"{name} succeeded at {iso(run.ended_at)}; the waiting run has not been notified yet"


def _describe_task(tx: Transaction, up: DagRecord, run: RunRecord, task_id: str) -> str:
    rows = list_task_instances(tx, up, run, task_id)
    rows = [row for row in rows if row.state != "removed"] or rows
    counts = count_states(rows)
    if not counts:
        return (
            " does not exist in the run"
            if run.ended_at is None
            else f" did not exist when the run ended; run it again with: {_clear_command(up, run)}"
        )
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    failed = any(state in ("failed", "upstream_failed", "removed") for state in counts)
    again = (
        f"; run it again with: gnomon tasks clear {quote_arguments(up.dag_id, run.run_id, task_id, options='--downstream')}"
        if failed
        else ""
    )
    if len(rows) > 1:
        return f" has instances in these states: {states}{again}"
    return f" is in state {rows[0].state}{again}" if rows[0].state is not None else " has no status yet"


def _describe_missing_run(up: DagRecord, wait: RunWait, now: Instant) -> str:
    at = wait.up_at
    if up.cursor is not None and at <= up.cursor.run_after:
        skipped = f"no run of {up.dag_id} was created for its slot at {iso(at)}{f' ({wait.note})' if wait.note else ''}"
        return f"{skipped}; this run waits until it is released, or until the missing run is created with: {_describe_manual_trigger(up, at)}"
    due = f"its run {'was' if at <= now else 'is'} due at {iso(at)} and is not created yet"
    error = find_planning_error(up)
    if error is not None:
        return f"{up.dag_id}: {due}; nothing is planned: {error}"
    if up.paused:
        return f"{up.dag_id}: {due}; {_unpause_command(up)}"
    if up.next_run is None or up.next_run.run_after <= max(at, now):
        return f"{up.dag_id}: {due}"
    return f"{up.dag_id}: {due}; its next planned run is due at {iso(up.next_run.run_after)}; create this one with: {_describe_manual_trigger(up, at)}"


def _describe_manual_trigger(up: DagRecord, at: Instant) -> str:
    return f"gnomon dags trigger {quote_arguments(up.dag_id, options=f'--slot {iso(at)}')}"


def _describe_deleted_dag(up: DagRecord) -> list[str]:
    return [] if up.active else [f"DAG {up.dag_id} was deleted: no file defines it any more; restore {up.file}"]


def _unpause_command(up: DagRecord) -> str:
    return f"DAG {up.dag_id} is paused; unpause it with: gnomon dags unpause {quote_argument(up.dag_id)}"


def _clear_command(up: DagRecord, run: RunRecord) -> str:
    return f"gnomon runs clear {quote_arguments(up.dag_id, run.run_id)}"
