"""A run that is ended from outside: by a mark, or by a later run with overlap="cancel_running".

Its tasks are stopped, except teardowns that have something to tear down: the run ends in the state it was given when they have ended. Until then
it stays in its state, and its reason says how it ends (`decide.outcomes.RunStop`). `dagrun_timeout` ends teardowns too, as in Airflow.
"""

from __future__ import annotations

from gnomon.decide.outcomes import RunStop
from gnomon.decide.transitions import Cause
from gnomon.decide.trigger_rules import RuleOutcome
from gnomon.engine.lifecycle.expansions import is_beyond_expansion
from gnomon.engine.lifecycle.task_end import finish_task_instance, is_finished, stop_task_instance, stop_tasks
from gnomon.engine.lifecycle.task_lifecycle import compute_verdict
from gnomon.engine.state.task_instance import DagRun, TaskInstance
from gnomon.engine.step_context import StepContext
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S


def stop_run(context: StepContext, run: DagRun, stop: RunStop) -> bool:
    """Stop the tasks of the run. Returns True if the caller is to end it now, False if teardowns still run.

    With SUCCESS all tasks become success. With FAILED those with a live attempt fail, and waiting tasks are skipped.
    """
    if stop.state is DagRunState.SUCCESS:
        _succeed_tasks(context, run, stop.reason)
    else:
        stop_tasks(context, run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=stop.reason, teardowns=False)
    if not _settle_teardowns(context, run):
        return True
    run.record.reason = stop.reason
    context.mark_run_dirty(run)
    return False


def _succeed_tasks(context: StepContext, run: DagRun, reason: str) -> None:
    """Set all tasks to success. If teardowns are left, a setup that did not begin is skipped: there is nothing to tear down for it."""
    instances = [ti for instances in run.task_instances for ti in instances.values() if not is_beyond_expansion(ti)]
    open_teardowns = {ti for ti in instances if ti.task.is_teardown and not is_finished(ti)}
    for ti in instances:
        if ti.state is S.SUCCESS or ti in open_teardowns:
            continue
        if ti.task.is_setup and open_teardowns:
            if not is_finished(ti):
                stop_task_instance(context, ti, Cause.MARK_SUCCESS if _has_begun(ti) else Cause.MARK_SKIPPED, reason)
        else:
            stop_task_instance(context, ti, Cause.MARK_SUCCESS, reason)


def _has_begun(ti: TaskInstance) -> bool:
    return ti.has_attempt or ti.state in (S.DEFERRED, S.UP_FOR_RESCHEDULE, S.AWAITING_INPUT)


def _settle_teardowns(context: StepContext, run: DagRun) -> bool:
    """Finish the teardowns that have nothing to tear down. Returns whether others are left; all other tasks have ended."""
    are_left = False
    for instances in run.task_instances:
        for ti in list(instances.values()):
            if is_finished(ti):
                continue
            verdict = compute_verdict(ti) if ti.state is None and not ti.is_queued else None
            if verdict is not None and verdict.outcome is RuleOutcome.SKIP:
                finish_task_instance(context, ti, Cause.RULE_SKIP, verdict.reason)
            elif verdict is not None and verdict.outcome is RuleOutcome.UPSTREAM_FAILED:
                finish_task_instance(context, ti, Cause.RULE_UPSTREAM_FAILED, verdict.reason)
            else:
                are_left = True
    return are_left
