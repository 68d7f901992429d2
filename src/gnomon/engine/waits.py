"""The wait of a deferred task instance: begun, timed, dropped. What it holds meanwhile is taken and given back here alone."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.decide.transitions import Cause, next_state
from gnomon.engine.cells import Cell
from gnomon.engine.memory import Memory
from gnomon.engine.turn import Turn
from gnomon.model.deferral import Wait
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import Changes, WaitRecord


def begin(turn: Turn, cell: Cell, wait: Wait, cause: Cause) -> None:
    """The cell is deferred: no attempt, no worker, and no slots of its pool unless the pool counts deferred tasks."""
    drop(turn, cell, killed=False)
    cell.ready = False
    cell.ticket += 1
    cell.defer_seq += 1
    cell.state = next_state(cell.state, cause)
    cell.ended_at = cell.reason = None
    due_at = wait.due_at if wait.due_in_s is None else turn.now + int(wait.due_in_s * SECOND)
    timeout_at = None if wait.timeout_s is None else turn.now + int(wait.timeout_s * SECOND)
    key = cell.key()
    cell.waiting = WaitRecord(
        run_pk=key.run_pk, task_no=key.task_no, map_index=key.map_index, defer_seq=cell.defer_seq,
        dag_pk=cell.run.dag.record.dag_pk, wait=wait, created_at=turn.now, priority=cell.priority, due_at=due_at,
        timeout_at=timeout_at, held_slots=_keep_slots(turn, cell),
    )
    cell.resume_at = due_at
    turn.changes.waits[key] = cell.waiting
    arm(turn.memory, cell)
    turn.touch(cell)


def unbegin(memory: Memory, changes: Changes, cell: Cell) -> None:
    """The wait that the cell began with in this step has not begun."""
    waiting, cell.waiting = cell.waiting, None
    assert waiting is not None
    del changes.waits[waiting.key]
    memory.pool(cell.pool or cell.task.pool).used -= waiting.held_slots
    cell.defer_seq -= 1
    cell.ticket += 1


def arm(memory: Memory, cell: Cell) -> None:
    """The owner looks at the wait when the first of its times comes, and at no other time that it was told before."""
    waiting = cell.waiting
    if waiting is None or waiting.fired is not None:
        return
    at = first_of(times_of(cell, waiting))
    cell.ticket += 1
    if at is not None:
        memory.set_timer(at, cell)


class Times(NamedTuple):
    """When a wait ends if nobody ends it before; None: it does not."""

    due: Instant | None
    timeout: Instant | None
    deadline: Instant | None


def times_of(cell: Cell, waiting: WaitRecord) -> Times:
    """Of a wait that has not ended. A held DAG's timers do not fire."""
    return Times(waiting.due_at if cell.run.dag.held is None else None, waiting.timeout_at, deadline_of(cell))


def first_of(times: Times) -> Instant | None:
    """What comes first; None: nothing."""
    return min((at for at in times if at is not None), default=None)


def deadline_of(cell: Cell) -> Instant | None:
    """When the `execution_timeout` of a try that has started is over, its waits included; None: no limit, or not started."""
    limit_s = cell.task.execution_timeout_s
    return None if limit_s is None or cell.started_at is None else cell.started_at + int(limit_s * SECOND)


def drop(turn: Turn, cell: Cell, *, killed: bool) -> None:
    """The cell waits for nothing, and has nothing to go on with. `killed`: somebody ended the wait, so its trigger is told."""
    waiting, cell.waiting = cell.waiting, None
    if waiting is not None:
        drop_wait(turn, waiting, cell.pool, killed=killed)


def drop_wait(turn: Turn, waiting: WaitRecord, pool: str | None, *, killed: bool) -> None:
    """The wait is over and forgotten; `pool` has what it held. A wait that took too long in this step is told so all the same."""
    give_back(turn, waiting, pool)
    fired_now = turn.changes.waits_fired.pop(waiting.key, None) is not None
    if turn.changes.waits.pop(waiting.key, None) is None:
        fired = waiting.fired
        is_over = waiting.due_at is not None or (fired is not None and not fired_now)
        hears = killed if fired is None else fired.outcome == "timeout"
        turn.changes.waits_gone.append((waiting.key, None if is_over else hears))


def give_back(turn: Turn, waiting: WaitRecord, pool: str | None) -> None:
    """What it kept of its pool while it waited is free."""
    held, waiting.held_slots = waiting.held_slots, 0
    if held and pool is not None:
        turn.memory.pool(pool).used -= held
        turn.changes.pool_used[pool] = turn.changes.pool_used.get(pool, 0) - held


def _keep_slots(turn: Turn, cell: Cell) -> int:
    """Of the pool that admitted it, which may be another than its task has now."""
    pool = turn.memory.pool(cell.pool or cell.task.pool)
    if not pool.include_deferred:
        return 0
    pool.used += cell.pool_slots
    turn.changes.pool_used[pool.name] = turn.changes.pool_used.get(pool.name, 0) + cell.pool_slots
    return cell.pool_slots
