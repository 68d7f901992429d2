"""A run that can only wait for an earlier run returns to the queue when its place is needed by an earlier run.

Without this, a cleared run and a later run whose tasks depend on it would block each other under `max_active_runs`: the later
run would keep its place until the earlier run has ended, and the earlier run would wait for a place (airflow-surface.md I, 14).
The limit is never exceeded. A run gives its place to earlier runs alone, so that two runs cannot exchange their places for ever.
"""

from __future__ import annotations

from gnomon.model.sentences import render, say
from gnomon.model.states import DagRunState
from gnomon.rules.decide.trigger_rules import RuleOutcome
from gnomon.rules.engine.lifecycle.deadlines import set_deadline_timers
from gnomon.rules.engine.lifecycle.expansion_loading import undo_literal_expansions
from gnomon.rules.engine.lifecycle.task_end import is_finished
from gnomon.rules.engine.lifecycle.task_lifecycle import compute_previous_run_verdict
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext


def preempt_later_run(context: StepContext, run: DagRun) -> bool:
    """Queue the newest of the later runs again that can only wait; False if there is none, or no task depends on the previous run.

    `run`: the next queued run, for which its limit has no room.
    """
    if not run.graph.depends_on_previous_run or (run.backfill is not None and run.backfill.record.runs_backwards):
        return False
    running = run.dag.running_runs if run.backfill is None else run.backfill.running_runs
    later = [other for other in (run.dag.runs[run_pk] for run_pk in running) if other.sort_key > run.sort_key]
    for other in sorted(later, key=lambda other: other.sort_key, reverse=True):
        if can_only_wait(other):
            _queue_again(context, other, render(say("earlier_run_needed_place", run=run.record.run_id)))
            return True
    return False


def can_only_wait(run: DagRun) -> bool:
    """True for a running run of which nothing is under way, and a task waits for the previous run."""
    if run.active_tasks_limit.used:
        return False
    dependent: list[TaskInstance] = []
    for instances in run.task_instances:
        open_instances = [ti for ti in instances.values() if not is_finished(ti)]
        if any(ti.state is not None or ti.is_queued for ti in open_instances):
            return False
        dependent += filter(
            _depends_on_previous_run, open_instances[:1]
        )  # the verdict is the same for all instances of a task
    return any(compute_previous_run_verdict(ti).outcome is RuleOutcome.WAIT for ti in dependent)


def _depends_on_previous_run(ti: TaskInstance) -> bool:
    return ti.task.depends_on_past or ti.task.wait_for_downstream


def _queue_again(context: StepContext, run: DagRun, reason: str) -> None:
    """Set a running run to queued; its finished tasks stay as they are, and `dagrun_timeout` counts from its next start."""
    run.dag.count_running(run, -1)
    run.record.started_at = None
    context.set_run_state(run, DagRunState.QUEUED)
    undo_literal_expansions(context, run)
    set_deadline_timers(context.engine_state, run)
    run.dag.enqueue_run(run)
    context.add_audit_event("run_requeued", run=run, body=reason)
