"""Retry policies and their rules."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gnomon.operators.empty import EmptyOperator
from gnomon.sdk import DAG
from gnomon.sdk.arguments.retry_policies import ExceptionRetryPolicy, RetryAction, RetryDecision, RetryRule

POLICY = ExceptionRetryPolicy(
    [
        RetryRule(ConnectionResetError, RetryAction.FAIL, match_subclasses=False),
        RetryRule(["builtins.TimeoutError", ConnectionError], retry_delay=timedelta(seconds=7), reason="busy"),
        RetryRule("no.such.Error", RetryAction.FAIL),
    ],
    default=RetryAction.FAIL,
)


@pytest.mark.parametrize(
    ("error", "decision"),
    [
        (ConnectionResetError(), RetryDecision(RetryAction.FAIL, None, "Matched rule for ConnectionResetError")),
        (ConnectionRefusedError(), RetryDecision.retry(timedelta(seconds=7), "busy")),
        (TimeoutError(), RetryDecision.retry(timedelta(seconds=7), "busy")),
        (ValueError(), RetryDecision.fail()),
    ],
)
def test_the_first_rule_that_matches_decides(error: Exception, decision: RetryDecision) -> None:
    assert POLICY.evaluate(error, 1, 3) == decision
    assert ExceptionRetryPolicy.deserialize(POLICY.serialize()).evaluate(error, 1, 3) == decision


def test_a_text_that_is_no_import_path_is_refused() -> None:
    with pytest.raises(ValueError, match="exception 'ValueError' is not an import path; write for example 'builtins.ValueError'"):
        RetryRule("ValueError")


def test_an_action_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match=r"RetryRule: action is 'retry', not a RetryAction; give RetryAction\.RETRY"):
        RetryRule(ValueError, "retry")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"ExceptionRetryPolicy: default is 'fail', not a RetryAction"):
        ExceptionRetryPolicy([], default="fail")  # type: ignore[arg-type]


def test_a_task_takes_a_policy_and_nothing_else() -> None:
    with DAG("d", schedule=None):
        assert EmptyOperator(task_id="a", retry_policy=POLICY).retry_policy is POLICY
        with pytest.raises(TypeError, match="retry_policy is int, not a RetryPolicy; give an object of ExceptionRetryPolicy"):
            EmptyOperator(task_id="b", retry_policy=3)
