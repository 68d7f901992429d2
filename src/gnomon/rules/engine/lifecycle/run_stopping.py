"""A run that is ended from outside: by a mark, or by a later run with overlap="cancel_running".

Its tasks are stopped, except teardowns that have something to tear down: the run ends in the state it was given when they have ended. Until then
it stays in its state, and its reason says how it ends (`decide.outcomes.RunStop`). `dagrun_timeout` ends teardowns too, as in Airflow.
"""

from __future__ import annotations

from gnomon.model.states import BEGUN_STATES
from gnomon.rules.decide.outcomes import RunStop
from gnomon.rules.decide.transitions import Cause
from gnomon.rules.decide.trigger_rules import RuleOutcome
from gnomon.rules.engine.lifecycle.task_end import finish_task_instance, is_finished, stop_task_instance
from gnomon.rules.engine.lifecycle.task_lifecycle import compute_verdict
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step_context import StepContext


def stop_run(context: StepContext, run: DagRun, stop: RunStop, *, live: Cause) -> bool:
    """Stop the tasks of the run. Returns True if the caller is to end it now, False if teardowns still run.

    `live`: the cause for tasks that have begun; all others are skipped.
    """
    for instances in run.task_instances:
        for ti in instances.values():
            if not is_finished(ti) and not ti.task.is_teardown:
                has_begun = ti.has_attempt or ti.state in BEGUN_STATES
                stop_task_instance(context, ti, live if has_begun else Cause.MARK_SKIPPED, stop.reason)
    if not _settle_teardowns(context, run):
        return True
    run.record.reason = stop.reason
    context.mark_run_dirty(run)
    return False


def _settle_teardowns(context: StepContext, run: DagRun) -> bool:
    """Finish the teardowns that have nothing to tear down. Returns whether others are left; all other tasks have ended."""
    are_left = False
    for instances in run.task_instances:
        for ti in list(instances.values()):
            if is_finished(ti):
                continue
            verdict = compute_verdict(ti) if ti.state is None and not ti.is_queued else None
            if verdict is not None and verdict.outcome is RuleOutcome.SKIP:
                finish_task_instance(context, ti, Cause.RULE_SKIP, verdict.text)
            elif verdict is not None and verdict.outcome is RuleOutcome.UPSTREAM_FAILED:
                finish_task_instance(context, ti, Cause.RULE_UPSTREAM_FAILED, verdict.text)
            else:
                are_left = True
    return are_left
