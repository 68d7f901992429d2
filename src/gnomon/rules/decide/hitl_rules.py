"""Which answers to a question of a task are accepted, and what replaces the answer when the time is over."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gnomon.model.hitl import HITLRequest, HITLRespondent, HITLResponse
from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say


def find_respondent_fault(request: HITLRequest, respondent: HITLRespondent) -> str | None:
    """Return why this person may not answer; None for one who may."""
    assigned = request.assigned_users
    if assigned and not any(respondent.id == user.id or respondent.name in (user.id, user.name) for user in assigned):
        names = ", ".join(sorted(user.name for user in assigned))
        return render(say("person_may_not_answer", name=respondent.name, names=names))
    return None


def find_response_fault(
    request: HITLRequest,
    chosen_options: Collection[str],
    params_input: Mapping[str, object],
    respondent: HITLRespondent,
) -> str | None:
    """Return why the answer is refused, with the remedy; None for an answer that is accepted."""
    refusal = find_respondent_fault(request, respondent)
    if refusal is not None:
        return refusal
    if not chosen_options:
        return render(say("choose_options" if request.multiple else "choose_an_option", options=_list(request.options)))
    unknown = [option for option in chosen_options if option not in request.options]
    if unknown:
        return render(say("question_has_no_option", names=_list(unknown), options=_list(request.options)))
    if len(chosen_options) > 1 and not request.multiple:
        return render(say("choose_only_one_option", options=_list(request.options)))
    if set(params_input) != set(request.params):
        options, names = _list(request.params) or "none", _list(params_input) or "none"
        return render(say("params_do_not_match", options=options, names=names))
    return None


def make_timeout_response(request: HITLRequest, now: Instant) -> HITLResponse:
    """Return the response that the task gets when the time is over: the defaults, or no option."""
    if request.defaults is None:
        return HITLResponse(responded_at=now)
    return HITLResponse(responded_at=now, chosen_options=request.defaults, params_input=list_param_defaults(request))


def list_param_defaults(request: HITLRequest) -> dict[str, object]:
    """Return name to default value of the params that have one."""
    return {name: param["value"] for name, param in request.params.items() if "value" in param}


def _list(names: Collection[str]) -> str:
    return ", ".join(map(repr, names))
