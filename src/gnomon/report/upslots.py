"""What the run of an upstream slot is doing now, and what would let those who wait for it go on."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.edges import Edge
from gnomon.model.ids import as_argument
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.runwaits import NO_SLOT, RunWait
from gnomon.model.states import DagRunState
from gnomon.report.tasks import task_instances
from gnomon.report.upstreams import planning_error
from gnomon.store import Transaction, dags, load, runs, upstream

_SHOWN = 5


def doing(tx: Transaction, edge: Edge, waits: Sequence[RunWait], now: Instant) -> list[str]:
    """A sentence on each of these slots of one upstream DAG."""
    up_dag = edge.after.dag_id
    row = dags.find(tx, up_dag)
    up = next(iter(load.load_dags(tx, [row.dag_pk])), None) if row is not None else None
    if up is None:
        return [f"there is no DAG {up_dag}; it is waited for until a file defines it"]
    if all(wait.up_at == NO_SLOT for wait in waits):
        return [f"DAG {up_dag} is there now; which runs of it are waited for is being found"]
    stands = upstream.runs_of_slots(tx, up.dag_pk, [wait.up_at for wait in waits])
    told = []
    for wait in waits:
        run_ids = [run_id for run_id, _ in stands.get(wait.up_at, ())]
        found = [run for run_id in run_ids if (run := runs.find(tx, up_dag, run_id)) is not None]
        told += [_of_run(tx, up, run, edge.after.task_id) for run in found] or [_without_run(up, wait, now)]
    return told + _gone(up)


def clears_since(tx: Transaction, dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait]) -> list[str]:
    """Upstream runs that were cleared after this one had begun: it has not seen what they do now."""
    row = dags.find(tx, edge.after.dag_id)
    if row is None or run.started_at is None:
        return []
    known = {wait.up_at: wait.clear_number for wait in waits}
    stands = upstream.runs_of_slots(tx, row.dag_pk, known)
    again = [run_id for at, several in sorted(stands.items()) for run_id, clears in several if clears > max(known[at], 0)]
    told = []
    for run_id in again:
        up = runs.find(tx, edge.after.dag_id, run_id)
        if up is not None and up.queued_at > run.started_at:
            told.append(f"run {run_id} of {edge.after.dag_id} was cleared at {iso(up.queued_at)}, after this run had begun, and is {up.state}")
    if told:
        told = [*told[:_SHOWN], *([f"and {len(told) - _SHOWN} more were cleared"] if len(told) > _SHOWN else [])]
        told.append(f"to run this one again after them: gnomon runs clear {dag.dag_id} {as_argument(run.run_id)}")
    return told


def _of_run(tx: Transaction, up: DagRecord, run: RunRecord, task_id: str | None) -> str:
    name = f"run {run.run_id} of {up.dag_id}"
    if task_id is not None and run.state is not DagRunState.QUEUED:
        return f"task {task_id} of {name}{_task_words(tx, up, run, task_id)}"
    match run.state:
        case DagRunState.QUEUED:
            paused = f"; {_unpause(up)}" if up.paused else ""
            return f"{name} is queued" + (f": {run.reason}" if run.reason else "") + paused
        case DagRunState.RUNNING:
            return f"{name} has been running since {iso(run.started_at)}" + (f"; {_unpause(up)}" if up.paused else "")
        case DagRunState.FAILED:
            why = f" ({run.reason})" if run.reason else ""
            return f"{name} failed at {iso(run.ended_at)}{why}; run it again with: {_clear(up, run)}"
        case _:
            return f"{name} succeeded at {iso(run.ended_at)}; the news is on its way"


def _task_words(tx: Transaction, up: DagRecord, run: RunRecord, task_id: str) -> str:
    rows = [row for row in task_instances(tx, up, run) if row.task_id == task_id]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.state or "no status"] = counts.get(row.state or "no status", 0) + 1
    if not counts:
        return " is not there; the run goes without it" if run.ended_at is None else f" was not there when the run ended; {_clear(up, run)}"
    shown = ", ".join(f"{count} {state}" for state, count in counts.items())
    bad = any(state in ("failed", "upstream_failed", "removed") for state in counts)
    again = f"; run it again with: gnomon tasks clear {up.dag_id} {as_argument(run.run_id)} {task_id} --downstream" if bad else ""
    if len(rows) > 1:
        return f" has instances in these states: {shown}{again}"
    return f" is in state {rows[0].state}{again}" if rows[0].state is not None else " has no status yet"


def _without_run(up: DagRecord, wait: RunWait, now: Instant) -> str:
    at = wait.up_at
    if up.cursor is not None and at <= up.cursor.run_after:
        passed = f"no run of {up.dag_id} was made for its slot at {iso(at)}{f' ({wait.note})' if wait.note else ''}"
        return f"{passed}; it is waited for until the run is released, or made with: {_by_hand(up, at)}"
    due = f"its run {'was' if at <= now else 'is'} due at {iso(at)} and is not made yet"
    error = planning_error(up)
    if error is not None:
        return f"{up.dag_id}: {due}; nothing is planned: {error}"
    if up.paused:
        return f"{up.dag_id}: {due}; {_unpause(up)}"
    later = up.next_run is not None and up.next_run.run_after > max(at, now)
    if not later or up.next_run is None:
        return f"{up.dag_id}: {due}"
    return f"{up.dag_id}: {due}; the next one that is planned is due at {iso(up.next_run.run_after)}; to make this one: {_by_hand(up, at)}"


def _by_hand(up: DagRecord, at: Instant) -> str:
    return f"gnomon dags trigger {up.dag_id} --slot {iso(at)}"


def _gone(up: DagRecord) -> list[str]:
    return [] if up.active else [f"DAG {up.dag_id} is in no file any more; put {up.file} back"]


def _unpause(up: DagRecord) -> str:
    return f"DAG {up.dag_id} is paused; let it run with: gnomon dags unpause {up.dag_id}"


def _clear(up: DagRecord, run: RunRecord) -> str:
    return f"gnomon runs clear {up.dag_id} {as_argument(run.run_id)}"
