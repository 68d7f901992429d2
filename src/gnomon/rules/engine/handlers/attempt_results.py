"""What workers report of attempts: entered author code, a result, an inventory, a worker that joined or is lost.

`_OUTCOME_HANDLERS` maps the outcome of a result to its function. `fail_try` decides between a retry and a failed task; other
modules call it for tries that end without a result. RESULT in docs/contributing/ownership.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from gnomon.model.attempts import RETURN_VALUE, AttemptResult
from gnomon.model.records import HAS_VALUE
from gnomon.model.result_checks import check_result, fail_result, is_entry_instant
from gnomon.model.sentences import render, say
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.storable_text import escape_unstorable
from gnomon.rules.decide.outcomes import (
    RESTARTS_MAX,
    UNENTERED_LIMIT,
    compute_retry_at,
    format_restart,
    has_try_left,
    parse_restarts,
)
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.decide.trigger_rules import format_left_out, format_skip_reason, parse_skip_reason
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.admission.admission_pass import build_attempt
from gnomon.rules.engine.events import AuthorCodeEntered, InventoryRead, ResultReceived
from gnomon.rules.engine.handlers.author_reasons import quote_author_reason
from gnomon.rules.engine.lifecycle.alert_facts import record_try_failure
from gnomon.rules.engine.lifecycle.asset_emission import record_asset_events
from gnomon.rules.engine.lifecycle.capacity import release_attempt
from gnomon.rules.engine.lifecycle.deadlines import on_reference_ended
from gnomon.rules.engine.lifecycle.deferrals import begin_deferral, drop_deferral
from gnomon.rules.engine.lifecycle.expansions import list_related_instances
from gnomon.rules.engine.lifecycle.run_callbacks import (
    enqueue_task_end_callbacks,
    lose_callbacks,
    on_callback_entered,
    on_callback_inventory,
    on_callback_result,
)
from gnomon.rules.engine.lifecycle.task_end import fail_task_instance, finish_task_instance
from gnomon.rules.engine.lifecycle.task_lifecycle import is_skipped_by_branch, make_ready
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.queue_moves import dequeue
from gnomon.rules.engine.state.task_instance import Dag, TaskInstance
from gnomon.rules.engine.step_context import CancelOrder, StepContext

RENDERED_INDEX_MAX = 250
"""Characters of a rendered map index that are stored, as in Airflow."""


def fail_try(
    context: StepContext, ti: TaskInstance, reason: str | None, *, retryable: bool, retry_delay_s: float | None = None
) -> None:
    """End the try as failed: the task is up for retry if a try is left, else failed. `retryable` False: it fails at once.

    `retry_delay_s`: the delay that a retry policy decided; None: that of the task.
    """
    if retryable and has_try_left(ti.try_number, ti.max_tries):
        dequeue(ti)  # timers of an ended deferral must not fire before the next try is due
        lifecycle.transition(ti, Cause.RETRY)
        ti.ended_at = None
        ti.reason = reason
        ti.resume_at = compute_retry_at(ti.task, ti.try_number, _jitter_seed(ti), context.now, retry_delay_s)
        context.engine_state.set_timer(ti.resume_at, ti)
        context.mark_dirty(ti)
    else:
        fail_task_instance(context, ti, Cause.FAIL, reason)
    record_try_failure(context, ti, reason)


def _jitter_seed(ti: TaskInstance) -> str:
    return f"{ti.run.dag.record.dag_id}/{ti.run.record.run_id}/{ti.name()}"


def on_author_code_entered(context: StepContext, event: AuthorCodeEntered) -> None:
    """Set the instance to running."""
    ti = context.engine_state.attempts.get(event.attempt_id)
    if ti is None:
        on_callback_entered(context, event)
        return
    ti.unentered_attempts = 0
    if ti.state is not S.QUEUED:
        return  # it is being stopped; its result follows
    lifecycle.transition(ti, Cause.ENTER)
    ti.entered = True
    if not (ti.is_resumption and ti.started_at is not None):
        ti.started_at = event.at if is_entry_instant(event.at) else context.now
    context.mark_dirty(ti)


def on_result_received(context: StepContext, event: ResultReceived) -> None:
    """Apply the result if its attempt is live; acknowledge it in any case."""
    result = event.result
    if event.worker_id is not None:
        context.result.acknowledges.setdefault(event.worker_id, []).append(result.attempt_id)
    ti = context.engine_state.attempts.get(result.attempt_id)
    if ti is not None:
        result = _take_own(ti, check_result(result))
        _apply_result(context, ti, result if result.reason is None else quote_author_reason(result), event.sender)
    elif (pending := on_callback_result(context, result := check_result(result))) is not None:
        on_reference_ended(context, pending, result)


def _take_own(ti: TaskInstance, result: AttemptResult) -> AttemptResult:
    """The result, which names the task instance of its attempt; one that names another is a failure."""
    if (
        result.run_pk == ti.run.pk
        and result.map_index == ti.map_index
        and result.task_no == ti.run.graph.numbers[ti.index]
    ):
        return result
    key = ti.key()
    own = replace(result, run_pk=key.run_pk, task_no=key.task_no, map_index=key.map_index)
    return fail_result(own, render(say("result_names_another_instance")))


def _apply_result(context: StepContext, ti: TaskInstance, result: AttemptResult, sender: str | None = None) -> None:
    if result.started_at is not None and not (ti.is_resumption and ti.started_at is not None):
        ti.started_at = result.started_at
    ti.ended_at = result.ended_at if result.ended_at is not None else context.now
    if result.fresh_reason is not None:
        _mark_fresh_import(context, ti.run.dag, result.fresh_reason)
    context.current_dag = ti.run.dag
    if ti.state is S.RESTARTING:
        told = render(say("cleared_while_running", reason=result.reason or result.outcome))
        release_attempt(context, ti, "failed", told, result.exit_code, sender)
        reset_task_instance(context, ti)
        return
    if result.outcome == "lost" and result.entered and ti.task.restartable and not result.is_own_fault:
        result = _restart(ti, result)
    release_attempt(context, ti, result.outcome, result.reason, result.exit_code, sender)
    if result.xcoms or result.rendered_fields is not None:
        context.changes.results.append(result)
    if result.rendered_map_index is not None:
        ti.rendered_map_index = escape_unstorable(result.rendered_map_index)[:RENDERED_INDEX_MAX]
    if ti.deferral is not None and not _will_run_again(ti, result):
        drop_deferral(context, ti, killed=False)
    _OUTCOME_HANDLERS[result.outcome](context, ti, result)


def _restart(ti: TaskInstance, result: AttemptResult) -> AttemptResult:
    """The result of an attempt of a restartable task that was lost after it had begun: as if it had not, at most RESTARTS_MAX times in a row.

    The reason of the instance keeps the count while the next attempt is queued and runs, so that the next scheduler knows it too.
    """
    loss, number = result.reason or "lost", parse_restarts(ti.reason) + 1
    if number > RESTARTS_MAX:
        return replace(result, reason=render(say("restarted_too_often", reason=loss, most=RESTARTS_MAX)))
    ti.unentered_attempts = 0
    return replace(result, entered=False, reason=format_restart(loss, number))


def _will_run_again(ti: TaskInstance, result: AttemptResult) -> bool:
    """True when a lost attempt did not enter author code and is submitted again: the result of its deferral is still needed."""
    return result.outcome == "lost" and not result.entered and ti.unentered_attempts < UNENTERED_LIMIT


def _on_success(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    if result.return_length is not None:
        ti.return_length = result.return_length
    elif result.xcoms and any(item.key == RETURN_VALUE for item in result.xcoms):
        ti.return_length = HAS_VALUE
    left_out = skip_unchosen_tasks(context, ti, result.skip_task_ids) if result.skip_task_ids else None
    finish_task_instance(context, ti, Cause.SUCCEED, format_left_out(left_out) if left_out else result.reason)
    if result.asset_events is not None or ti.task.outlets:
        record_asset_events(context, ti, result.attempt_id, result.asset_events)


def _on_skipped(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    finish_task_instance(context, ti, Cause.SKIP_SELF, result.reason or render(say("task_asked_to_be_skipped")))


def _on_failed(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    fail_try(context, ti, result.reason, retryable=result.retryable, retry_delay_s=result.retry_delay_s)
    enqueue_task_end_callbacks(context, ti, result)


def _on_deferred(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    if result.wait is None:
        fail_try(context, ti, render(say("deferral_names_no_trigger")), retryable=False)
        return
    begin_deferral(context, ti, result.wait, Cause.DEFER)


def _on_awaiting_input(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    if result.wait is None or result.wait.hitl is None:
        fail_try(context, ti, render(say("result_has_no_question")), retryable=False)
        return
    begin_deferral(context, ti, result.wait, Cause.AWAIT_INPUT)


def _on_rescheduled(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    lifecycle.transition(ti, Cause.RESCHEDULE)
    ti.ended_at = None
    ti.reason = result.reason
    ti.resume_at = result.resume_at if result.resume_at is not None else context.now
    context.engine_state.set_timer(ti.resume_at, ti)
    context.mark_dirty(ti)


def _on_lost(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    """A lost attempt costs a try, unless it is known that it did not enter author code, or its task is restartable (`_restart`)."""
    ti.unentered_attempts += 1
    if result.entered or ti.unentered_attempts > UNENTERED_LIMIT:
        _on_failed(context, ti, result)
        return
    lifecycle.transition(ti, Cause.LOSE)
    ti.ended_at = None
    if not ti.is_resumption:
        ti.try_number -= 1
        ti.started_at = None
        if ti.try_number == 0:
            ti.max_tries = ti.task.retries  # as after a load; a new version may have changed them
    if not parse_restarts(ti.reason) or parse_restarts(result.reason):
        ti.reason = result.reason
    context.mark_dirty(ti)
    make_ready(context, ti)


_OUTCOME_HANDLERS = {
    "success": _on_success,
    "failed": _on_failed,
    "skipped": _on_skipped,
    "up_for_reschedule": _on_rescheduled,
    "deferred": _on_deferred,
    "awaiting_input": _on_awaiting_input,
    "lost": _on_lost,
}


def skip_unchosen_tasks(context: StepContext, by: TaskInstance, task_ids: tuple[str, ...]) -> list[str]:
    """Skip the tasks that the branch `by` did not choose, unless they have started; in a mapped group only at its place.

    Returns the tasks of which no instance has that place yet: they are skipped when they are expanded.
    """
    run = by.run
    left_out = []
    if task_ids:
        run.branches.add(by.task.task_id)
    for task_id in task_ids:
        index = run.graph.index_of.get(task_id)
        related = list_related_instances(by, index) if index is not None else []
        if related is None:
            left_out.append(task_id)
        for ti in related or ():
            if ti.attempt is None and ti.state in (None, S.SCHEDULED) and not ti.is_resumption:
                finish_task_instance(context, ti, Cause.RULE_SKIP, format_skip_reason(by.name()))
    return left_out


def reset_task_instance(context: StepContext, ti: TaskInstance) -> None:
    """Clear an instance without a live attempt: no state, no XComs, all retries again; try and attempt numbers continue.

    The skip reason of a branch that is not cleared is kept: the branch still skips the instance.
    """
    drop_deferral(context, ti, killed=True)
    reason = ti.reason if ti.state is S.SKIPPED and is_skipped_by_branch(ti) else None
    lifecycle.transition(ti, Cause.CLEAR)
    if ti.overrides is not None:
        ti.set_overrides(None)
    ti.rendered_map_index = None
    ti.max_tries = ti.try_number + ti.task.retries
    ti.started_at = ti.ended_at = ti.resume_at = None
    ti.reason = reason
    context.delete_xcoms(ti)
    context.mark_dirty(ti)
    _revoke_skips(context, ti)
    context.enqueue_evaluation(ti.run, ti.index, range(ti.map_index, ti.map_index + 1) if ti.map_index >= 0 else None)


def _revoke_skips(context: StepContext, by: TaskInstance) -> None:
    """Remove the skip reasons that the cleared branch gave to its downstream tasks."""
    run = by.run
    if by.task.task_id not in run.branches:
        return
    for d in run.graph.downstream[by.index]:
        for ti in list_related_instances(by, d) or ():
            if ti.state is None and parse_skip_reason(ti.reason) == (by.task.task_id, by.map_index):
                ti.reason = None
                context.mark_dirty(ti)


def on_worker_joined(context: StepContext, worker_id: str, slots: int) -> None:
    """Admit attempts to the worker; live attempts that are assigned to it use its slots."""
    worker = context.engine_state.add_worker(worker_id, slots)
    worker.is_reachable = True
    worker.used_slots = sum(ti.worker == worker_id for ti in context.engine_state.attempts.values())
    worker.used_slots += sum(
        pending.record.worker == worker_id for pending in context.engine_state.callback_attempts.values()
    )
    context.engine_state.offer_slots(worker)


def on_worker_lost(context: StepContext, worker_id: str) -> None:
    """Lose every attempt of the worker; each may have entered author code, so each costs a try."""
    context.engine_state.remove_worker(worker_id)
    loss = render(say("worker_stopped_answering", worker=worker_id))
    for ti in _instances_on_worker(context.engine_state, worker_id):
        _apply_result(context, ti, build_lost_result(ti, loss, entered=True))
    for pending in lose_callbacks(context, worker_id):
        on_reference_ended(context, pending, None)


def on_inventory(context: StepContext, event: InventoryRead) -> None:
    """Compare the live attempts with the worker's inventory (LOAD in docs/contributing/ownership.md).

    An attempt that the worker has goes on. One that it does not have is submitted again if it had not entered author code,
    else it is lost. An attempt that the worker runs and that is not live here is cancelled: an owner ended it and was
    replaced before it sent the cancel order.
    """
    for ti in _instances_on_worker(context.engine_state, event.worker_id):
        attempt_id = ti.attempt or ""
        if attempt_id in event.results or ti.run.dag.record.group_no not in event.groups:
            continue
        context.current_dag = ti.run.dag
        entered = event.running.get(attempt_id)
        if entered is not None and ti.state is S.RESTARTING:
            context.result.cancels.append(CancelOrder(event.worker_id, attempt_id, "cleared"))
        if entered is None and (ti.entered or ti.state is S.RESTARTING):
            loss = render(say("worker_no_longer_has_it", worker=event.worker_id))
            _apply_result(context, ti, build_lost_result(ti, loss, entered=True))
        elif entered is None:
            context.result.submits.setdefault(event.worker_id, []).append(build_attempt(context.engine_state, ti))
        elif entered and ti.state is S.QUEUED:
            on_author_code_entered(context, AuthorCodeEntered(attempt_id, context.now))
    on_callback_inventory(context, event)
    for attempt_id in (
        event.running.keys() - context.engine_state.attempts.keys() - context.engine_state.callback_attempts.keys()
    ):
        context.result.cancels.append(CancelOrder(event.worker_id, attempt_id, render(say("attempt_has_ended"))))


def _instances_on_worker(engine_state: EngineState, worker_id: str) -> Iterator[TaskInstance]:
    """Instances with an attempt on the worker; not those whose attempt ended while the caller handled an earlier one (fail_fast)."""
    for ti in [ti for ti in engine_state.attempts.values() if ti.worker == worker_id]:
        if ti.worker == worker_id:
            yield ti


def build_lost_result(ti: TaskInstance, reason: str, *, entered: bool) -> AttemptResult:
    """The result of a lost attempt."""
    return AttemptResult(
        attempt_id=ti.attempt or "",
        group_no=ti.run.dag.record.group_no,
        run_pk=ti.run.pk,
        task_no=ti.run.graph.numbers[ti.index],
        map_index=ti.map_index,
        outcome="lost",
        entered=entered,
        started_at=ti.started_at,
        reason=reason,
    )


def _mark_fresh_import(context: StepContext, dag: Dag, reason: str) -> None:
    if dag.record.fresh is None:
        dag.record.fresh = reason
        context.changes.fresh_files.append((dag.record.file, reason))
