"""Facts that rules of alerts must know, recorded in the step that ends a run or a try: only those that a rule asks for.

The monitor reads them and decides; the owner of a DAG evaluates no rule. Nothing is recorded while the DAG is paused, and for a run that
a user marks.
"""

from __future__ import annotations

from gnomon.model.alerts import AlertEvent, AlertFacts, AlertKind
from gnomon.model.ids import UNMAPPED
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.storable_text import escape_unstorable
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext


def record_run_failure(context: StepContext, run: DagRun, reason: str | None) -> None:
    """Record that the run has failed, if a rule asks. `reason`: that of the context of callbacks; None: a user marked the run."""
    if reason is None or run.record.state is not DagRunState.FAILED or not _is_wanted(context, run, AlertKind.FAILURE):
        return
    facts = AlertFacts(reason=_to_storable(run.record.reason or reason), clear_number=run.record.clear_number)
    context.changes.alert_events.append(
        AlertEvent(AlertKind.FAILURE, context.now, run.record.dag_pk, run.pk, None, UNMAPPED, facts)
    )


def record_try_failure(context: StepContext, ti: TaskInstance, reason: str | None) -> None:
    """Record that a try of the instance has failed, if a rule asks: as a retry, or as a failure of the task."""
    kind = AlertKind.RETRY if ti.state is S.UP_FOR_RETRY else AlertKind.TASK_FAILURE
    run = ti.run
    if not _is_wanted(context, run, kind):
        return
    facts = AlertFacts(
        reason=_to_storable(reason),
        clear_number=run.record.clear_number,
        task_id=ti.task.task_id,
        try_number=ti.try_number,
        max_tries=ti.max_tries,
        retry_at=ti.resume_at,
    )
    number = run.graph.numbers[ti.index]
    context.changes.alert_events.append(
        AlertEvent(kind, context.now, run.record.dag_pk, run.pk, number, ti.map_index, facts)
    )


def _is_wanted(context: StepContext, run: DagRun, kind: AlertKind) -> bool:
    if kind not in context.engine_state.limits.alert_kinds and not any(
        rule.when == kind for rule in run.graph.spec.alerts
    ):
        return False
    return not run.dag.record.paused


def _to_storable(reason: str | None) -> str | None:
    return None if reason is None else escape_unstorable(reason)
