"""The end of a task instance: its final state, and the evaluation of everything that depends on it.

That is: downstream tasks, tasks that are mapped over it, the run, the next run, subscriptions of other DAGs.
"""

from __future__ import annotations

from gnomon.model.instants import Instant
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.rules.decide.outcomes import build_fail_fast_reason
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.engine import lifecycle
from gnomon.rules.engine.lifecycle.capacity import release_attempt
from gnomon.rules.engine.lifecycle.deferrals import drop_deferral
from gnomon.rules.engine.lifecycle.tallies import update_tallies
from gnomon.rules.engine.lifecycle.upstream_subscriptions import notify_task_ended
from gnomon.rules.engine.state.queue_moves import dequeue
from gnomon.rules.engine.state.run_history import find_next_run
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import CancelOrder, StepContext


def finish_task_instance(
    context: StepContext, ti: TaskInstance, cause: Cause, reason: str | None, at: Instant | None = None
) -> None:
    """Set a final state, and enqueue the evaluation of everything that depends on the instance.

    `at`: when it ended; None: now. A deferral is dropped, and its trigger gets `on_kill`.
    """
    dequeue(ti)
    if ti.deferral is not None:
        drop_deferral(context, ti, killed=True)
    lifecycle.transition(ti, cause)
    ti.reason = reason
    ti.resume_at = None
    if ti.ended_at is None:
        ti.ended_at = at if at is not None else context.now
    context.mark_dirty(ti)
    run = ti.run
    run.unfinished_count -= 1
    if run.unfinished_count == 0:
        context.possibly_done_runs[run] = None
    update_tallies(context, ti, 1)
    if run.graph.depends_on_previous_run:
        _evaluate_next_run(context, ti)
        context.startable_dags[run.dag] = None  # the run may be one now that can only wait: `run_preemption.py`
    if context.engine_state.subscriptions:
        notify_task_ended(context, ti)


def _evaluate_next_run(context: StepContext, ti: TaskInstance) -> None:
    """Evaluate the same task of the next run, and the tasks before it; of a mapped task, once all its instances are finished."""
    expansion = ti.run.expansions.get(ti.index)
    next_run = find_next_run(ti.run)
    if next_run is None or (expansion is not None and not expansion.own.all_done()):
        return
    task = ti.task
    for task_id in (task.task_id, *task.upstream):
        index = next_run.graph.index_of.get(task_id)
        if index is not None:
            context.enqueue_evaluation(next_run, index)


def mark_unfinished(context: StepContext, ti: TaskInstance) -> None:
    """Count a finished instance as unfinished again; the caller changes its state afterwards."""
    update_tallies(context, ti, -1)
    ti.run.unfinished_count += 1


def stop_task_instance(context: StepContext, ti: TaskInstance, cause: Cause, reason: str) -> None:
    """Set a final state whatever the present state is; a live attempt is cancelled and recorded as failed.

    What has run and ended keeps the time of its end, as in Airflow: its duration is that of its last try, and not the time until the mark.
    """
    if ti.attempt is not None:
        assert ti.worker is not None
        context.result.cancels.append(CancelOrder(ti.worker, ti.attempt, reason))
        ti.ended_at = context.now
        release_attempt(context, ti, "failed", reason)
    if is_finished(ti):
        mark_unfinished(context, ti)
        if ti.started_at is None:
            ti.ended_at = None
    finish_task_instance(context, ti, cause, reason)


def stop_tasks(
    context: StepContext, run: DagRun, *, live: Cause, waiting: Cause, reason: str, teardowns: bool = True
) -> None:
    """Finish all unfinished task instances of the run.

    `live`: the cause for instances with an attempt, which is cancelled; `waiting`: the cause for all others; `reason`: the
    reason of both. `teardowns` False: teardown tasks are left as they are.
    """
    for instances in run.task_instances:
        for ti in instances.values():
            if is_finished(ti) or (ti.task.is_teardown and not teardowns):
                continue
            was_live = ti.has_attempt
            stop_task_instance(context, ti, live if was_live else waiting, reason)


def fail_task_instance(context: StepContext, ti: TaskInstance, cause: Cause, reason: str | None) -> None:
    """Finish the instance as failed; with `fail_fast`, stop all tasks of the run except teardowns."""
    finish_task_instance(context, ti, cause, reason)
    if ti.run.graph.spec.fail_fast and not ti.task.is_teardown:
        stop_reason = build_fail_fast_reason(ti.name())
        stop_tasks(
            context, ti.run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=stop_reason, teardowns=False
        )


def is_finished(ti: TaskInstance) -> bool:
    return ti.state in FINISHED_TASK_STATES
