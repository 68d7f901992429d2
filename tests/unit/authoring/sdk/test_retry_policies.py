"""Retry policies and their rules."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.arguments.retry_policies import (
    ChainRetryPolicy,
    ExceptionRetryPolicy,
    RetryAction,
    RetryDecision,
    RetryPolicy,
    RetryRule,
)

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
    with pytest.raises(
        ValueError, match="exception 'ValueError' is not an import path; write for example 'builtins.ValueError'"
    ):
        RetryRule("ValueError")


def test_an_action_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match=r"RetryRule: action is 'retry', not a RetryAction; give RetryAction\.RETRY"):
        RetryRule(ValueError, "retry")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"ExceptionRetryPolicy: default is 'fail', not a RetryAction"):
        ExceptionRetryPolicy([], default="fail")  # type: ignore[arg-type]


def test_a_task_takes_a_policy_and_nothing_else() -> None:
    with DAG("d", schedule=None):
        assert EmptyOperator(task_id="a", retry_policy=POLICY).retry_policy is POLICY
        with pytest.raises(
            TypeError, match="retry_policy is int, not a RetryPolicy; give an object of ExceptionRetryPolicy"
        ):
            EmptyOperator(task_id="b", retry_policy=3)


class Raising(RetryPolicy):
    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        raise OSError("no answer")


class Wrong(RetryPolicy):
    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        return "retry"  # type: ignore[return-value]


UNDECIDED = ExceptionRetryPolicy([])


def test_in_a_chain_the_first_decision_counts_and_names_what_was_asked_before(caplog: pytest.LogCaptureFixture) -> None:
    chain = ChainRetryPolicy([Raising(), Wrong(), UNDECIDED, POLICY, ExceptionRetryPolicy([], RetryAction.RETRY)])
    assert chain.evaluate(TimeoutError(), 1, 3) == RetryDecision.retry(
        timedelta(seconds=7),
        "ExceptionRetryPolicy: busy (after Raising: raised OSError; Wrong: invalid decision; ExceptionRetryPolicy: no decision)",
    )
    assert [record.getMessage() for record in caplog.records] == [
        "Raising raised an exception, so the next policy decides",
        "Wrong returned 'retry', not a RetryDecision, so the next policy decides",
    ]


def test_a_chain_in_which_no_policy_decides_leaves_the_retries_to_the_task() -> None:
    decision = ChainRetryPolicy((UNDECIDED, UNDECIDED)).evaluate(ValueError(), 1, 3)
    assert decision == RetryDecision(
        reason="no policy decided (ExceptionRetryPolicy: no decision; ExceptionRetryPolicy: no decision)"
    )


@pytest.mark.parametrize(
    ("policies", "error", "message"),
    [
        (POLICY, TypeError, "policies is one ExceptionRetryPolicy; give a list of policies"),
        ([], ValueError, "policies is empty; give at least one policy"),
        ([POLICY, 7], TypeError, r"policies\[1\] is int, not a RetryPolicy"),
    ],
)
def test_a_chain_of_something_else_is_refused(policies: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ChainRetryPolicy(policies)
