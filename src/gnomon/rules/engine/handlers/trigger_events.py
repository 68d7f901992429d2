"""The ends of deferrals: by an event of the trigger, by a timer of the owner, or by a timeout.

An event is applied once, to the deferral with its `defer_seq` (TRIGGER in docs/contributing/ownership.md). The owner keeps
the timers itself, so they are exact.
"""

from __future__ import annotations

from msgspec.structs import replace

from gnomon.model.attempts import RETURN_VALUE, AttemptResult, XComItem, measure_json, xcom_fault
from gnomon.model.deferral import DeferralResult
from gnomon.model.records import HAS_VALUE, DeferralRecord
from gnomon.model.sentences import render, say
from gnomon.model.states import WITHOUT_PROCESS_STATES
from gnomon.rules.decide.hitl_rules import make_timeout_response
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine.events import DeferralEnded
from gnomon.rules.engine.handlers.attempt_results import fail_try
from gnomon.rules.engine.handlers.author_reasons import quote_author_reason
from gnomon.rules.engine.lifecycle.asset_emission import record_asset_events
from gnomon.rules.engine.lifecycle.deferrals import (
    compute_times,
    drop_deferral,
    find_earliest,
    record_hitl_response,
    release_held_slots,
    set_deferral_timer,
)
from gnomon.rules.engine.lifecycle.task_end import finish_task_instance
from gnomon.rules.engine.lifecycle.task_lifecycle import enqueue_for_admission
from gnomon.rules.engine.state.queue_moves import dequeue
from gnomon.rules.engine.state.task_instance import TaskInstance
from gnomon.rules.engine.step_context import StepContext


def on_deferral_ended(context: StepContext, event: DeferralEnded) -> None:
    """Apply the event if the instance still waits for this deferral."""
    run = context.engine_state.runs.get(event.key.run_pk)
    if run is None:
        return
    context.current_dag = run.dag
    context.result.touched_groups.add(run.dag.record.group_no)
    index = run.graph.index_of_number.get(event.key.task_no)
    ti = None if index is None else run.find_task_instance(index, event.key.map_index)
    if ti is not None and ti.state in WITHOUT_PROCESS_STATES and ti.defer_seq == event.defer_seq:
        deferral = ti.deferral
        if deferral is not None and deferral.result is None:
            end_deferral(context, ti, deferral, quote_author_reason(event.result))


def on_deferral_timer(context: StepContext, ti: TaskInstance) -> None:
    """A timer of the deferral fired: its own instant, its timeout, or the deadline of the try. The earliest of them decides."""
    deferral = ti.deferral
    if deferral is None or deferral.result is not None:
        return
    context.current_dag = ti.run.dag
    times = compute_times(ti, deferral)
    at = find_earliest(times)
    if at is None or at > context.now:
        set_deferral_timer(context.engine_state, ti)
    elif at == times.due and deferral.request.hitl is not None:
        response = make_timeout_response(deferral.request.hitl, context.now)
        record_hitl_response(context, deferral, response)
        end_deferral(context, ti, deferral, DeferralResult(outcome="event", response=response))
    elif at == times.due:
        end_deferral(
            context,
            ti,
            deferral,
            DeferralResult(outcome="success" if deferral.request.ends_task else "event", due_at=at),
        )
    elif at == times.timeout:
        request = deferral.request
        told = say("deferral_took_too_long", trigger=request.classpath, duration=request.timeout_s)
        result = DeferralResult(outcome="timeout", reason=render(told))
        _end_without_event(context, ti, deferral, result, retryable=not ti.task.is_sensor)
    else:
        reason = render(say("try_took_too_long", duration=ti.task.execution_timeout_s))
        _end_without_event(context, ti, deferral, DeferralResult(outcome="timeout", reason=reason))


def end_deferral(context: StepContext, ti: TaskInstance, deferral: DeferralRecord, result: DeferralResult) -> None:
    """Resume the task with the result of its deferral, or finish it."""
    if result.outcome == "event":
        _resume_in_operator(context, ti, deferral, result)
        return
    faults = (xcom_fault(f"XCom {key!r} of the event", key, value) for key, value in result.xcoms.items())
    fault = next(filter(None, faults), None)
    if fault is not None:
        _fail_or_soft_skip(context, ti, fault, retryable=False)
        return
    _push_xcoms(context, ti, result)
    classpath = deferral.request.classpath
    if result.outcome == "error":
        told = say("trigger_failed", trigger=classpath, reason=result.reason or result.outcome)
        failure = replace(result, reason=render(told))
        if result.traceback is not None:
            context.add_audit_event("trigger_failed", ti=ti, body=failure.reason or "")
        _end_without_event(context, ti, deferral, failure)
    elif ti.task.runs_code_at_deferral_end:
        _enqueue_resumption(context, ti, deferral, result)
    elif result.outcome in _END_CAUSES:
        drop_deferral(context, ti, killed=False)
        finish_task_instance(context, ti, _END_CAUSES[result.outcome], result.reason)
        if result.outcome == "success":
            record_asset_events(context, ti)
    else:
        drop_deferral(context, ti, killed=False)
        reason = result.reason or render(say("trigger_ended_it_as_failed", trigger=classpath))
        fail_try(context, ti, reason, retryable=True)


_END_CAUSES = {"success": Cause.EVENT_SUCCESS, "skipped": Cause.EVENT_SKIP}


def _resume_in_operator(
    context: StepContext, ti: TaskInstance, deferral: DeferralRecord, result: DeferralResult
) -> None:
    if deferral.request.next_method is None:
        reason = render(say("event_does_not_end_task", trigger=deferral.request.classpath))
        drop_deferral(context, ti, killed=False)
        fail_try(context, ti, reason, retryable=False)
        return
    _enqueue_resumption(context, ti, deferral, result)


def _enqueue_resumption(
    context: StepContext, ti: TaskInstance, deferral: DeferralRecord, result: DeferralResult
) -> None:
    """Queue the instance for an attempt that resumes with `result`; a trigger that still runs is ended."""
    release_held_slots(context, deferral, ti.pool)
    deferral.result = result
    if deferral.key not in context.changes.deferrals:
        context.changes.deferrals_ended[deferral.key] = deferral
    ti.resume_at = None
    dequeue(ti)
    enqueue_for_admission(context, ti)
    context.mark_dirty(ti)


def _end_without_event(
    context: StepContext, ti: TaskInstance, deferral: DeferralRecord, result: DeferralResult, *, retryable: bool = True
) -> None:
    """No event came: fail the try, on a worker if the task has callbacks or a method for such ends."""
    if ti.task.runs_code_at_deferral_end:
        _enqueue_resumption(context, ti, deferral, result)
    else:
        _fail_or_soft_skip(context, ti, result.reason or result.outcome, retryable=retryable)


def _fail_or_soft_skip(context: StepContext, ti: TaskInstance, reason: str, *, retryable: bool = True) -> None:
    """Fail the try, or skip a sensor with soft_fail."""
    drop_deferral(context, ti, killed=True)
    if ti.task.soft_fail:
        finish_task_instance(context, ti, Cause.EVENT_SKIP, render(say("soft_fail_skips", reason=reason)))
    else:
        fail_try(context, ti, reason, retryable=retryable)


def _push_xcoms(context: StepContext, ti: TaskInstance, result: DeferralResult) -> None:
    if not result.xcoms:
        return
    key = ti.key()
    items = tuple(XComItem(key=name, value=value) for name, value in result.xcoms.items())
    context.changes.results.append(
        AttemptResult(
            attempt_id="",
            group_no=ti.run.dag.record.group_no,
            run_pk=key.run_pk,
            task_no=key.task_no,
            map_index=key.map_index,
            outcome=result.outcome,
            xcoms=items,
        )
    )
    if RETURN_VALUE in result.xcoms:
        length = measure_json(result.xcoms[RETURN_VALUE])
        ti.return_length = HAS_VALUE if length is None else length
