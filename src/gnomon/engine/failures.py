"""A try has failed: another one later, or the end of the task, and of its run where that is asked for."""

from __future__ import annotations

from gnomon.decide.retries import has_try_left, retry_at
from gnomon.decide.transitions import Cause, next_state
from gnomon.engine.cells import Cell
from gnomon.engine.moves import finish, withdraw
from gnomon.engine.runs import stop_tasks
from gnomon.engine.turn import Turn


def fail(turn: Turn, cell: Cell, reason: str | None, *, retryable: bool) -> None:
    """The try is over; `retryable` False: no further one, whatever is left."""
    if retryable and has_try_left(cell.try_number, cell.max_tries):
        withdraw(cell)  # no time of a wait that is over calls it before the next try is due
        cell.state = next_state(cell.state, Cause.RETRY)
        cell.ended_at = None
        cell.reason = reason
        cell.resume_at = retry_at(cell.task, cell.try_number, _seed(cell), turn.now)
        turn.memory.set_timer(cell.resume_at, cell)
        turn.touch(cell)
        return
    finish(turn, cell, Cause.FAIL, reason)
    if cell.run.graph.spec.fail_fast and not cell.task.is_teardown:
        because = f"fail_fast: task {cell.name()} failed"
        stop_tasks(turn, cell.run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=because, teardowns=False)


def _seed(cell: Cell) -> str:
    return f"{cell.run.dag.record.dag_id}/{cell.run.record.run_id}/{cell.name()}"
