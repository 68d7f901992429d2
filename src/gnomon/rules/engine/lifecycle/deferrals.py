"""The deferral of a task instance: start, timers, end. Only this module counts the pool slots that a deferral keeps."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest, HITLResponse
from gnomon.model.instants import SECOND, Instant, add_seconds
from gnomon.model.records import Changes, DeferralRecord, HITLDetail
from gnomon.model.sentences import render, say
from gnomon.model.states import TaskInstanceState
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.queue_moves import dequeue
from gnomon.rules.engine.state.task_instance import TaskInstance
from gnomon.rules.engine.step_context import StepContext

NEVER: Instant = 253_402_300_799 * SECOND
"""The `due_at` of a question without a time limit: the end of the year 9999. So no triggerer claims it."""


def begin_deferral(context: StepContext, ti: TaskInstance, request: Deferral, cause: Cause) -> None:
    """Defer the instance: it has no attempt and no worker, and pool slots only if the pool has `include_deferred`."""
    drop_deferral(context, ti, killed=False)
    dequeue(ti)
    ti.defer_seq += 1
    lifecycle.transition(ti, cause)
    ti.ended_at = ti.reason = None
    due_at = request.due_at if request.due_in_s is None else add_seconds(context.now, request.due_in_s)
    if request.hitl is not None and due_at is None:
        due_at = NEVER
    timeout_at = None if request.timeout_s is None else add_seconds(context.now, request.timeout_s)
    key = ti.key()
    ti.deferral = DeferralRecord(
        run_pk=key.run_pk,
        task_no=key.task_no,
        map_index=key.map_index,
        defer_seq=ti.defer_seq,
        dag_pk=ti.run.dag.record.dag_pk,
        request=request,
        created_at=context.now,
        priority=ti.priority,
        due_at=due_at,
        timeout_at=timeout_at,
        held_slots=_hold_slots(context, ti),
    )
    ti.resume_at = due_at if due_at != NEVER else None
    context.changes.deferrals[key] = ti.deferral
    if request.hitl is not None:
        ti.reason = describe_question(request.hitl)
        context.changes.hitl_details.append(
            HITLDetail(*key, ti.defer_seq, ti.try_number, request.hitl, context.now, ti.resume_at)
        )
    set_deferral_timer(context.engine_state, ti)
    context.mark_dirty(ti)


def describe_question(request: HITLRequest) -> str:
    """The reason of a task instance that waits for a person: the question and its options."""
    return render(say("asks_a_person", subject_text=request.subject, options=" | ".join(request.options)))


def record_hitl_response(context: StepContext, deferral: DeferralRecord, response: HITLResponse) -> None:
    """Store the answer to the question of the deferral with this step."""
    context.changes.hitl_responses.append((deferral.key, deferral.defer_seq, response))


def undo_deferral(engine_state: EngineState, changes: Changes, ti: TaskInstance) -> None:
    """Take back the deferral that the instance started with in this step."""
    deferral, ti.deferral = ti.deferral, None
    assert deferral is not None
    del changes.deferrals[deferral.key]
    engine_state.get_pool(ti.pool or ti.target_pool).used -= deferral.held_slots
    ti.defer_seq -= 1
    ti.generation += 1


def set_deferral_timer(engine_state: EngineState, ti: TaskInstance) -> None:
    """Set the timer of the instance to the earliest time of its deferral; earlier timers of the instance become void."""
    deferral = ti.deferral
    if deferral is None or deferral.result is not None:
        return
    at = find_earliest(compute_times(ti, deferral))
    ti.generation += 1
    if at is not None:
        engine_state.set_timer(at, ti)


class DeferralTimes(NamedTuple):
    """When a deferral ends without an event of its trigger; None: that time does not apply."""

    due: Instant | None
    timeout: Instant | None
    deadline: Instant | None


def compute_times(ti: TaskInstance, deferral: DeferralRecord) -> DeferralTimes:
    """The times of a deferral without a result. `due` is None while the DAG is held."""
    return DeferralTimes(
        deferral.due_at if ti.run.dag.hold_reason is None else None, deferral.timeout_at, compute_deadline(ti)
    )


def find_earliest(times: DeferralTimes) -> Instant | None:
    """The earliest of the times; None when there is none."""
    return min((at for at in times if at is not None), default=None)


def compute_deadline(ti: TaskInstance) -> Instant | None:
    """When the `execution_timeout` of the try ends, deferrals included; None: it has no timeout, or has not started."""
    limit_s = ti.task.execution_timeout_s
    if ti.deferral is not None and ti.deferral.request.hitl is not None:
        return None  # it limits the code of the task, not the person
    return None if limit_s is None or ti.started_at is None else add_seconds(ti.started_at, limit_s)


def drop_deferral(context: StepContext, ti: TaskInstance, *, killed: bool) -> None:
    """Remove the deferral of the instance, if it has one. `killed`: a user or a timeout ended it, so its trigger gets `on_kill`."""
    deferral, ti.deferral = ti.deferral, None
    if deferral is not None:
        discard_deferral_record(context, deferral, ti.pool, killed=killed)


def discard_deferral_record(context: StepContext, deferral: DeferralRecord, pool: str | None, *, killed: bool) -> None:
    """Delete the deferral and release the slots that it kept in `pool`. A deferral that timed out gets `on_kill` in any case."""
    release_held_slots(context, deferral, pool)
    ended_in_this_step = context.changes.deferrals_ended.pop(deferral.key, None) is not None
    if context.changes.deferrals.pop(deferral.key, None) is None:
        result = deferral.result
        is_over = deferral.due_at is not None or (result is not None and not ended_in_this_step)
        gets_on_kill = killed if result is None else result.outcome == "timeout"
        context.changes.deferrals_deleted.append((deferral.key, None if is_over else gets_on_kill))


def release_held_slots(context: StepContext, deferral: DeferralRecord, pool: str | None) -> None:
    """Release the slots that the deferral kept in the pool."""
    slots, deferral.held_slots = deferral.held_slots, 0
    if slots and pool is not None:
        context.engine_state.get_pool(pool).used -= slots
        context.changes.pool_used[pool] = context.changes.pool_used.get(pool, 0) - slots


def _hold_slots(context: StepContext, ti: TaskInstance) -> int:
    """Use slots for the deferral if the pool has `include_deferred`; returns how many. A task that waits for a person uses none.

    The pool is the one that admitted the instance; a new version of the DAG may have given the task another.
    """
    pool = context.engine_state.get_pool(ti.pool or ti.target_pool)
    if not pool.include_deferred or ti.state is TaskInstanceState.AWAITING_INPUT:
        return 0
    pool.used += ti.pool_slots
    context.changes.pool_used[pool.name] = context.changes.pool_used.get(pool.name, 0) + ti.pool_slots
    return ti.pool_slots
