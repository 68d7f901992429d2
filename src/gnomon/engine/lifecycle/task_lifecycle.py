"""The moves of one task instance: judged, ready, finished, taken back. Every change of state goes through here."""

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
    """Judge everything on the worklist, and what that releases, until nothing is left."""
    while context.pending_evaluations:
        run, index = context.pending_evaluations.popleft()
        if run.is_running and run.dag.runs.get(run.pk) is run:
            context.current_dag = run.dag
            for ti in run.task_instances[index].values():
                if ti.state is None and not ti.is_queued:
                    evaluate_task_instance(context, ti)


def evaluate_task_instance(context: StepContext, ti: TaskInstance) -> None:
    """Let the cell's rules decide: ready, skipped, upstream_failed, or wait as it is."""
    verdict = compute_verdict(ti)
    if verdict.outcome is RuleOutcome.RUN:
        make_ready(context, ti)
    elif verdict.outcome is RuleOutcome.SKIP:
        finish_task_instance(context, ti, Cause.RULE_SKIP, verdict.reason)
    elif verdict.outcome is RuleOutcome.UPSTREAM_FAILED:
        finish_task_instance(context, ti, Cause.RULE_UPSTREAM_FAILED, verdict.reason)


def compute_verdict(ti: TaskInstance) -> Verdict:
    """What an earlier decision of a branch, the trigger rule and the past say of it now."""
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
    """What its own dependencies on other DAGs say; `verdict` where they say nothing against it."""
    mine = [edge for edge in ti.run.edges.values() if edge.edge.task_id == ti.task.task_id]
    found = {edge.verdict: edge for edge in mine}
    if EdgeVerdict.CANCEL in found:
        return Verdict(RuleOutcome.UPSTREAM_FAILED, found[EdgeVerdict.CANCEL].cancel_reason)
    if EdgeVerdict.WAIT in found:
        names = ", ".join(edge.describe() for edge in mine if edge.verdict is EdgeVerdict.WAIT)
        return Verdict(RuleOutcome.WAIT, f"waits for {names}")
    return verdict


def is_skipped_by_branch(ti: TaskInstance) -> bool:
    """Whether a direct upstream skipped this cell, and its decision stands."""
    run = ti.run
    by = parse_skip_reason(ti.reason)
    if by is None or by not in ti.task.upstream:
        return False
    return any(is_skip_valid(other.state) for other in run.task_instances[run.graph.index_of[by]].values())


def compute_previous_run_verdict(ti: TaskInstance) -> Verdict:
    """What the run before says of it."""
    task = ti.task
    before = find_previous_run(ti.run)
    if before is None:
        return evaluate_previous_run(task, None, None, ())
    index = before.graph.index_of.get(task.task_id)
    previous = None if index is None else before.find_task_instance(index, ti.map_index)
    if index is None or (previous is not None and previous.state is None and before.record.state in FINISHED_RUN_STATES):
        return evaluate_without_previous(task, before.record.run_id)  # an ended run that is read again has the tasks of today
    downstream = [
        (other.name(), other.state) for d in before.graph.downstream[index] for other in before.task_instances[d].values()
    ]
    return evaluate_previous_run(task, before.record.run_id, previous.state if previous else S.SUCCESS, downstream)


def find_previous_run(run: DagRun) -> DagRun | None:
    """The run of the same DAG before this one, by `find_next_run`, or None."""
    past = run.dag.run_history
    position = bisect.bisect_left(past, run.sort_key, key=_sort_key_of)
    return past[position - 1] if position else None


def find_next_run(run: DagRun) -> DagRun | None:
    """The run of the same DAG after this one, or None."""
    past = run.dag.run_history
    position = bisect.bisect_right(past, run.sort_key, key=_sort_key_of)
    return past[position] if position < len(past) else None


def _sort_key_of(run: DagRun) -> tuple[Instant, int]:
    return run.sort_key


def make_ready(context: StepContext, ti: TaskInstance) -> None:
    """The cell may run: one without code is done at once, any other waits for a slot."""
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
    """At once, unless its DAG is held, or its pool counts it from now on: then admission says when."""
    if ti.run.dag.hold_reason is not None:
        move_in_queue(ti, QueueCause.DAG_HELD)
        context.newly_ready[ti] = None
    elif context.state.get_pool(ti.task.pool).include_deferred:
        enqueue_for_admission(context, ti)
    else:
        start_deferred(context, ti)


def start_deferred(context: StepContext, ti: TaskInstance) -> list[AttemptResult] | None:
    """A task that starts from its trigger begins its try with the wait; what an earlier try pushed is gone.

    Returns what `delete_xcoms` returned; None when there was no earlier try.
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
    """Put a cell that may run where admission finds it."""
    ti.pool = ti.task.pool
    move_in_queue(ti, QueueCause.BECOME_READY, context.state.get_pool(ti.pool))
    context.newly_ready[ti] = None


def finish_task_instance(context: StepContext, ti: TaskInstance, cause: Cause, reason: str | None, at: Instant | None = None) -> None:
    """Move the cell to a final state and tell everything downstream."""
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
    """A finished cell counts as unfinished again."""
    update_tallies(context, ti, -1)
    ti.run.unfinished_count += 1


def update_tallies(context: StepContext, ti: TaskInstance, by: int) -> None:
    """Add the cell's final state to, or take it from, the tallies downstream."""
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
