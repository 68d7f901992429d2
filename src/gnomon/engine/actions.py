"""What people ask for: clear, mark, end or drop a run. Only the owner does it, and answers the request."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gnomon.decide.transitions import Cause, next_state
from gnomon.engine.asked import dag_gone, run_begins_again, run_dropped, stop_asking
from gnomon.engine.cells import Cell, Run
from gnomon.engine.depending import wait_again
from gnomon.engine.events import ClearTasks, DropDag, DropRun, MarkRun, MarkTasks
from gnomon.engine.moves import is_finished, run_after, take_back, withdraw
from gnomon.engine.rebase import forget_gone
from gnomon.engine.results import clear_now
from gnomon.engine.runs import detach, end, judge_all, remember, stop, stop_tasks
from gnomon.engine.turn import CancelOrder, Turn
from gnomon.engine.waits import drop
from gnomon.model.ids import TaskKey
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S

_BAD = frozenset({S.FAILED, S.UPSTREAM_FAILED})


def clear(turn: Turn, event: ClearTasks) -> None:
    """The chosen task instances have no status again; an ended run is queued again."""
    run = _run_of(turn, event.run_pk, event.request_pk)
    if run is None:
        return
    chosen = [cell for cell in _cells(run, event.tasks) if not event.only_failed or cell.state in _BAD]
    cleared = [cell for cell in chosen if _clear_cell(turn, cell, event.by)]
    names = [cell.name() for cell in cleared]
    if event.tasks is None and not event.only_failed:
        forget_gone(turn, run)
    if names and run.record.state in FINISHED_RUN_STATES:
        _queue_again(turn, run)
    wait_again(turn, run, {cell.task.task_id for cell in cleared})
    if names:
        run_begins_again(turn, run, event.waited_for)
    turn.log("cleared", run=run, by=event.by, body=", ".join(names))
    _answer(turn, event.request_pk, {"cleared": names})


def _clear_cell(turn: Turn, cell: Cell, by: str) -> bool:
    if cell.attempt is not None:
        cell.state = next_state(cell.state, Cause.CLEAR_LIVE)
        assert cell.worker is not None
        turn.step.cancels.append(CancelOrder(cell.worker, cell.attempt, f"cleared by {by}"))
        turn.touch(cell)
        return True
    if cell.state is None and not cell.ready:
        return False
    if is_finished(cell):
        take_back(turn, cell)
    withdraw(cell)
    clear_now(turn, cell)
    return True


def _queue_again(turn: Turn, run: Run) -> None:
    record = run.record
    record.clear_number += 1
    record.queued_at = turn.now
    record.started_at = record.ended_at = record.reason = None
    turn.set_run_state(run, DagRunState.QUEUED)
    remember(run)
    turn.startable[run.dag] = None


def mark_tasks(turn: Turn, event: MarkTasks) -> None:
    """The chosen task instances are in that final state; live ones are cancelled."""
    run = _run_of(turn, event.run_pk, event.request_pk)
    if run is None:
        return
    cause = _MARKS[event.state]
    names = []
    for cell in _cells(run, event.tasks):
        stop(turn, cell, cause, f"marked {event.state} by {event.by}")
        names.append(cell.name())
    turn.log("marked", run=run, by=event.by, body=f"{event.state}: {', '.join(names)}")
    _answer(turn, event.request_pk, {"marked": names})


def mark_run(turn: Turn, event: MarkRun) -> None:
    """The run ends in that state. Success: so do its unfinished tasks; failed: live ones fail, the others are skipped."""
    run = _run_of(turn, event.run_pk, event.request_pk)
    if run is None:
        return
    reason = f"marked {event.state} by {event.by}"
    success = event.state == DagRunState.SUCCESS.value
    if success:
        for cell in _cells(run, None):
            if cell.state is not S.SUCCESS:
                stop(turn, cell, Cause.MARK_SUCCESS, reason)
    else:
        stop_tasks(turn, run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=reason)
    end(turn, run, DagRunState.SUCCESS if success else DagRunState.FAILED, reason)
    turn.log("marked", run=run, by=event.by, body=event.state)
    _answer(turn, event.request_pk, {"marked": run.record.run_id})


def drop_run(turn: Turn, event: DropRun) -> None:
    """The run is out of memory, its live attempts are cancelled, and its rows go with this step."""
    run = _run_of(turn, event.run_pk, event.request_pk)
    if run is None:
        return
    run_dropped(turn, run)
    _drop(turn, run, event.by)
    turn.step.deleted_runs.append(run.pk)
    turn.startable[run.dag] = None
    turn.step.plannable.add(run.record.dag_pk)
    _answer(turn, event.request_pk, {"deleted": run.record.run_id})


def drop_dag(turn: Turn, event: DropDag) -> None:
    """The DAG and its runs are out of memory, and its rows go with this step."""
    dag = turn.memory.dags.get(event.dag_pk)
    for run in list(dag.runs.values()) if dag is not None else ():
        _drop(turn, run, event.by)
    if dag is not None:
        turn.step.groups.add(dag.record.group_no)
        dag_gone(turn, dag.record.dag_id)
        del turn.memory.dags[event.dag_pk]
    turn.step.deleted_dags.append(event.dag_pk)
    _answer(turn, event.request_pk, {"deleted": dag.record.dag_id if dag is not None else event.dag_pk})


def _drop(turn: Turn, run: Run, by: str) -> None:
    turn.step.groups.add(run.dag.record.group_no)
    for cell in _cells(run, None):
        turn.dirty.pop(cell, None)
        turn.placed.pop(cell, None)
        if cell.attempt is not None and cell.worker is not None and cell.pool is not None:
            turn.step.cancels.append(CancelOrder(cell.worker, cell.attempt, f"deleted by {by}"))
            used = turn.changes.pool_used
            used[cell.pool] = used.get(cell.pool, 0) - cell.pool_slots
        drop(turn, cell, killed=True)
    turn.dirty_runs.pop(run, None)
    for edge in run.edges.values():
        stop_asking(turn, edge.waits.values())
    later = run_after(run)
    detach(turn.memory, run.dag, run.pk)
    if later is not None:
        judge_all(turn, later)


_MARKS = {"success": Cause.MARK_SUCCESS, "failed": Cause.MARK_FAILED, "skipped": Cause.MARK_SKIPPED}


def _cells(run: Run, keys: Iterable[TaskKey] | None) -> list[Cell]:
    if keys is None:
        return [cell for cells in run.cells for cell in cells.values()]
    index = {number: i for i, number in enumerate(run.graph.numbers)}
    found = (run.cells[index[key.task_no]].get(key.map_index) for key in keys if key.task_no in index)
    return [cell for cell in found if cell is not None]


def _run_of(turn: Turn, run_pk: int, request_pk: int | None) -> Run | None:
    run = turn.memory.runs.get(run_pk)
    if run is not None:
        turn.subject = run.dag
    elif request_pk is not None:
        turn.changes.answers.append((request_pk, "refused", json.dumps({"error": "the run no longer exists"})))
    return run


def _answer(turn: Turn, request_pk: int | None, body: dict[str, object]) -> None:
    if request_pk is not None:
        turn.changes.answers.append((request_pk, "done", json.dumps(body)))
