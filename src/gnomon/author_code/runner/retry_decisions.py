"""Asks the retry policy of a task after a failed try, in the process of the task."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from gnomon.author_code.runner.attempt_results import REASON_MAX, AttemptOutcome
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.authoring.sdk.arguments.retry_policies import RetryAction, RetryDecision
from gnomon.model.attempts import Attempt

log = RunnerLog("gnomon.task")


def apply_retry_policy(
    task: Any, attempt: Attempt, error: BaseException, outcome: AttemptOutcome, context: Any
) -> AttemptOutcome:
    """The outcome of a failed try after the policy of the task was asked; unchanged if it has none or no try is left.

    A policy that raises, or returns something else than a RetryDecision, counts as none, which the log says.
    """
    policy = getattr(task, "retry_policy", None)
    if (
        policy is None
        or outcome.outcome != "failed"
        or not outcome.is_retryable
        or attempt.try_number > attempt.max_tries
    ):
        return outcome
    name = type(policy).__name__
    try:
        decision = policy.evaluate(error, attempt.try_number, attempt.max_tries, context)
    except Exception:
        log.exception("retry_policy: %s.evaluate failed; retries and retry_delay of the task apply", name)
        return outcome
    if not isinstance(decision, RetryDecision):
        log.error(
            "retry_policy: %s.evaluate returned %s; return a RetryDecision. retries and retry_delay of the task apply",
            name,
            type(decision).__name__,
        )
        return outcome
    action: object = decision.action
    if not isinstance(action, RetryAction):
        log.error(
            "retry_policy: %s.evaluate decided %r; return a RetryDecision whose action is a RetryAction. retries and retry_delay of the task apply",
            name,
            action,
        )
        return outcome
    return _apply_decision(outcome, decision, name)


def _apply_decision(outcome: AttemptOutcome, decision: RetryDecision, name: str) -> AttemptOutcome:
    if decision.action is RetryAction.DEFAULT:
        return outcome
    log.info(
        "retry_policy: %s decided %s%s", name, decision.action.value, f": {decision.reason}" if decision.reason else ""
    )
    added = f" (retry_policy: {decision.reason or decision.action.value})"
    reason = f"{outcome.reason or ''}"[: REASON_MAX - len(added)] + added
    if decision.action is RetryAction.FAIL:
        return replace(outcome, reason=reason, is_retryable=False)
    delay = decision.retry_delay
    if delay is not None and not (isinstance(delay, timedelta) and delay >= timedelta()):
        log.error(
            "retry_policy: the retry_delay %r of %s is not a timedelta of 0 or more; the retry_delay of the task applies",
            delay,
            name,
        )
        delay = None
    return replace(outcome, reason=reason, retry_delay_s=None if delay is None else delay.total_seconds())
