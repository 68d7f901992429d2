"""What an exception out of a task means: a table, the first class that fits decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gnomon.errors.authoring import (
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
    AirflowTaskTerminated,
    AirflowTaskTimeout,
    DeferralRefused,
    DownstreamTasksSkipped,
    TaskAwaitingInput,
    XComOverLimit,
)
from gnomon.model.deferral import Wait
from gnomon.model.instants import Instant, to_instant

REASON_MAX = 1000
"""Characters; the log has the whole story."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How an attempt ended, before its XComs are added."""

    outcome: str
    reason: str | None = None
    retryable: bool = True
    resume_at: Instant | None = None
    skip_task_ids: tuple[str, ...] = field(default=())
    wait: Wait | None = None
    traceback: bool = True
    """Whether the log wants the traceback."""


def judge(error: BaseException) -> Judged:
    """The outcome of an attempt that raised this."""
    for kind, rule in _RULES:
        if isinstance(error, kind):
            return rule(error)
    return Judged("failed", one_line(error))


def one_line(error: BaseException) -> str:
    """`ValueError: what it said`, the first line of it."""
    words = str(error).strip().splitlines()
    name = type(error).__name__
    return (f"{name}: {words[0]}" if words else name)[:REASON_MAX]


def _skipped(error: Any) -> Judged:
    return Judged("skipped", str(error).strip()[:REASON_MAX] or None, traceback=False)


def _no_more_tries(error: Any) -> Judged:
    return Judged("failed", one_line(error), retryable=False)


def _rescheduled(error: Any) -> Judged:
    return Judged("up_for_reschedule", None, resume_at=to_instant(error.reschedule_date), traceback=False)


def _skips_others(error: Any) -> Judged:
    ids = tuple(dict.fromkeys(task if isinstance(task, str) else task[0] for task in error.tasks))
    return Judged("success", skip_task_ids=ids, traceback=False)


def _exited(error: Any) -> Judged:
    code = error.code
    shown = "0" if code is None else str(code) if isinstance(code, int) else repr(code)
    return Judged("failed", f"called sys.exit({shown}); return from the task instead, or raise AirflowFailException")


def _not_yet(what: str, remedy: str) -> Judged:
    return Judged("failed", f"{what} is not available in this version; {remedy}", retryable=False)


def deferred(wait: Wait) -> Judged:
    """The attempt waits for that, without a process."""
    return Judged("deferred", wait=wait, traceback=False)


def _refused(error: Any) -> Judged:
    return Judged("failed", str(error).strip()[:REASON_MAX], retryable=False, traceback=False)


def _over_limit(error: Any) -> Judged:
    return Judged("failed", str(error)[:REASON_MAX], retryable=False)


def _awaiting(_error: Any) -> Judged:
    return _not_yet("waiting for a person (TaskAwaitingInput)", "trigger a second DAG by hand instead")


_RULES = (
    (AirflowSkipException, _skipped),
    (DownstreamTasksSkipped, _skips_others),
    (AirflowRescheduleException, _rescheduled),
    (AirflowFailException, _no_more_tries),
    (AirflowSensorTimeout, _no_more_tries),
    (DeferralRefused, _refused),
    (XComOverLimit, _over_limit),
    (TaskAwaitingInput, _awaiting),
    (AirflowTaskTimeout, lambda error: Judged("failed", one_line(error))),
    (AirflowTaskTerminated, lambda error: Judged("failed", one_line(error))),
    (SystemExit, _exited),
)
