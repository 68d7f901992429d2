"""The life of a task instance: its rules are evaluated, it becomes ready, it is finished.

`evaluate_task_instance` decides, `make_ready` queues the instance for admission, `finish_task_instance` sets a final state
and enqueues what depends on it: downstream tasks, the run, the next run, subscriptions of other DAGs.
"""

from __future__ import annotations

import bisect

from gnomon.decide.edges import EdgeVerdict
from gnomon.decide.previous_run import evaluate_previous_run, evaluate_without_previous
from gnomon.decide.transitions import Cause
from gnomon.decide.trigger_rules import RuleOutcome, Verdict, evaluate_trigger_rule, is_skip_valid, parse_skip_reason
from gnomon.engine import lifecycle
from gnomon.engine.dependencies.upstream_subscriptions import notify_task_ended
from gnomon.engine.lifecycle.deferrals import begin_deferral, drop_deferral
from gnomon.engine.state.queue_moves import dequeue, move_in_queue
from gnomon.engine.state.queue_state import QueueCause
from gnomon.engine.state.task_instance import DagRun, TaskInstance
from gnomon.engine.step_context import StepContext
from gnomon.model.attempts import AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S


def evaluate_pending(context: StepContext) -> None:
    """Evaluate the tasks on the worklist, and those that this adds, until it is empty."""
    while context.pending_evaluations:
        run, index = context.pending_evaluations.popleft()
        if run.is_running and run.dag.runs.get(run.pk) is run:
            context.current_dag = run.dag
            for ti in run.task_instances[index].values():
                if ti.state is None and not ti.is_queued:
                    evaluate_task_instance(context, ti)


def evaluate_task_instance(context: StepContext, ti: TaskInstance) -> None:
    """Make the instance ready, skipped or upstream_failed if its rules say so; else it keeps waiting."""
    verdict = compute_verdict(ti)
    if verdict.outcome is RuleOutcome.RUN:
        make_ready(context, ti)
    elif verdict.outcome is RuleOutcome.SKIP:
        finish_task_instance(context, ti, Cause.RULE_SKIP, verdict.reason)
    elif verdict.outcome is RuleOutcome.UPSTREAM_FAILED:
        finish_task_instance(context, ti, Cause.RULE_UPSTREAM_FAILED, verdict.reason)


def compute_verdict(ti: TaskInstance) -> Verdict:
    """The verdict of, in this order: a branch that skipped the instance, the trigger rule, the previous run, other DAGs."""
    if ti.reason is not None and is_skipped_by_branch(ti):
        return Verdict(RuleOutcome.SKIP, ti.reason)
    run = ti.run
    verdict = evaluate_trigger_rule(ti.task.trigger_rule, run.tallies[ti.index])
    if verdict.outcome is not RuleOutcome.RUN:
        return verdict
    if run.graph.depends_on_previous_run:
        verdict = compute_previous_run_verdict(ti)
        if verdict.outcome is not RuleOutcome.RUN:
            return verdict
    return compute_edge_verdict(ti, verdict) if run.edges else verdict


def compute_edge_verdict(ti: TaskInstance, verdict: Verdict) -> Verdict:
    """The verdict of the task's own dependencies on other DAGs; `verdict` if they let it run."""
    edges = [edge for edge in ti.run.edges.values() if edge.edge.task_id == ti.task.task_id]
    by_verdict = {edge.verdict: edge for edge in edges}
    if EdgeVerdict.CANCEL in by_verdict:
        return Verdict(RuleOutcome.UPSTREAM_FAILED, by_verdict[EdgeVerdict.CANCEL].cancel_reason)
    if EdgeVerdict.WAIT in by_verdict:
        names = ", ".join(edge.describe() for edge in edges if edge.verdict is EdgeVerdict.WAIT)
        return Verdict(RuleOutcome.WAIT, f"waits for {names}")
    return verdict


def is_skipped_by_branch(ti: TaskInstance) -> bool:
    """True when a direct upstream task skipped this instance and its decision is still valid."""
    run = ti.run
    branch_id = parse_skip_reason(ti.reason)
    if branch_id is None or branch_id not in ti.task.upstream:
        return False
    return any(is_skip_valid(branch.state) for branch in run.task_instances[run.graph.index_of[branch_id]].values())


def compute_previous_run_verdict(ti: TaskInstance) -> Verdict:
    """The verdict of `depends_on_past` and `wait_for_downstream`."""
    task = ti.task
    previous_run = find_previous_run(ti.run)
    if previous_run is None:
        return evaluate_previous_run(task, None, None, ())
    index = previous_run.graph.index_of.get(task.task_id)
    previous = None if index is None else previous_run.find_task_instance(index, ti.map_index)
    is_finished_run = previous_run.record.state in FINISHED_RUN_STATES
    if index is None or (previous is not None and previous.state is None and is_finished_run):
        # A finished run that is read again has the tasks of the present version: this one had no row in it.
        return evaluate_without_previous(task, previous_run.record.run_id)
    downstream = [
        (other.name(), other.state)
        for d in previous_run.graph.downstream[index]
        for other in previous_run.task_instances[d].values()
    ]
    return evaluate_previous_run(task, previous_run.record.run_id, previous.state if previous else S.SUCCESS, downstream)


def find_previous_run(run: DagRun) -> DagRun | None:
    """The previous run of the same DAG in the order of `sort_key`; None for the first one."""
    history = run.dag.run_history
    position = bisect.bisect_left(history, run.sort_key, key=_sort_key_of)
    return history[position - 1] if position else None


def find_next_run(run: DagRun) -> DagRun | None:
    """The next run of the same DAG in the order of `sort_key`; None for the newest one."""
    history = run.dag.run_history
    position = bisect.bisect_right(history, run.sort_key, key=_sort_key_of)
    return history[position] if position < len(history) else None


def _sort_key_of(run: DagRun) -> tuple[Instant, int]:
    return run.sort_key


def make_ready(context: StepContext, ti: TaskInstance) -> None:
    """The rules let the instance run: without code it is finished at once, else it is queued for admission."""
    if ti.starts_deferred:
        _defer_or_enqueue(context, ti)
        return
    if not ti.task.runs_code:
        ti.try_number += 1
        ti.started_at = ti.ended_at = context.now
        finish_task_instance(context, ti, Cause.NOTHING_TO_RUN, None)
        return
    enqueue_for_admission(context, ti)


def _defer_or_enqueue(context: StepContext, ti: TaskInstance) -> None:
    """Start with the deferral; queue the instance if its DAG is held, or if its pool has `include_deferred`."""
    if ti.run.dag.hold_reason is not None:
        move_in_queue(ti, QueueCause.DAG_HELD)
        context.newly_ready[ti] = None
    elif context.state.get_pool(ti.task.pool).include_deferred:
        enqueue_for_admission(context, ti)
    else:
        start_deferred(context, ti)


def start_deferred(context: StepContext, ti: TaskInstance) -> list[AttemptResult] | None:
    """Start the try of a task with `start_from_trigger` by its deferral; XComs of earlier tries are deleted.

    Returns the value of `delete_xcoms`; None for the first try.
    """
    assert ti.task.start_wait is not None
    ti.try_number += 1
    deleted_results = context.delete_xcoms(ti) if ti.try_number > 1 else None
    ti.started_at = context.now
    ti.pool = ti.task.pool
    context.newly_ready.pop(ti, None)
    begin_deferral(context, ti, ti.task.start_wait, Cause.START_WAIT)
    return deleted_results


def enqueue_for_admission(context: StepContext, ti: TaskInstance) -> None:
    """Add a ready instance to the queue of its pool."""
    ti.pool = ti.task.pool
    move_in_queue(ti, QueueCause.BECOME_READY, context.state.get_pool(ti.pool))
    context.newly_ready[ti] = None


def finish_task_instance(context: StepContext, ti: TaskInstance, cause: Cause, reason: str | None, at: Instant | None = None) -> None:
    """Set a final state, and enqueue the evaluation of everything that depends on the instance.

    `at`: when it ended; None: now. A deferral is dropped, and its trigger gets `on_kill`.
    """
    dequeue(ti)
    drop_deferral(context, ti, killed=True)
    lifecycle.apply(ti, cause)
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
    if context.state.subscriptions:
        notify_task_ended(context, ti)


def mark_unfinished(context: StepContext, ti: TaskInstance) -> None:
    """Count a finished instance as unfinished again; the caller changes its state afterwards."""
    update_tallies(context, ti, -1)
    ti.run.unfinished_count += 1


def update_tallies(context: StepContext, ti: TaskInstance, by: int) -> None:
    """Count the instance's final state in the tallies of its downstream tasks: `by` 1 adds it, -1 removes it."""
    run = ti.run
    is_setup = ti.task.is_setup
    for d in run.graph.downstream[ti.index]:
        run.tallies[d].add(ti.state, by, is_setup)
        context.enqueue_evaluation(run, d)


def _evaluate_next_run(context: StepContext, ti: TaskInstance) -> None:
    next_run = find_next_run(ti.run)
    if next_run is None:
        return
    task = ti.task
    for task_id in (task.task_id, *task.upstream):
        index = next_run.graph.index_of.get(task_id)
        if index is not None:
            context.enqueue_evaluation(next_run, index)


def is_finished(ti: TaskInstance) -> bool:
    return ti.state in FINISHED_TASK_STATES
