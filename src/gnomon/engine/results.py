"""What workers say: entered, ended, held, lost. Each is applied once, to the attempt that it names, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from gnomon.decide.retries import UNENTERED_LIMIT
from gnomon.decide.skips import skipped_by, skipper
from gnomon.decide.transitions import Cause, next_state
from gnomon.engine.admission import attempt_of
from gnomon.engine.cells import Cell, Dag
from gnomon.engine.events import Ended, Entered, InventoryRead
from gnomon.engine.failures import fail
from gnomon.engine.holding import leave
from gnomon.engine.memory import Memory, Worker
from gnomon.engine.moves import finish, make_ready, skip_holds
from gnomon.engine.turn import CancelOrder, Turn
from gnomon.engine.waits import begin, drop
from gnomon.model.facts import AttemptResult, xcom_excess
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.texts import writable


def on_entered(turn: Turn, event: Entered) -> None:
    """The attempt runs author code now."""
    cell = turn.memory.attempts.get(event.attempt_id)
    if cell is None:
        return
    cell.unentered = 0
    if cell.state is not S.QUEUED:
        return  # it is being stopped; its result says the rest
    cell.state = next_state(cell.state, Cause.ENTER)
    cell.entered = True
    if not (cell.resumes and cell.started_at is not None):
        cell.started_at = event.at
    turn.touch(cell)


def on_ended(turn: Turn, event: Ended) -> None:
    """Apply a result if its attempt is the live one; acknowledge it in any case."""
    result = event.result
    if event.worker_id is not None:
        turn.step.acknowledges.setdefault(event.worker_id, []).append(result.attempt_id)
    cell = turn.memory.attempts.get(result.attempt_id)
    if cell is not None:
        _apply(turn, cell, _storable(result))


def _storable(result: AttemptResult) -> AttemptResult:
    """A result that the store takes: one with an XCom that is too large, or an outcome nobody knows, is a failure."""
    for item in result.xcoms:
        excess = xcom_excess(f"XCom {item.key!r}", item.value)
        if excess is not None:
            return _as_failure(result, excess)
    if result.outcome not in _OUTCOMES:
        return _as_failure(result, f"the task ended as {result.outcome!r}, which this release cannot go on from")
    if result.reason is not None:
        return replace(result, reason=writable(result.reason))
    return result


def _as_failure(result: AttemptResult, reason: str) -> AttemptResult:
    return replace(result, outcome="failed", retryable=False, reason=reason, xcoms=(), skip_task_ids=())


def _apply(turn: Turn, cell: Cell, result: AttemptResult) -> None:
    if result.started_at is not None and not (cell.resumes and cell.started_at is not None):
        cell.started_at = result.started_at
    cell.ended_at = result.ended_at if result.ended_at is not None else turn.now
    if result.fresh_reason is not None:
        _mark_fresh(turn, cell.run.dag, result.fresh_reason)
    turn.subject = cell.run.dag
    if cell.state is S.RESTARTING:
        leave(turn, cell, "failed", f"cleared while running; {result.reason or result.outcome}", result.exit_code)
        clear_now(turn, cell)
        return
    leave(turn, cell, result.outcome, result.reason, result.exit_code)
    if result.xcoms:
        turn.changes.results.append(result)
    if not _goes_on_later(cell, result):
        drop(turn, cell, killed=False)
    _OUTCOMES[result.outcome](turn, cell, result)


def _goes_on_later(cell: Cell, result: AttemptResult) -> bool:
    """Whether what a wait brought has not reached the task: the attempt was lost before it entered author code."""
    return result.outcome == "lost" and not result.entered and cell.unentered < UNENTERED_LIMIT


def _succeeded(turn: Turn, cell: Cell, result: AttemptResult) -> None:
    skip_tasks(turn, cell, result.skip_task_ids)
    finish(turn, cell, Cause.SUCCEED, result.reason)


def _skipped(turn: Turn, cell: Cell, result: AttemptResult) -> None:
    finish(turn, cell, Cause.SKIP_SELF, result.reason or "the task asked to be skipped")


def _failed(turn: Turn, cell: Cell, result: AttemptResult) -> None:
    fail(turn, cell, result.reason, retryable=result.retryable)


def _deferred(turn: Turn, cell: Cell, result: AttemptResult) -> None:
    if result.wait is None:
        fail(turn, cell, "the task deferred without a word on what it waits for", retryable=False)
        return
    begin(turn, cell, result.wait, Cause.DEFER)


def _rescheduled(turn: Turn, cell: Cell, result: AttemptResult) -> None:
    cell.state = next_state(cell.state, Cause.RESCHEDULE)
    cell.ended_at = None
    cell.reason = result.reason
    cell.resume_at = result.resume_at if result.resume_at is not None else turn.now
    turn.memory.set_timer(cell.resume_at, cell)
    turn.touch(cell)


def _lost(turn: Turn, cell: Cell, result: AttemptResult) -> None:
    """Lost: one that entered author code, or may have, costs a try; one known not to have costs none."""
    cell.unentered += 1
    if result.entered or cell.unentered > UNENTERED_LIMIT:
        _failed(turn, cell, result)
        return
    cell.state = next_state(cell.state, Cause.LOSE)
    cell.ended_at = None
    if not cell.resumes:
        cell.try_number -= 1
        cell.started_at = None
    cell.reason = result.reason
    turn.touch(cell)
    make_ready(turn, cell)


_OUTCOMES = {
    "success": _succeeded,
    "failed": _failed,
    "skipped": _skipped,
    "up_for_reschedule": _rescheduled,
    "deferred": _deferred,
    "lost": _lost,
}


def skip_tasks(turn: Turn, by: Cell, task_ids: tuple[str, ...]) -> None:
    """Skip these tasks of the run unless they have begun: a branch did not choose them."""
    run = by.run
    for task_id in task_ids:
        index = run.graph.index.get(task_id)
        for cell in run.cells[index].values() if index is not None else ():
            if cell.attempt is None and cell.state in (None, S.SCHEDULED) and not cell.resumes:
                finish(turn, cell, Cause.RULE_SKIP, skipped_by(by.name()))


def clear_now(turn: Turn, cell: Cell) -> None:
    """No status, as if it had never run; its numbers go on, its retries are granted anew.

    What is left of the past: that a branch which is not cleared skipped it.
    """
    drop(turn, cell, killed=True)
    reason = cell.reason if cell.state is S.SKIPPED and skip_holds(cell) else None
    cell.state = next_state(cell.state, Cause.CLEAR)
    cell.max_tries = cell.try_number + cell.task.retries
    cell.started_at = cell.ended_at = cell.resume_at = None
    cell.reason = reason
    turn.forget_xcoms(cell)
    turn.touch(cell)
    _withdraw_skips(turn, cell)
    turn.judge_later(cell.run, cell.index)


def _withdraw_skips(turn: Turn, by: Cell) -> None:
    """What a cleared branch had decided is forgotten."""
    run = by.run
    for d in run.graph.downstream[by.index]:
        for cell in run.cells[d].values():
            if cell.state is None and skipper(cell.reason) == by.task.task_id:
                cell.reason = None
                turn.touch(cell)


def on_worker_joined(turn: Turn, worker_id: str, slots: int) -> None:
    """The worker may be given attempts; what memory believes to run there counts against its slots."""
    worker = turn.memory.workers.get(worker_id)
    if worker is None:
        worker = turn.memory.workers[worker_id] = Worker(worker_id, slots)
    worker.slots, worker.reachable = slots, True
    worker.used = sum(cell.worker == worker_id for cell in turn.memory.attempts.values())


def on_worker_lost(turn: Turn, worker_id: str) -> None:
    """Every attempt on the worker is lost; each may have entered author code, so each costs a try."""
    turn.memory.workers.pop(worker_id, None)
    for cell in _held_by(turn.memory, worker_id):
        _apply(turn, cell, lost_result(cell, f"lost: worker {worker_id} stopped answering", entered=True))


def on_inventory(turn: Turn, event: InventoryRead) -> None:
    """OWNERSHIP.md line 15: adopt what runs, submit again what is unknown and queued, lose what is unknown and ran.

    What runs there and is over by the records was to be cancelled by somebody who died before he said so.
    """
    for cell in _held_by(turn.memory, event.worker_id):
        attempt_id = cell.attempt or ""
        if attempt_id in event.results or cell.run.dag.record.group_no not in event.groups:
            continue
        turn.subject = cell.run.dag
        entered = event.running.get(attempt_id)
        if entered is not None and cell.state is S.RESTARTING:
            turn.step.cancels.append(CancelOrder(event.worker_id, attempt_id, "cleared"))
        if entered is None and (cell.entered or cell.state is S.RESTARTING):
            _apply(turn, cell, lost_result(cell, f"lost: worker {event.worker_id} no longer has it", entered=True))
        elif entered is None:
            turn.step.submits.setdefault(event.worker_id, []).append(attempt_of(turn.memory, cell))
        elif entered and cell.state is S.QUEUED:
            on_entered(turn, Entered(attempt_id, turn.now))
    for attempt_id in event.running.keys() - turn.memory.attempts.keys():
        turn.step.cancels.append(CancelOrder(event.worker_id, attempt_id, "it is over by the records"))


def _held_by(memory: Memory, worker_id: str) -> Iterator[Cell]:
    """Those with an attempt on the worker; not those whose attempt the end of one before them has ended (fail_fast)."""
    for cell in [cell for cell in memory.attempts.values() if cell.worker == worker_id]:
        if cell.worker == worker_id:
            yield cell


def lost_result(cell: Cell, reason: str, *, entered: bool) -> AttemptResult:
    """The result that a lost attempt is given."""
    return AttemptResult(
        attempt_id=cell.attempt or "", group_no=cell.run.dag.record.group_no, run_pk=cell.run.pk,
        task_no=cell.run.graph.numbers[cell.index], map_index=cell.map_index, outcome="lost", entered=entered,
        started_at=cell.started_at, reason=reason,
    )


def _mark_fresh(turn: Turn, dag: Dag, reason: str) -> None:
    if dag.record.fresh is None:
        dag.record.fresh = reason
        turn.changes.fresh_files.append((dag.record.file, reason))
