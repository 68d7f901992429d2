"""`step`: apply events and return the decision. The only function of the engine that changes the EngineState after a load."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from gnomon.model.errors.product import EngineStepError
from gnomon.model.instants import Instant
from gnomon.model.records import NewMail
from gnomon.model.states import FINISHED_RUN_STATES, WITHOUT_PROCESS_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine import events as e
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.admission.admission_pass import admit_ready
from gnomon.rules.engine.dependencies.run_dependencies import (
    expire_edges,
    on_slots_resolved,
    on_upstream_update,
    refresh_edges,
    release_run,
)
from gnomon.rules.engine.handlers.attempt_results import (
    on_author_code_entered,
    on_inventory,
    on_result_received,
    on_worker_joined,
    on_worker_lost,
)
from gnomon.rules.engine.handlers.backfill_lifecycle import on_backfill_read, reprocess_run
from gnomon.rules.engine.handlers.hitl_responses import answer_hitl
from gnomon.rules.engine.handlers.requests import (
    clear_tasks,
    delete_dag,
    delete_run,
    discard_queued_events,
    mark_run,
    mark_tasks,
)
from gnomon.rules.engine.handlers.trigger_events import on_deferral_ended, on_deferral_timer
from gnomon.rules.engine.handlers.version_change import finalize_removed_tasks, on_dag_deleted, on_dag_read
from gnomon.rules.engine.lifecycle.deadlines import miss_due_deadlines, on_deadline_resolved, refresh_deadlines
from gnomon.rules.engine.lifecycle.followed_runs import on_followed_run_ended, on_followed_task_ended
from gnomon.rules.engine.lifecycle.instance_mutation import ask_again, ask_again_if_due, build_questions
from gnomon.rules.engine.lifecycle.run_callbacks import on_callback_timer, submit_callbacks
from gnomon.rules.engine.lifecycle.run_lifecycle import (
    attach_previous_run,
    attach_run,
    drop_ended_run,
    end_run_if_done,
    enqueue_run_evaluation,
    on_run_timer,
    start_queued_runs,
)
from gnomon.rules.engine.lifecycle.task_lifecycle import evaluate_pending, make_ready, on_instances_mutated
from gnomon.rules.engine.lifecycle.upstream_subscriptions import notify_cursor_moved, notify_run_created, subscribe
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.pending_callback import PendingCallback
from gnomon.rules.engine.state.queue_moves import move_in_queue
from gnomon.rules.engine.state.queue_state import QueueCause, QueueState
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step_context import StepContext, StepResult

MAX_TIMERS_PER_STEP = 2000
"""Timers that one step fires. Timers that are due together take several steps: between them the lease is renewed and mail is read."""
MAX_READY_BY_TIMERS = 256
"""Tasks that the timers of one step make ready: workers start these while the next step fires further timers."""


def step(
    engine_state: EngineState,
    events: Iterable[e.EngineEvent],
    now: Instant,
    new_id: Callable[[], str],
    loaded_runs: Iterable[DagRun] = (),
    *,
    keeps_rows: bool = True,
) -> StepResult:
    """Apply `events` and everything that follows from them; return the changes of one transaction and the actions after it.

    `new_id` returns a new attempt id. `loaded_runs`: runs that `load_groups` returned since the last step; they are evaluated
    first. The EngineState is changed in place: the caller drops it if the changes are not committed.
    `keeps_rows` False, for a caller that stores nothing: the rows of task instances and attempts, the audit log and the admissions are left out of the
    result; every decision is the same.
    Raises EngineStepError for an internal error, with the DAG that was being processed; drop the EngineState then too.
    """
    context = StepContext(engine_state, now, new_id, keeps_rows=keeps_rows)
    try:
        return _step(context, events, loaded_runs)
    except Exception as error:
        dag = context.current_dag
        raise EngineStepError(
            error, dag.record.group_no if dag else None, dag.record.dag_id if dag else None
        ) from error


def end_followed_run(
    engine_state: EngineState, event: e.FollowedRunEnded, now: Instant, new_id: Callable[[], str]
) -> StepResult:
    """As `step` with this event alone, when no run of the DAG is queued, nobody waits for slots of the DAG and no timer is due: nothing follows from the end of the run."""
    context = StepContext(engine_state, now, new_id, keeps_rows=False)
    on_followed_run_ended(context, event)
    for run in context.possibly_done_runs:
        end_run_if_done(context, run)
    return _finish_step(context)


def _step(context: StepContext, events: Iterable[e.EngineEvent], loaded_runs: Iterable[DagRun]) -> StepResult:
    for run in loaded_runs:
        context.current_dag = run.dag
        context.startable_dags[run.dag] = None
        finalize_removed_tasks(context, run)
        refresh_edges(context, run)
        refresh_deadlines(context, run)
        if run.is_running:
            enqueue_run_evaluation(context, run)
    for event in events:
        context.current_dag = None
        _HANDLERS[type(event)](context, event)
    _fire_timers(context)
    _propagate(context)
    submit_callbacks(context)
    follower = context.engine_state.follower
    while follower is not None and follower.settle(context):
        _propagate(context)
    admit_ready(context)
    assert not context.unsettled, (
        "admission left something to evaluate: retract_admissions() needs a step in which nothing follows from admissions"
    )
    return _finish_step(context)


def _propagate(context: StepContext) -> None:
    """Evaluate tasks, end runs and start runs until nothing is left to do."""
    while context.unsettled:
        while context.updates:
            on_upstream_update(context, context.updates.popleft())
        evaluate_pending(context)
        while context.possibly_done_runs:
            run, _ = context.possibly_done_runs.popitem()
            end_run_if_done(context, run)
        while context.startable_dags:
            dag, _ = context.startable_dags.popitem()
            context.current_dag = dag
            start_queued_runs(context, dag)


def _fire_timers(context: StepContext) -> None:
    timers, ready_before = context.engine_state.timers, len(context.newly_ready)
    for _ in range(MAX_TIMERS_PER_STEP):
        at = timers.peek_key()
        if at is None or at > context.now:
            return
        subject = timers.peek()
        timers.pop()
        if isinstance(subject, DagRun):
            context.current_dag = subject.dag
            on_run_timer(context, subject)
            expire_edges(context, subject)
            miss_due_deadlines(context, subject)
            ask_again_if_due(context, subject)
        elif isinstance(subject, PendingCallback):
            on_callback_timer(context, subject)
        elif subject is not None and subject.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE):
            make_ready(context, subject)
        elif subject is not None and subject.state in WITHOUT_PROCESS_STATES:
            on_deferral_timer(context, subject)
        if len(context.newly_ready) - ready_before >= MAX_READY_BY_TIMERS:
            break
    context.has_more_work = True


def _finish_step(context: StepContext) -> StepResult:
    """Collect the rows that changed, the mail to other owners, and the instant of the next step."""
    for ti in context.newly_ready:
        if ti.is_queued and ti.state in (None, *WITHOUT_PROCESS_STATES):
            lifecycle.transition(ti, Cause.WAIT)
            context.mark_dirty(ti)
    changes, result = context.changes, context.result
    if context.unasked_instances:
        result.mutation_questions = build_questions(context)
    for ti in context.dirty_instances:
        ti.is_stored = True
        if context.keeps_rows:
            changes.tasks.append(ti.to_record())
            result.touched_groups.add(ti.run.dag.record.group_no)
    for run in context.dirty_runs:
        changes.runs.append(run.record)
        result.touched_groups.add(run.dag.record.group_no)
        if run.record.state in FINISHED_RUN_STATES:
            result.ended_runs.append(run)
            drop_ended_run(context, run)
    for group_no, update in context.outbox.items():
        changes.mail_sent.append(
            NewMail(group_no, "upstream_ended", msgspec.json.encode(update).decode(), at=context.now)
        )
    result.wake_at = context.now if context.has_more_work else context.engine_state.next_timer()
    return result


def _on_dag_read(context: StepContext, event: e.DagRead) -> None:
    context.result.touched_groups.add(event.dag.group_no)
    on_dag_read(context, event.dag)


def _on_run_read(context: StepContext, event: e.RunRead) -> None:
    dag = context.current_dag = context.engine_state.dags.get(event.run.dag_pk)
    if dag is None or event.run.run_pk in context.engine_state.runs or event.run.run_pk in context.result.deleted_runs:
        return  # the run is in memory, or an earlier event of this step deleted it
    context.result.touched_groups.add(dag.record.group_no)
    if event.previous_run is not None:
        attach_previous_run(context.engine_state, dag, *event.previous_run)
    run = attach_run(context.engine_state, dag, event.run, event.tasks, event.run_waits)
    run.deadlines = {deadline.deadline_no: deadline for deadline in event.deadlines}
    if event.tasks or run.is_running or run.graph.mapping is not None:
        finalize_removed_tasks(context, run)
    refresh_deadlines(context, run)
    if event.run.state not in FINISHED_RUN_STATES:
        refresh_edges(context, run)
        notify_run_created(context, run)
    context.startable_dags[dag] = None
    if run.is_running:
        enqueue_run_evaluation(context, run)
    if event.run.state in FINISHED_RUN_STATES:
        context.dirty_runs[run] = None


def _on_previous_runs_read(context: StepContext, event: e.PreviousRunsRead) -> None:
    dag = context.current_dag = context.engine_state.dags.get(event.dag_pk)
    if dag is not None:
        for record, rows in event.runs:
            attach_previous_run(context.engine_state, dag, record, rows)


def _on_cursor_moved(context: StepContext, event: e.CursorMoved) -> None:
    dag = context.current_dag = context.engine_state.dags.get(event.dag_pk)
    if dag is not None:
        notify_cursor_moved(context, dag, event.before, event.upto, event.facts)


def _on_asset_events_queued(context: StepContext, event: e.AssetEventsQueued) -> None:
    context.result.plannable_dags.update(event.dag_pks)


def _on_upstream_updates(context: StepContext, event: e.UpstreamUpdatesReceived) -> None:
    context.updates.extend(event.updates)


def _on_pools_read(context: StepContext, event: e.PoolsRead) -> None:
    missing = {pool.name for pool in context.engine_state.pools.values() if pool.slots is None}
    context.engine_state.update_pools(event.pools)
    if any(pool.name in missing for pool in event.pools):
        for run in context.engine_state.runs.values():
            ask_again(context, run)  # its hook may have named that pool


def _on_priorities_raised(context: StepContext, event: e.PrioritiesRaised) -> None:
    engine_state = context.engine_state
    dag = engine_state.find_dag(event.dag_id)
    if dag is None:
        return
    context.current_dag = dag
    engine_state.set_raised(dag, event.raised)
    for run in dag.runs.values():
        for instances in run.task_instances:
            for ti in instances.values():
                if ti.queue_state in _SORTED:
                    move_in_queue(ti, QueueCause.PRIORITY_CHANGED, engine_state.get_pool(ti.pool or ti.target_pool))


_SORTED = (QueueState.POOL, QueueState.LIMIT, QueueState.OVERSIZED)
"""The queues that are sorted by priority."""


def _on_worker_disconnected(context: StepContext, event: e.WorkerDisconnected) -> None:
    worker = context.engine_state.workers.get(event.worker_id)
    if worker is not None:
        worker.is_reachable = False


def _on_reject_request(context: StepContext, event: e.RejectRequest) -> None:
    context.changes.answers.append((event.request_pk, "refused", event.reason))


_HANDLERS: dict[type, Callable[[StepContext, Any], None]] = {
    e.DagRead: _on_dag_read,
    e.DagDeleted: lambda context, event: on_dag_deleted(context, event.dag_pk),
    e.RunRead: _on_run_read,
    e.PreviousRunsRead: _on_previous_runs_read,
    e.PoolsRead: _on_pools_read,
    e.PrioritiesRaised: _on_priorities_raised,
    e.SlotsResolved: on_slots_resolved,
    e.InstancesMutated: on_instances_mutated,
    e.SubscriptionRequested: lambda context, event: subscribe(context, event.subscription, event.facts),
    e.UpstreamUpdatesReceived: _on_upstream_updates,
    e.CursorMoved: _on_cursor_moved,
    e.AssetEventsQueued: _on_asset_events_queued,
    e.ReleaseRun: release_run,
    e.DeadlineResolved: on_deadline_resolved,
    e.DeferralEnded: on_deferral_ended,
    e.WorkerJoined: lambda context, event: on_worker_joined(context, event.worker_id, event.slots),
    e.WorkerDisconnected: _on_worker_disconnected,
    e.WorkerLost: lambda context, event: on_worker_lost(context, event.worker_id),
    e.AuthorCodeEntered: on_author_code_entered,
    e.ResultReceived: on_result_received,
    e.FollowedRunEnded: on_followed_run_ended,
    e.FollowedTaskEnded: on_followed_task_ended,
    e.InventoryRead: on_inventory,
    e.ClearTasks: clear_tasks,
    e.MarkTasks: mark_tasks,
    e.HITLAnswered: answer_hitl,
    e.MarkRun: mark_run,
    e.DeleteRun: delete_run,
    e.DeleteDag: delete_dag,
    e.DiscardQueuedEvents: discard_queued_events,
    e.RejectRequest: _on_reject_request,
    e.BackfillRead: on_backfill_read,
    e.ReprocessRun: reprocess_run,
}
