"""The wait of a deferred task instance: begun, timed, dropped. What it holds meanwhile is taken and given back here alone."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.decide.transitions import Cause
from gnomon.engine import lifecycle
from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.queue_moves import dequeue
from gnomon.engine.state.task_instance import TaskInstance
from gnomon.engine.step_context import StepContext
from gnomon.model.deferral import Deferral
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import Changes, DeferralRecord


def begin_deferral(context: StepContext, ti: TaskInstance, wait: Deferral, cause: Cause) -> None:
    """The cell is deferred: no attempt, no worker, and no slots of its pool unless the pool counts deferred tasks."""
    drop_deferral(context, ti, killed=False)
    dequeue(ti)
    ti.defer_seq += 1
    lifecycle.apply(ti, cause)
    ti.ended_at = ti.reason = None
    due_at = wait.due_at if wait.due_in_s is None else context.now + int(wait.due_in_s * SECOND)
    timeout_at = None if wait.timeout_s is None else context.now + int(wait.timeout_s * SECOND)
    key = ti.key()
    ti.deferral = DeferralRecord(
        run_pk=key.run_pk, task_no=key.task_no, map_index=key.map_index, defer_seq=ti.defer_seq,
        dag_pk=ti.run.dag.record.dag_pk, request=wait, created_at=context.now, priority=ti.priority, due_at=due_at,
        timeout_at=timeout_at, held_slots=_hold_slots(context, ti),
    )
    ti.resume_at = due_at
    context.changes.deferrals[key] = ti.deferral
    set_deferral_timer(context.state, ti)
    context.mark_dirty(ti)


def undo_deferral(engine_state: EngineState, changes: Changes, ti: TaskInstance) -> None:
    """The wait that the cell began with in this step has not begun."""
    deferral, ti.deferral = ti.deferral, None
    assert deferral is not None
    del changes.deferrals[deferral.key]
    engine_state.get_pool(ti.pool or ti.task.pool).used -= deferral.held_slots
    ti.defer_seq -= 1
    ti.generation += 1


def set_deferral_timer(engine_state: EngineState, ti: TaskInstance) -> None:
    """The owner looks at the wait when the first of its times comes, and at no other time that it was told before."""
    deferral = ti.deferral
    if deferral is None or deferral.result is not None:
        return
    at = find_earliest(compute_times(ti, deferral))
    ti.generation += 1
    if at is not None:
        engine_state.set_timer(at, ti)


class DeferralTimes(NamedTuple):
    """When a wait ends if nobody ends it before; None: it does not."""

    due: Instant | None
    timeout: Instant | None
    deadline: Instant | None


def compute_times(ti: TaskInstance, deferral: DeferralRecord) -> DeferralTimes:
    """Of a wait that has not ended. A held DAG's timers do not fire."""
    return DeferralTimes(deferral.due_at if ti.run.dag.hold_reason is None else None, deferral.timeout_at, compute_deadline(ti))


def find_earliest(times: DeferralTimes) -> Instant | None:
    """What comes first; None: nothing."""
    return min((at for at in times if at is not None), default=None)


def compute_deadline(ti: TaskInstance) -> Instant | None:
    """When the `execution_timeout` of a try that has started is over, its waits included; None: no limit, or not started."""
    limit_s = ti.task.execution_timeout_s
    return None if limit_s is None or ti.started_at is None else ti.started_at + int(limit_s * SECOND)


def drop_deferral(context: StepContext, ti: TaskInstance, *, killed: bool) -> None:
    """The cell waits for nothing, and has nothing to go on with. `killed`: somebody ended the wait, so its trigger is told."""
    deferral, ti.deferral = ti.deferral, None
    if deferral is not None:
        discard_deferral_record(context, deferral, ti.pool, killed=killed)


def discard_deferral_record(context: StepContext, deferral: DeferralRecord, pool: str | None, *, killed: bool) -> None:
    """The wait is over and forgotten; `pool` has what it held. A wait that took too long in this step is told so all the same."""
    release_held_slots(context, deferral, pool)
    fired_now = context.changes.deferrals_ended.pop(deferral.key, None) is not None
    if context.changes.deferrals.pop(deferral.key, None) is None:
        result = deferral.result
        is_over = deferral.due_at is not None or (result is not None and not fired_now)
        hears = killed if result is None else result.outcome == "timeout"
        context.changes.deferrals_deleted.append((deferral.key, None if is_over else hears))


def release_held_slots(context: StepContext, deferral: DeferralRecord, pool: str | None) -> None:
    """What it kept of its pool while it waited is free."""
    held, deferral.held_slots = deferral.held_slots, 0
    if held and pool is not None:
        context.state.get_pool(pool).used -= held
        context.changes.pool_used[pool] = context.changes.pool_used.get(pool, 0) - held


def _hold_slots(context: StepContext, ti: TaskInstance) -> int:
    """Of the pool that admitted it, which may be another than its task has now."""
    pool = context.state.get_pool(ti.pool or ti.task.pool)
    if not pool.include_deferred:
        return 0
    pool.used += ti.pool_slots
    context.changes.pool_used[pool.name] = context.changes.pool_used.get(pool.name, 0) + ti.pool_slots
    return ti.pool_slots
