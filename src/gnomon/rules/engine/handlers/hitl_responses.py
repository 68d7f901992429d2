"""Human in the loop: the answer of a person to a waiting task. `trigger_events` applies what replaces it when the time is over."""

from __future__ import annotations

import json

from gnomon.model.deferral import DeferralResult
from gnomon.model.hitl import HITLResponse
from gnomon.model.sentences import render, say
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.hitl_rules import find_response_fault
from gnomon.rules.engine.events import HITLAnswered
from gnomon.rules.engine.handlers.trigger_events import end_deferral
from gnomon.rules.engine.lifecycle.deferrals import record_hitl_response
from gnomon.rules.engine.state.task_instance import TaskInstance
from gnomon.rules.engine.step_context import StepContext


def answer_hitl(context: StepContext, event: HITLAnswered) -> None:
    """Resume the waiting task instance with the answer, or refuse the answer with the reason."""
    run = context.engine_state.runs.get(event.key.run_pk)
    index = None if run is None else run.graph.index_of_number.get(event.key.task_no)
    ti = None if run is None or index is None else run.find_task_instance(index, event.key.map_index)
    fault = render(say("run_of_question_is_gone")) if ti is None else _find_fault(ti, event)
    if ti is None or fault is not None:
        context.changes.answers.append((event.request_pk, "refused", json.dumps({"error": fault})))
        return
    context.current_dag = ti.run.dag
    deferral = ti.deferral
    assert deferral is not None
    response = HITLResponse(
        responded_at=context.now,
        chosen_options=event.chosen_options,
        params_input=event.params_input,
        responded_by=event.respondent,
    )
    record_hitl_response(context, deferral, response)
    context.add_audit_event(
        "answered", ti=ti, by=event.by or event.respondent.name, body=_describe(event), address=event.address
    )
    end_deferral(context, ti, deferral, DeferralResult(outcome="event", response=response))
    context.result.touched_groups.add(ti.run.dag.record.group_no)
    context.changes.answers.append((event.request_pk, "done", json.dumps({"answered": ti.name()})))


def _describe(event: HITLAnswered) -> str:
    """The chosen options; with the respondent where another user has sent the answer."""
    chosen, name = ", ".join(event.chosen_options), event.respondent.name
    return chosen if event.by is None or event.by.partition(":")[2] in ("", name) else f"{chosen} (for {name})"


def _find_fault(ti: TaskInstance, event: HITLAnswered) -> str | None:
    deferral = ti.deferral
    if (
        ti.state is not S.AWAITING_INPUT
        or deferral is None
        or deferral.result is not None
        or deferral.request.hitl is None
    ):
        if ti.state is None:
            return render(say("task_without_state_asks_nothing", task_id=ti.name()))
        return render(say("task_in_state_asks_nothing", task_id=ti.name(), state=ti.state))
    return find_response_fault(deferral.request.hitl, event.chosen_options, event.params_input, event.respondent)
