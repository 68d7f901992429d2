"""Which answers of people are accepted."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from gnomon.model.hitl import HITLRequest, HITLRespondent, HITLResponse
from gnomon.rules.decide.hitl_rules import find_response_fault, make_timeout_response

ANN = HITLRespondent("1", "ann")
QUESTION = HITLRequest(subject="Deploy?", options=("yes", "no"), params={"n": {"value": 3, "schema": {}}})


@pytest.mark.parametrize(
    ("change", "options", "params", "words"),
    [
        ({}, ("yes",), {"n": 1}, None),
        ({}, (), {"n": 1}, "choose one of the options: 'yes', 'no'"),
        ({}, ("maybe",), {"n": 1}, "has no option 'maybe'; its options: 'yes', 'no'"),
        ({}, ("yes", "no"), {"n": 1}, "choose only one of the options"),
        ({"multiple": True}, ("yes", "no"), {"n": 1}, None),
        ({"multiple": True}, (), {"n": 1}, "choose at least one of the options"),
        ({}, ("yes",), {}, "a value for each of the params 'n', not for none"),
        ({}, ("yes",), {"m": 1, "n": 1}, "not for 'm', 'n'"),
        ({"assigned_users": (ANN,)}, ("yes",), {"n": 1}, None),
        (
            {"assigned_users": (HITLRespondent("9", "ben"),)},
            ("yes",),
            {"n": 1},
            "'ann' may not answer.*assigned to ben",
        ),
    ],
)
def test_an_answer_must_fit_its_question(
    change: dict[str, object], options: tuple[str, ...], params: dict[str, object], words: str | None
) -> None:
    fault = find_response_fault(replace(QUESTION, **change), options, params, ANN)
    assert (fault is None) if words is None else (fault is not None and re.search(words, fault))


def test_an_assigned_user_may_be_named_by_id() -> None:
    question = replace(QUESTION, assigned_users=(HITLRespondent("ann", "Ann Miller"),))
    assert find_response_fault(question, ("yes",), {"n": 1}, HITLRespondent("ann", "ann")) is None


def test_the_defaults_replace_an_answer_that_does_not_come() -> None:
    assert make_timeout_response(QUESTION, 7) == HITLResponse(responded_at=7)
    assert make_timeout_response(replace(QUESTION, defaults=("no",)), 7) == HITLResponse(
        responded_at=7, chosen_options=("no",), params_input={"n": 3}
    )
