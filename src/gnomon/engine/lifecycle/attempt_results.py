"""A try has failed: another one later, or the end of the task, and of its run where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from gnomon.decide.outcomes import UNENTERED_LIMIT, compute_retry_at, has_try_left
from gnomon.decide.transitions import Cause
from gnomon.decide.trigger_rules import format_skip_reason, parse_skip_reason
from gnomon.engine import lifecycle
from gnomon.engine.admission.admission_pass import build_attempt
from gnomon.engine.admission.capacity import release_attempt
from gnomon.engine.events import AuthorCodeEntered, InventoryRead, ResultReceived
from gnomon.engine.lifecycle.deferrals import begin_deferral, drop_deferral
from gnomon.engine.lifecycle.run_lifecycle import stop_tasks
from gnomon.engine.lifecycle.task_lifecycle import finish_task_instance, is_skipped_by_branch, make_ready
from gnomon.engine.state.engine_state import EngineState, WorkerCapacity
from gnomon.engine.state.queue_moves import dequeue
from gnomon.engine.state.task_instance import Dag, TaskInstance
from gnomon.engine.step_context import CancelOrder, StepContext
from gnomon.model.attempts import AttemptResult, escape_unstorable, xcom_excess
from gnomon.model.states import TaskInstanceState as S


def fail_try(context: StepContext, ti: TaskInstance, reason: str | None, *, retryable: bool) -> None:
    """The try is over; `retryable` False: no further one, whatever is left."""
    if retryable and has_try_left(ti.try_number, ti.max_tries):
        dequeue(ti)  # no time of a wait that is over calls it before the next try is due
        lifecycle.apply(ti, Cause.RETRY)
        ti.ended_at = None
        ti.reason = reason
        ti.resume_at = compute_retry_at(ti.task, ti.try_number, _jitter_seed(ti), context.now)
        context.state.set_timer(ti.resume_at, ti)
        context.mark_dirty(ti)
        return
    finish_task_instance(context, ti, Cause.FAIL, reason)
    if ti.run.graph.spec.fail_fast and not ti.task.is_teardown:
        because = f"fail_fast: task {ti.name()} failed"
        stop_tasks(context, ti.run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=because, teardowns=False)


def _jitter_seed(ti: TaskInstance) -> str:
    return f"{ti.run.dag.record.dag_id}/{ti.run.record.run_id}/{ti.name()}"


def on_author_code_entered(context: StepContext, event: AuthorCodeEntered) -> None:
    """The attempt runs author code now."""
    ti = context.state.attempts.get(event.attempt_id)
    if ti is None:
        return
    ti.unentered_attempts = 0
    if ti.state is not S.QUEUED:
        return  # it is being stopped; its result says the rest
    lifecycle.apply(ti, Cause.ENTER)
    ti.entered = True
    if not (ti.is_resumption and ti.started_at is not None):
        ti.started_at = event.at
    context.mark_dirty(ti)


def on_result_received(context: StepContext, event: ResultReceived) -> None:
    """Apply a result if its attempt is the live one; acknowledge it in any case."""
    result = event.result
    if event.worker_id is not None:
        context.result.acknowledges.setdefault(event.worker_id, []).append(result.attempt_id)
    ti = context.state.attempts.get(result.attempt_id)
    if ti is not None:
        _apply_result(context, ti, _check_storable(result))


def _check_storable(result: AttemptResult) -> AttemptResult:
    """A result that the store takes: one with an XCom that is too large, or an outcome nobody knows, is a failure."""
    for item in result.xcoms:
        excess = xcom_excess(f"XCom {item.key!r}", item.value)
        if excess is not None:
            return _to_failure(result, excess)
    if result.outcome not in _OUTCOME_HANDLERS:
        return _to_failure(result, f"the task ended as {result.outcome!r}, which this release cannot go on from")
    if result.reason is not None:
        return replace(result, reason=escape_unstorable(result.reason))
    return result


def _to_failure(result: AttemptResult, reason: str) -> AttemptResult:
    return replace(result, outcome="failed", retryable=False, reason=reason, xcoms=(), skip_task_ids=())


def _apply_result(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    if result.started_at is not None and not (ti.is_resumption and ti.started_at is not None):
        ti.started_at = result.started_at
    ti.ended_at = result.ended_at if result.ended_at is not None else context.now
    if result.fresh_reason is not None:
        _mark_fresh_import(context, ti.run.dag, result.fresh_reason)
    context.current_dag = ti.run.dag
    if ti.state is S.RESTARTING:
        release_attempt(context, ti, "failed", f"cleared while running; {result.reason or result.outcome}", result.exit_code)
        reset_task_instance(context, ti)
        return
    release_attempt(context, ti, result.outcome, result.reason, result.exit_code)
    if result.xcoms:
        context.changes.results.append(result)
    if not _will_run_again(ti, result):
        drop_deferral(context, ti, killed=False)
    _OUTCOME_HANDLERS[result.outcome](context, ti, result)


def _will_run_again(ti: TaskInstance, result: AttemptResult) -> bool:
    """Whether what a wait brought has not reached the task: the attempt was lost before it entered author code."""
    return result.outcome == "lost" and not result.entered and ti.unentered_attempts < UNENTERED_LIMIT


def _on_success(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    skip_unchosen_tasks(context, ti, result.skip_task_ids)
    finish_task_instance(context, ti, Cause.SUCCEED, result.reason)


def _on_skipped(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    finish_task_instance(context, ti, Cause.SKIP_SELF, result.reason or "the task asked to be skipped")


def _on_failed(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    fail_try(context, ti, result.reason, retryable=result.retryable)


def _on_deferred(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    if result.wait is None:
        fail_try(context, ti, "the task deferred without a word on what it waits for", retryable=False)
        return
    begin_deferral(context, ti, result.wait, Cause.DEFER)


def _on_rescheduled(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    lifecycle.apply(ti, Cause.RESCHEDULE)
    ti.ended_at = None
    ti.reason = result.reason
    ti.resume_at = result.resume_at if result.resume_at is not None else context.now
    context.state.set_timer(ti.resume_at, ti)
    context.mark_dirty(ti)


def _on_lost(context: StepContext, ti: TaskInstance, result: AttemptResult) -> None:
    """Lost: one that entered author code, or may have, costs a try; one known not to have costs none."""
    ti.unentered_attempts += 1
    if result.entered or ti.unentered_attempts > UNENTERED_LIMIT:
        _on_failed(context, ti, result)
        return
    lifecycle.apply(ti, Cause.LOSE)
    ti.ended_at = None
    if not ti.is_resumption:
        ti.try_number -= 1
        ti.started_at = None
    ti.reason = result.reason
    context.mark_dirty(ti)
    make_ready(context, ti)


_OUTCOME_HANDLERS = {
    "success": _on_success,
    "failed": _on_failed,
    "skipped": _on_skipped,
    "up_for_reschedule": _on_rescheduled,
    "deferred": _on_deferred,
    "lost": _on_lost,
}


def skip_unchosen_tasks(context: StepContext, by: TaskInstance, task_ids: tuple[str, ...]) -> None:
    """Skip these tasks of the run unless they have begun: a branch did not choose them."""
    run = by.run
    for task_id in task_ids:
        index = run.graph.index_of.get(task_id)
        for ti in run.task_instances[index].values() if index is not None else ():
            if ti.attempt is None and ti.state in (None, S.SCHEDULED) and not ti.is_resumption:
                finish_task_instance(context, ti, Cause.RULE_SKIP, format_skip_reason(by.name()))


def reset_task_instance(context: StepContext, ti: TaskInstance) -> None:
    """No status, as if it had never run; its numbers go on, its retries are granted anew.

    What is left of the past: that a branch which is not cleared skipped it.
    """
    drop_deferral(context, ti, killed=True)
    reason = ti.reason if ti.state is S.SKIPPED and is_skipped_by_branch(ti) else None
    lifecycle.apply(ti, Cause.CLEAR)
    ti.max_tries = ti.try_number + ti.task.retries
    ti.started_at = ti.ended_at = ti.resume_at = None
    ti.reason = reason
    context.delete_xcoms(ti)
    context.mark_dirty(ti)
    _revoke_skips(context, ti)
    context.enqueue_evaluation(ti.run, ti.index)


def _revoke_skips(context: StepContext, by: TaskInstance) -> None:
    """What a cleared branch had decided is forgotten."""
    run = by.run
    for d in run.graph.downstream[by.index]:
        for ti in run.task_instances[d].values():
            if ti.state is None and parse_skip_reason(ti.reason) == by.task.task_id:
                ti.reason = None
                context.mark_dirty(ti)


def on_worker_joined(context: StepContext, worker_id: str, slots: int) -> None:
    """The worker may be given attempts; what memory believes to run there counts against its slots."""
    worker = context.state.workers.get(worker_id)
    if worker is None:
        worker = context.state.workers[worker_id] = WorkerCapacity(worker_id, slots)
    worker.slots, worker.is_reachable = slots, True
    worker.used_slots = sum(ti.worker == worker_id for ti in context.state.attempts.values())


def on_worker_lost(context: StepContext, worker_id: str) -> None:
    """Every attempt on the worker is lost; each may have entered author code, so each costs a try."""
    context.state.workers.pop(worker_id, None)
    for ti in _instances_on_worker(context.state, worker_id):
        _apply_result(context, ti, build_lost_result(ti, f"lost: worker {worker_id} stopped answering", entered=True))


def on_inventory(context: StepContext, event: InventoryRead) -> None:
    """OWNERSHIP.md line 15: adopt what runs, submit again what is unknown and queued, lose what is unknown and ran.

    What runs there and is over by the records was to be cancelled by somebody who died before he said so.
    """
    for ti in _instances_on_worker(context.state, event.worker_id):
        attempt_id = ti.attempt or ""
        if attempt_id in event.results or ti.run.dag.record.group_no not in event.groups:
            continue
        context.current_dag = ti.run.dag
        entered = event.running.get(attempt_id)
        if entered is not None and ti.state is S.RESTARTING:
            context.result.cancels.append(CancelOrder(event.worker_id, attempt_id, "cleared"))
        if entered is None and (ti.entered or ti.state is S.RESTARTING):
            _apply_result(context, ti, build_lost_result(ti, f"lost: worker {event.worker_id} no longer has it", entered=True))
        elif entered is None:
            context.result.submits.setdefault(event.worker_id, []).append(build_attempt(context.state, ti))
        elif entered and ti.state is S.QUEUED:
            on_author_code_entered(context, AuthorCodeEntered(attempt_id, context.now))
    for attempt_id in event.running.keys() - context.state.attempts.keys():
        context.result.cancels.append(CancelOrder(event.worker_id, attempt_id, "it is over by the records"))


def _instances_on_worker(engine_state: EngineState, worker_id: str) -> Iterator[TaskInstance]:
    """Those with an attempt on the worker; not those whose attempt the end of one before them has ended (fail_fast)."""
    for ti in [ti for ti in engine_state.attempts.values() if ti.worker == worker_id]:
        if ti.worker == worker_id:
            yield ti


def build_lost_result(ti: TaskInstance, reason: str, *, entered: bool) -> AttemptResult:
    """The result that a lost attempt is given."""
    return AttemptResult(
        attempt_id=ti.attempt or "", group_no=ti.run.dag.record.group_no, run_pk=ti.run.pk,
        task_no=ti.run.graph.numbers[ti.index], map_index=ti.map_index, outcome="lost", entered=entered,
        started_at=ti.started_at, reason=reason,
    )


def _mark_fresh_import(context: StepContext, dag: Dag, reason: str) -> None:
    if dag.record.fresh is None:
        dag.record.fresh = reason
        context.changes.fresh_files.append((dag.record.file, reason))
