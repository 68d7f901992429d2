"""The life of a task instance until its admission: its rules are evaluated, it becomes ready.

`evaluate_task_instance` decides, `make_ready` expands a mapped task or queues the instance for admission; the end is in
`task_end.py`, the expansion in `expansions.py`.
"""

from __future__ import annotations

from gnomon.model.attempts import AttemptResult
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import RunName, quote, say
from gnomon.model.states import FINISHED_RUN_STATES, GOOD_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.edges import EdgeVerdict
from gnomon.rules.decide.previous_run import decide_skip, evaluate_previous_run, evaluate_without_previous
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.decide.trigger_rules import (
    RuleOutcome,
    Verdict,
    evaluate_trigger_rule,
    is_skip_valid,
    parse_skip_reason,
)
from gnomon.rules.engine.events import InstancesMutated
from gnomon.rules.engine.lifecycle.asset_emission import record_asset_events
from gnomon.rules.engine.lifecycle.deferrals import begin_deferral
from gnomon.rules.engine.lifecycle.expansions import compute_expansion_verdict, expand_task, revise_expansion
from gnomon.rules.engine.lifecycle.instance_mutation import (
    apply_answers,
    await_answer,
    drop_outdated_answer,
    needs_answer,
)
from gnomon.rules.engine.lifecycle.tallies import find_tally
from gnomon.rules.engine.lifecycle.task_end import finish_task_instance
from gnomon.rules.engine.state.queue_moves import move_in_queue
from gnomon.rules.engine.state.queue_state import NOT_QUEUED, QueueCause
from gnomon.rules.engine.state.run_history import find_previous_run
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext


def evaluate_pending(context: StepContext) -> None:
    """Evaluate the tasks on the worklist, and those that this adds, until it is empty."""
    while context.pending_evaluations:
        run, index, map_indices = context.pending_evaluations.popleft()
        if run.is_running and run.dag.runs.get(run.pk) is run:
            context.current_dag = run.dag
            mapping = run.graph.mapping
            if mapping is not None and mapping.levels[index]:
                _evaluate_mapped_task(context, run, index, map_indices)
                continue
            for ti in run.task_instances[index].values():
                if ti.state is None and ti.queue_state is NOT_QUEUED:
                    apply_verdict(context, ti, compute_verdict(ti))


def _evaluate_mapped_task(context: StepContext, run: DagRun, index: int, map_indices: range | None) -> None:
    """Evaluate the instances of a mapped task; what they have in common is evaluated once."""
    revise_expansion(context, run, index)
    instances = run.task_instances[index]
    expansion = run.expansions.get(index)
    candidates = (
        instances.values()
        if map_indices is None or expansion is None
        else (instances[i] for i in map_indices if i in instances)
    )
    waiting = [ti for ti in candidates if ti.state is None and not ti.is_queued]
    common = None
    for ti in waiting:
        if ti.state is not None:
            continue  # fail_fast ended it with an instance before it
        if expansion is None or expansion.parts or ti.reason is not None:
            apply_verdict(context, ti, compute_verdict(ti))
            continue
        common = common or compute_verdict(ti)
        apply_verdict(context, ti, common)


def apply_verdict(context: StepContext, ti: TaskInstance, verdict: Verdict) -> None:
    """Make the instance ready, skipped or upstream_failed if its rules say so; else it keeps waiting."""
    if verdict.outcome is RuleOutcome.RUN:
        make_ready(context, ti)
    elif verdict.outcome is RuleOutcome.SKIP:
        finish_task_instance(context, ti, Cause.RULE_SKIP, verdict.text)
    elif verdict.outcome is RuleOutcome.UPSTREAM_FAILED:
        finish_task_instance(context, ti, Cause.RULE_UPSTREAM_FAILED, verdict.text)
    elif ti.run.graph.depends_on_previous_run:
        context.startable_dags[ti.run.dag] = None  # the run may be one now that can only wait: `run_preemption.py`


def compute_verdict(ti: TaskInstance) -> Verdict:
    """The verdict of, in this order: a branch that skipped the instance, the trigger rule and the lengths that the task is
    mapped over, the previous run, other DAGs."""
    run = ti.run
    if ti.reason is not None and is_skipped_by_branch(ti):
        verdict = Verdict(RuleOutcome.SKIP, quote(ti.reason))
    else:
        verdict = (
            compute_expansion_verdict(ti)
            if ti.needs_expansion
            else evaluate_trigger_rule(ti.task.trigger_rule, find_tally(ti))
        )
    if verdict.outcome is RuleOutcome.SKIP and ti.task.wait_for_past_depends_before_skipping:
        return decide_skip(verdict, compute_previous_run_verdict(ti))
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
        return Verdict(RuleOutcome.UPSTREAM_FAILED, quote(by_verdict[EdgeVerdict.CANCEL].cancel_reason))
    if EdgeVerdict.WAIT in by_verdict:
        waiting = tuple(edge.describe() for edge in edges if edge.verdict is EdgeVerdict.WAIT)
        return Verdict(RuleOutcome.WAIT, say("waits_for_upstreams", phrases=waiting, more=None))
    return verdict


def is_skipped_by_branch(ti: TaskInstance) -> bool:
    """True when a direct upstream task skipped this instance and its decision is still valid."""
    run = ti.run
    branch_id, map_index = parse_skip_reason(ti.reason) or (None, UNMAPPED)
    if branch_id is None or branch_id not in ti.task.upstream:
        return False
    branch = run.find_task_instance(run.graph.index_of[branch_id], map_index)
    return branch is not None and is_skip_valid(branch.state)


def compute_previous_run_verdict(ti: TaskInstance) -> Verdict:
    """The verdict of `depends_on_past` and `wait_for_downstream`."""
    task = ti.task
    previous_run = None if is_first_of_backfill(ti.run) else find_previous_run(ti.run)
    if previous_run is None:
        return evaluate_previous_run(task, None, None, ())
    index = previous_run.graph.index_of.get(task.task_id)
    previous = None if index is None else _find_previous_instance(previous_run, index)
    is_finished_run = previous_run.record.state in FINISHED_RUN_STATES
    if index is None or (previous is not None and previous.state is None and is_finished_run):
        # A finished run that is read again has the tasks of the present version: this one had no row in it.
        return evaluate_without_previous(task, _name_run(previous_run))
    downstream = [
        (other.task.task_id, other.map_index, other.state)
        for d in previous_run.graph.downstream[index]
        for other in previous_run.task_instances[d].values()
        if other.state is not S.REMOVED
    ]
    return evaluate_previous_run(task, _name_run(previous_run), previous.state if previous else S.SUCCESS, downstream)


def _name_run(run: DagRun) -> RunName:
    return RunName(run.dag.record.dag_id, run.record.run_id)


def _find_previous_instance(run: DagRun, index: int) -> TaskInstance | None:
    """The instance of the task that decides for the next run; None when the run has no instance of it.

    Of a mapped task every instance counts, as in Airflow, because equal map indices of two runs need not mean the same
    element: the first that is neither success nor skipped, else any.
    """
    instances = [ti for ti in run.task_instances[index].values() if ti.state is not S.REMOVED]
    expansion = run.expansions.get(index)
    if expansion is None or expansion.own.success + expansion.own.skipped + expansion.own.removed < expansion.own.total:
        is_finished_run = run.record.state in FINISHED_RUN_STATES
        present = [ti for ti in instances if ti.state is not None or not is_finished_run]
        instances = [ti for ti in present if ti.state not in GOOD_TASK_STATES] or present or instances
    return instances[0] if instances else None


def is_first_of_backfill(run: DagRun) -> bool:
    """True for the run of the first slot of a backfill: it depends on no run before (airflow-surface.md D.6)."""
    return run.backfill is not None and run.record.slot_at == run.backfill.record.first_run_after


def make_ready(context: StepContext, ti: TaskInstance) -> None:
    """The rules let the instance run: a mapped task is expanded; without code it is finished at once, else it is queued for admission.

    Where `task_instance_mutation_hook` has to be asked first, the instance waits for the answer.
    """
    if ti.needs_expansion:
        expand_task(context, ti)
        return
    if not ti.run.graph.spec.mutates_instances:
        if ti.overrides is not None:
            drop_outdated_answer(context, ti)
    elif needs_answer(ti) and (ti.starts_deferred or ti.task.runs_code):
        await_answer(context, ti)
        return
    if ti.starts_deferred:
        _defer_or_enqueue(context, ti)
        return
    if not ti.task.runs_code:
        ti.try_number += 1
        ti.started_at = ti.ended_at = context.now
        finish_task_instance(context, ti, Cause.NOTHING_TO_RUN, None)
        record_asset_events(context, ti)
        return
    enqueue_for_admission(context, ti)


def _defer_or_enqueue(context: StepContext, ti: TaskInstance) -> None:
    """Start with the deferral; queue the instance if its DAG is held, or if its pool has `include_deferred`."""
    if ti.run.dag.hold_reason is not None:
        move_in_queue(ti, QueueCause.DAG_HELD)
        context.newly_ready[ti] = None
    elif context.engine_state.get_pool(ti.target_pool).include_deferred:
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
    ti.pool = ti.target_pool
    context.newly_ready.pop(ti, None)
    begin_deferral(context, ti, ti.task.start_wait, Cause.START_WAIT)
    return deleted_results


def on_instances_mutated(context: StepContext, event: InstancesMutated) -> None:
    """Queue the instances for which `task_instance_mutation_hook` has answered, with the values that it set."""
    for ti in apply_answers(context, event):
        make_ready(context, ti)


def enqueue_for_admission(context: StepContext, ti: TaskInstance) -> None:
    """Add a ready instance to the queue of its pool."""
    ti.pool = ti.target_pool
    move_in_queue(ti, QueueCause.BECOME_READY, context.engine_state.get_pool(ti.pool))
    context.newly_ready[ti] = None
