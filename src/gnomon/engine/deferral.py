"""How waits end: by the event of a trigger, by a time of the owner's own, or because they took too long.

An event counts once, for the deferral that it names (OWNERSHIP.md line 21). Times are exact: the owner keeps them itself.
"""

from __future__ import annotations

from msgspec.structs import replace

from gnomon.decide.transitions import Cause
from gnomon.engine.cells import Cell
from gnomon.engine.events import WaitEnded
from gnomon.engine.failures import fail
from gnomon.engine.moves import finish, place, withdraw
from gnomon.engine.turn import Turn
from gnomon.engine.waits import arm, drop, first_of, give_back, times_of
from gnomon.model.deferral import Fired
from gnomon.model.facts import AttemptResult, XComItem, xcom_excess
from gnomon.model.records import WaitRecord
from gnomon.model.states import TaskInstanceState as S


def on_wait_ended(turn: Turn, event: WaitEnded) -> None:
    """What a triggerer says, applied if the task instance still waits for just this."""
    run = turn.memory.runs.get(event.key.run_pk)
    if run is None:
        return
    turn.subject = run.dag
    turn.step.groups.add(run.dag.record.group_no)
    index = run.graph.by_number.get(event.key.task_no)
    cell = None if index is None else run.cell(index, event.key.map_index)
    if cell is not None and cell.state is S.DEFERRED and cell.defer_seq == event.defer_seq:
        waiting = cell.waiting
        if waiting is not None and waiting.fired is None:
            end_wait(turn, cell, waiting, event.fired)


def on_wait_timer(turn: Turn, cell: Cell) -> None:
    """A time of the wait has come: its own, that of its timeout, or the deadline of the try. However late it is looked at, the first counts."""
    waiting = cell.waiting
    if waiting is None or waiting.fired is not None:
        return
    turn.subject = cell.run.dag
    times = times_of(cell, waiting)
    at = first_of(times)
    if at is None or at > turn.now:
        arm(turn.memory, cell)
    elif at == times.due:
        end_wait(turn, cell, waiting, Fired(outcome="success" if waiting.wait.ends_task else "event", due_at=at))
    elif at == times.timeout:
        reason = f"its wait for {waiting.wait.classpath} took longer than its timeout of {waiting.wait.timeout_s:g} s"
        _ended_badly(turn, cell, waiting, Fired(outcome="timeout", reason=reason), retryable=not cell.task.is_sensor)
    else:
        limit_s = cell.task.execution_timeout_s
        reason = f"execution_timeout: the try took longer than {limit_s:g} s, its wait included"
        _ended_badly(turn, cell, waiting, Fired(outcome="timeout", reason=reason))


def end_wait(turn: Turn, cell: Cell, waiting: WaitRecord, fired: Fired) -> None:
    """The task goes on with the event, or ends by it."""
    if fired.outcome == "event":
        _go_on(turn, cell, waiting, fired)
        return
    excesses = (xcom_excess(f"XCom {key!r} of the event", value) for key, value in fired.xcoms.items())
    excess = next((one for one in excesses if one is not None), None)
    if excess is not None:
        _fail_softly(turn, cell, excess, retryable=False)
        return
    _push(turn, cell, fired)
    classpath = waiting.wait.classpath
    if fired.outcome == "error":
        said = replace(fired, reason=f"its trigger {classpath} failed: {fired.reason or fired.outcome}")
        if fired.traceback is not None:
            turn.log("trigger_failed", cell=cell, body=said.reason or "")
        _ended_badly(turn, cell, waiting, said)
    elif cell.task.hears_ends:
        _wake(turn, cell, waiting, fired)
    elif fired.outcome in _ENDS:
        drop(turn, cell, killed=False)
        finish(turn, cell, _ENDS[fired.outcome], fired.reason)
    else:
        drop(turn, cell, killed=False)
        fail(turn, cell, fired.reason or f"its trigger {classpath} ended it as failed", retryable=True)


_ENDS = {"success": Cause.EVENT_SUCCESS, "skipped": Cause.EVENT_SKIP}


def _go_on(turn: Turn, cell: Cell, waiting: WaitRecord, fired: Fired) -> None:
    if waiting.wait.next_method is None:
        reason = (
            f"its trigger {waiting.wait.classpath} sent an event that does not end the task, and the deferral named no "
            "method to go on with: give method_name=, or let the trigger yield TaskSuccessEvent"
        )
        drop(turn, cell, killed=False)
        fail(turn, cell, reason, retryable=False)
        return
    _wake(turn, cell, waiting, fired)


def _wake(turn: Turn, cell: Cell, waiting: WaitRecord, fired: Fired) -> None:
    """The task is sent to a worker with what came of its wait; a trigger that still runs is told to end."""
    give_back(turn, waiting, cell.pool)
    waiting.fired = fired
    if waiting.key not in turn.changes.waits:
        turn.changes.waits_fired[waiting.key] = waiting
    cell.resume_at = None
    withdraw(cell)
    place(turn, cell)
    turn.touch(cell)


def _ended_badly(turn: Turn, cell: Cell, waiting: WaitRecord, fired: Fired, *, retryable: bool = True) -> None:
    """No event came: the try has failed, and where the author's code wants to hear of it, a worker tells it."""
    if cell.task.hears_ends:
        _wake(turn, cell, waiting, fired)
    else:
        _fail_softly(turn, cell, fired.reason or fired.outcome, retryable=retryable)


def _fail_softly(turn: Turn, cell: Cell, reason: str, *, retryable: bool = True) -> None:
    """The try failed; a sensor with soft_fail is skipped instead."""
    drop(turn, cell, killed=True)
    if cell.task.soft_fail:
        finish(turn, cell, Cause.EVENT_SKIP, f"skipped because soft_fail or never_fail is set: {reason}")
    else:
        fail(turn, cell, reason, retryable=retryable)


def _push(turn: Turn, cell: Cell, fired: Fired) -> None:
    if not fired.xcoms:
        return
    key = cell.key()
    items = tuple(XComItem(key=name, value=value) for name, value in fired.xcoms.items())
    turn.changes.results.append(AttemptResult(
        attempt_id="", group_no=cell.run.dag.record.group_no, run_pk=key.run_pk, task_no=key.task_no,
        map_index=key.map_index, outcome=fired.outcome, xcoms=items,
    ))
