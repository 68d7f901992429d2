"""The outcome of an attempt from the exception of its task (a table: the first class that fits decides), and its XComs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gnomon.authoring.sdk.runtime.xcom import encode_xcom
from gnomon.authoring.sdk.templating.template_notes import TEMPLATE_NOTE
from gnomon.ground.log.secret_masks import hide
from gnomon.model.attempts import Attempt, AttemptResult, xcom_fault
from gnomon.model.deferral import Deferral
from gnomon.model.errors.authoring import (
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
    AirflowTaskTerminated,
    AirflowTaskTimeout,
    DeferralRefused,
    DownstreamTasksSkipped,
    XComOverLimit,
)
from gnomon.model.errors.error_text import class_name, error_text, safe_repr
from gnomon.model.instants import Instant, to_instant
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable
from gnomon.model.xcom_keys import XCOM_RETURN_KEY

REASON_MAX = 1000
"""Characters of a reason; the log has the complete text."""


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """How an attempt ended, before its XComs are added."""

    outcome: str
    reason: str | None = None
    is_retryable: bool = True
    resume_at: Instant | None = None
    skip_task_ids: tuple[str, ...] = field(default=())
    wait: Deferral | None = None
    retry_delay_s: float | None = None
    """The delay before the next try, decided by a retry policy."""
    logs_traceback: bool = True
    """True when the log shows the traceback."""


def classify_exception(error: BaseException) -> AttemptOutcome:
    """The outcome of an attempt whose task raised this exception."""
    for kind, rule in _RULES:
        if issubclass(type(error), kind):
            return _apply_rule(rule, error)
    return AttemptOutcome("failed", error_line(error))


def _apply_rule(rule: Callable[[Any], AttemptOutcome], error: BaseException) -> AttemptOutcome:
    """The outcome by the rule; failed when an attribute of the error, which the author's class may define, is not what the rule needs."""
    try:
        return rule(error)
    except BaseException as failure:  # the edge of author code
        return AttemptOutcome(
            "failed", f"{error_line(error)} (its attributes cannot be read: {error_line(failure)})"[:REASON_MAX]
        )


def error_line(error: BaseException) -> str:
    """`ValueError: text`: the class of the error and the first line of its text, and of an error in a template which one.

    Cannot fail; secrets are hidden before the text is cut.
    """
    lines = _shown_text(error).splitlines()
    name = class_name(error)
    place = _find_template_note(error)
    return (f"{name}: {lines[0]}" if lines else name)[: REASON_MAX - len(place)] + place


def _find_template_note(error: BaseException) -> str:
    """` (while rendering ...)` for an error in a template, else empty."""
    try:
        notes = [
            note for note in getattr(error, "__notes__", ()) if type(note) is str and note.startswith(TEMPLATE_NOTE)
        ]
    except BaseException:  # the edge of author code
        return ""
    return f" ({escape_unstorable(hide(notes[-1][0].lower() + notes[-1][1:]))[:_PLACE_MAX]})" if notes else ""


_PLACE_MAX = 400


def _shown_text(error: BaseException) -> str:
    """The text without secrets, and without what cannot be sent or stored."""
    return escape_unstorable(hide(error_text(error))).strip()


def _skip_outcome(error: Any) -> AttemptOutcome:
    return AttemptOutcome("skipped", _shown_text(error)[:REASON_MAX] or None, logs_traceback=False)


def _final_failure(error: Any) -> AttemptOutcome:
    return AttemptOutcome("failed", error_line(error), is_retryable=False)


def _reschedule_outcome(error: Any) -> AttemptOutcome:
    return AttemptOutcome("up_for_reschedule", None, resume_at=to_instant(error.reschedule_date), logs_traceback=False)


def _skip_downstream_outcome(error: Any) -> AttemptOutcome:
    ids = tuple(dict.fromkeys(task if isinstance(task, str) else task[0] for task in error.tasks))
    return AttemptOutcome("success", skip_task_ids=ids, logs_traceback=False)


def _exit_outcome(error: Any) -> AttemptOutcome:
    code = error.code
    shown = (
        "0"
        if code is None
        else error_text(code)
        if isinstance(code, int)
        else escape_unstorable(hide(safe_repr(code)))[: REASON_MAX // 2]
    )
    return AttemptOutcome("failed", render(say("task_called_exit", text=shown)))


def deferred_outcome(wait: Deferral) -> AttemptOutcome:
    """The outcome of an attempt that waits without a process."""
    return AttemptOutcome("deferred", wait=wait, logs_traceback=False)


def _refused_deferral_outcome(error: Any) -> AttemptOutcome:
    return AttemptOutcome("failed", _shown_text(error)[:REASON_MAX], is_retryable=False, logs_traceback=False)


def _over_limit(error: Any) -> AttemptOutcome:
    return AttemptOutcome("failed", _shown_text(error)[:REASON_MAX], is_retryable=False)


def awaiting_input_outcome(wait: Deferral) -> AttemptOutcome:
    """The outcome of an attempt whose task waits for a person."""
    return AttemptOutcome("awaiting_input", wait=wait, logs_traceback=False)


_RULES = (
    (AirflowSkipException, _skip_outcome),
    (DownstreamTasksSkipped, _skip_downstream_outcome),
    (AirflowRescheduleException, _reschedule_outcome),
    (AirflowFailException, _final_failure),
    (AirflowSensorTimeout, _final_failure),
    (DeferralRefused, _refused_deferral_outcome),
    (XComOverLimit, _over_limit),
    (AirflowTaskTimeout, lambda error: AttemptOutcome("failed", error_line(error))),
    (AirflowTaskTerminated, lambda error: AttemptOutcome("failed", error_line(error))),
    (SystemExit, _exit_outcome),
)


def result_without_run(
    attempt: Attempt,
    outcome: str,
    reason: str,
    *,
    entered: bool,
    exit_code: int | None = None,
    started_at: Instant | None = None,
    ended_at: Instant | None = None,
) -> AttemptResult:
    """The result of an attempt that ended outside the code of its task."""
    return AttemptResult(
        attempt_id=attempt.attempt_id,
        group_no=attempt.group_no,
        run_pk=attempt.run.run_pk,
        task_no=attempt.task_no,
        map_index=attempt.map_index,
        outcome=outcome,
        reason=reason,
        entered=entered,
        exit_code=exit_code,
        started_at=started_at,
        ended_at=ended_at,
    )


def collect_return_xcoms(task: Any, result: object) -> dict[str, str]:
    """The XComs of a returned value, by key: each output of a task with `multiple_outputs`, then the value itself.

    Raises NotSerializable and XComOverLimit, which name the key, and TypeError when a task with `multiple_outputs` returned
    something other than a dict with text keys.
    """
    if result is None or not getattr(task, "do_xcom_push", True):
        return {}
    values = {
        **(_split_outputs(task, result) if getattr(task, "multiple_outputs", False) else {}),
        XCOM_RETURN_KEY: result,
    }
    return {key: _encoded(value, key, f"XCom {key!r} of task {task.task_id!r}") for key, value in values.items()}


def _encoded(value: object, key: str, what: str) -> str:
    text = encode_xcom(value, what=what, key=key)
    fault = xcom_fault(what, key, text)
    if fault is not None:
        raise XComOverLimit(fault)
    return text


def _split_outputs(task: Any, result: object) -> dict[str, object]:
    if not isinstance(result, Mapping):
        raise TypeError(
            f"task {task.task_id!r} has multiple_outputs=True and returned a {type(result).__name__}; return a dict"
        )
    for key in result:
        if not isinstance(key, str):
            raise TypeError(
                f"task {task.task_id!r} has multiple_outputs=True and returned the key {key!r}; use text as keys"
            )
    return dict(result)
