"""Checks of what the process of an attempt reports, before it is mail or reaches the engine.

The process runs code of an author, who can write any message, and a remote worker is another machine. A result with a value that no database holds, or that
no reader understands, becomes a failed result whose reason names the field. `CHECKS` has a row for each field: a field without a row fails a test.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gnomon.model.asset_watchers import WatcherEvent
from gnomon.model.assets import AssetEmission, AssetKey
from gnomon.model.attempts import Attempt, AttemptResult, XComItem, xcom_excess, xcom_fault
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.hitl import HITLRequest, HITLRespondent
from gnomon.model.instants import EARLIEST, LATEST
from gnomon.model.json_text import find_json_text_fault
from gnomon.model.json_value import find_json_fault
from gnomon.model.message_bounds import find_message_fault
from gnomon.model.records import HAS_VALUE
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable, find_unstorable

OUTCOMES = frozenset({"success", "failed", "skipped", "up_for_reschedule", "deferred", "awaiting_input", "lost"})
"""The outcomes that the engine handles."""
INTEGER_MAX = 2**31 - 1
"""The largest number of an INTEGER column of PostgreSQL."""
REASON_MAX = 4_000
"""Characters of a reason that are stored; a process that follows the rules sends fewer."""
TRACEBACK_MAX = 200_000
"""Characters of a traceback that are stored."""
NAME_MAX = 1_500
"""Characters of a name (a method, a queue, an asset and its URI) in a report; assets may have as many."""
TEXTS_MAX = 100_000
"""Names in one list of a report."""
IDENTITY = ("attempt_id", "group_no", "run_pk", "task_no", "map_index")
"""The fields that say whose result it is: every receiver compares them with the attempt that it knows."""
Check = Callable[[Any], str | None]
"""Why the value cannot be stored, as the end of the sentence "<field> ..."; None: it can."""


def check_result(result: AttemptResult, *, reads_values: bool = False) -> AttemptResult:
    """The result as the engine and the store can hold it: one with a fault becomes a failure whose reason names the field.

    `reads_values`: the values of XComs and rendered fields are read too, which takes time in proportion to their length.
    """
    if not reads_values and _is_plain(result):
        return result
    for (name, check), value in zip(_CHECKED_FIELDS, _read_checked_fields(result), strict=True):
        if value is not None and value != () and (fault := check(value)) is not None:
            return fail_result(result, _describe(name, fault))
    if result.asset_events and (excess := _find_extra_excess(result.asset_events)) is not None:
        return fail_result(result, excess)
    if reads_values and (unreadable := _find_unreadable_value(result)) is not None:
        return fail_result(result, unreadable)
    return _escape_texts(result)


def _is_plain(result: AttemptResult) -> bool:
    """True for a result without anything that an author could have written, as most are: only its instants and a length are looked at."""
    return (
        _read_unplain_fields(result) == _PLAIN_VALUES
        and result.outcome in OUTCOMES
        and (result.started_at is None or 0 <= result.started_at <= LATEST)
        and (result.ended_at is None or 0 <= result.ended_at <= LATEST)
        and (result.return_length is None or HAS_VALUE <= result.return_length <= INTEGER_MAX)
    )


def fail_result(result: AttemptResult, reason: str) -> AttemptResult:
    """A failure of the same try that keeps only what can be stored; a further try follows if the task has one left, as after any failure."""
    kept_fields = {
        name: value
        for name in ("started_at", "ended_at", "exit_code")
        if (value := getattr(result, name)) is not None and CHECKS[AttemptResult][name](value) is None
    }
    return AttemptResult(
        attempt_id=result.attempt_id,
        group_no=result.group_no,
        run_pk=result.run_pk,
        task_no=result.task_no,
        map_index=result.map_index,
        outcome="failed",
        callbacks_called=result.callbacks_called,
        entered=result.entered,
        reason=_to_reason(reason),
        **kept_fields,
    )


def confirm_identity(result: AttemptResult, attempt: Attempt) -> AttemptResult:
    """The result if it names this attempt, else a failure of this attempt: its process may not report another one."""
    place = (attempt.attempt_id, attempt.group_no, attempt.run.run_pk, attempt.task_no, attempt.map_index)
    if (result.attempt_id, result.group_no, result.run_pk, result.task_no, result.map_index) == place:
        return result
    own = replace(result, attempt_id=place[0], group_no=place[1], run_pk=place[2], task_no=place[3], map_index=place[4])
    return fail_result(own, render(say("result_of_other_attempt")))


DEFERRAL_OUTCOMES = frozenset({"event", "success", "failed", "skipped", "error", "timeout"})
"""The outcomes of a deferral."""


def check_deferral_result(result: DeferralResult) -> DeferralResult:
    """What a process of triggers reports, as the owner can apply it: one with a fault becomes an error whose reason names the field."""
    fault = _find_deferral_fault(result)
    if fault is not None:
        return DeferralResult(
            outcome="error",
            reason=_to_reason(render(say("result_of_trigger_cannot_be_held", fault=fault))),
        )
    reason, traceback = result.reason, result.traceback
    reason, traceback = (
        None if reason is None else _to_reason(reason),
        None if traceback is None else escape_unstorable(traceback)[:TRACEBACK_MAX],
    )
    return (
        result
        if (reason, traceback) == (result.reason, result.traceback)
        else replace(result, reason=reason, traceback=traceback)
    )


def _find_deferral_fault(result: DeferralResult) -> str | None:
    if result.outcome not in DEFERRAL_OUTCOMES:
        return f"outcome is {escape_unstorable(result.outcome[:60])!r}, which this release does not support"
    if result.due_at is not None or result.response is not None:
        return f"{'due_at' if result.due_at is not None else 'response'} is set, which only a timer or a person gives"
    if (excess := xcom_excess("the payload", result.payload)) is not None:
        return excess
    if (fault := find_json_text_fault(result.payload)) is not None:
        return f"payload is not JSON: {fault}"
    for key, value in result.xcoms.items():
        if (fault := xcom_fault(f"XCom {key!r}", key, value)) is not None:
            return fault
        if (fault := find_json_text_fault(value)) is not None:
            return f"the value of XCom {key!r} is not JSON: {fault}"
    return None


def find_watcher_event_fault(event: WatcherEvent) -> str | None:
    """Why the event of a watcher cannot be stored, with the name of its field; None: it can."""
    if (fault := find_message_fault(event)) is not None:
        return fault
    if (fault := find_json_text_fault(event.payload)) is not None:
        return f"payload is not JSON: {fault}"
    return xcom_excess("the payload", event.payload)


def is_entry_instant(at: int) -> bool:
    """Whether the instant can be that at which author code was entered."""
    return 0 <= at <= LATEST


def _describe(name: str, fault: str) -> str:
    """A sentence for the reason; the fault of an XCom is one already, which names its key."""
    if name == "xcoms":
        return fault
    fault = name + (fault if fault.startswith(".") else f" {fault}")
    return render(say("result_of_task_cannot_be_held", fault=fault))


def _to_reason(text: str) -> str:
    text = escape_unstorable(text)
    return text if len(text) <= REASON_MAX else f"{text[: REASON_MAX - 1]}…"


def _escape_texts(result: AttemptResult) -> AttemptResult:
    """Texts for people with escapes; the result itself if it has nothing to escape, as almost every one."""
    if result.reason is None and result.fresh_reason is None and result.wait is None:
        return result
    changed: dict[str, Any] = {}
    for name in ("reason", "fresh_reason"):
        text = getattr(result, name)
        if text is not None and (escaped := _to_reason(text)) != text:
            changed[name] = escaped
    question = None if result.wait is None else result.wait.hitl
    if result.wait is not None and question is not None:
        subject, body = (
            escape_unstorable(question.subject),
            None if question.body is None else escape_unstorable(question.body),
        )
        if (subject, body) != (question.subject, question.body):
            changed["wait"] = replace(result.wait, hitl=replace(question, subject=subject, body=body))
    return replace(result, **changed) if changed else result


def _find_unreadable_value(result: AttemptResult) -> str | None:
    for item in result.xcoms:
        if (fault := find_json_text_fault(item.value)) is not None:
            return f"the value of XCom {item.key!r} is not JSON: {fault}"
    if result.rendered_fields is not None:
        if (fault := find_json_text_fault(result.rendered_fields)) is not None:
            return _describe("rendered_fields", f"is not JSON: {fault}")
        if not result.rendered_fields.lstrip().startswith("{"):
            return _describe("rendered_fields", "is not a JSON object")
    if result.wait is not None:
        for name in ("kwargs", "next_kwargs"):
            if (fault := find_json_text_fault(getattr(result.wait, name))) is not None:
                return _describe(f"wait.{name}", f"is not JSON: {fault}")
    return None


# ---- checks of one value ---------------------------------------------------------------------------------------------
def _any(_value: object) -> None:
    return None


def _integer(low: int, high: int) -> Check:
    def check(value: int) -> str | None:
        return None if low <= value <= high else f"is {_show(value)}, and must be from {low} to {high}"

    return check


def _show(value: int) -> str:
    return str(value) if abs(value) < 2**70 else "a larger number"


def _finite(value: float) -> str | None:
    return None if math.isfinite(value) else f"is {value}, and must be a finite number"


def _outcome(value: str) -> str | None:
    return None if value in OUTCOMES else f"is {escape_unstorable(value[:60])!r}, which this release does not support"


def _name(value: str) -> str | None:
    if len(value) > NAME_MAX:
        return f"has {len(value):,} characters; at most {NAME_MAX:,} are allowed"
    fault = find_unstorable(value)
    return None if fault is None else f"contains {fault}"


def _text(value: str) -> str | None:
    fault = find_unstorable(value)
    return None if fault is None else f"contains {fault}"


def _names(values: tuple[str, ...]) -> str | None:
    if len(values) > TEXTS_MAX:
        return f"has {len(values):,} names; at most {TEXTS_MAX:,} are allowed"
    return next(
        (f"[{number}] {fault}" for number, value in enumerate(values) if (fault := _name(value)) is not None), None
    )


def _json_object(value: Mapping[str, object]) -> str | None:
    fault = find_json_fault(value)
    return None if fault is None else f"is not a JSON object: {fault}"


_CLASSPATH = re.compile(r"[^\W\d][\w.<>]{0,999}")


def _classpath(value: str) -> str | None:
    return None if _CLASSPATH.fullmatch(value) else "is not the path of a class"


def _struct(kind: type[msgspec.Struct]) -> Check:
    def check(value: msgspec.Struct) -> str | None:
        for name, inner in CHECKS[kind].items():
            part = getattr(value, name)
            if part is not None and (fault := inner(part)) is not None:
                return f".{name}{fault if fault.startswith(('.', '[')) else ' ' + fault}"
        return None

    return check


def _structs(kind: type[msgspec.Struct]) -> Check:
    check_one = _struct(kind)

    def check(values: tuple[msgspec.Struct, ...]) -> str | None:
        if len(values) > TEXTS_MAX:
            return f"has {len(values):,} elements; at most {TEXTS_MAX:,} are allowed"
        return next(
            (f".{number}{fault}" for number, value in enumerate(values) if (fault := check_one(value)) is not None),
            None,
        )

    return check


def _xcoms(items: tuple[XComItem, ...]) -> str | None:
    return next(
        (fault for item in items if (fault := xcom_fault(f"XCom {item.key!r}", item.key, item.value)) is not None), None
    )


def _find_extra_excess(events: tuple[AssetEmission, ...]) -> str | None:
    excesses = (
        xcom_excess(f"the extra of asset {event.asset.name!r}", json.dumps(event.extra))
        for event in events
        if event.extra
    )
    return next((excess for excess in excesses if excess is not None), None)


_instant = _integer(EARLIEST, LATEST)
_past_instant = _integer(0, LATEST)

CHECKS: dict[type[msgspec.Struct], dict[str, Check]] = {
    AttemptResult: {
        **dict.fromkeys(IDENTITY, _any),
        "outcome": _outcome,
        "retryable": _any,
        "retry_delay_s": _finite,
        "callbacks_called": _any,
        "entered": _any,
        "is_own_fault": _any,
        "started_at": _past_instant,
        "ended_at": _past_instant,
        "reason": _any,
        "exit_code": _integer(-INTEGER_MAX - 1, INTEGER_MAX),
        "fresh_reason": _any,
        "xcoms": _xcoms,
        "skip_task_ids": _names,
        "resume_at": _instant,
        "wait": _struct(Deferral),
        "return_length": _integer(HAS_VALUE, INTEGER_MAX),
        "rendered_map_index": _any,
        "rendered_fields": _text,
        "asset_events": _structs(AssetEmission),
    },
    Deferral: {
        "classpath": _classpath,
        "kwargs": _text,
        "next_method": _name,
        "next_kwargs": _text,
        "timeout_s": _finite,
        "queue": _name,
        "due_at": _instant,
        "due_in_s": _finite,
        "hitl": _struct(HITLRequest),
        "ends_task": _any,
    },
    HITLRequest: {
        "subject": _any,
        "options": _names,
        "body": _any,
        "defaults": _names,
        "multiple": _any,
        "params": _json_object,
        "assigned_users": _structs(HITLRespondent),
    },
    HITLRespondent: {"id": _name, "name": _name},
    AssetEmission: {"asset": _struct(AssetKey), "extra": _json_object, "aliases": _names, "partition_key": _name},
    AssetKey: {"name": _name, "uri": _text},
    XComItem: {"key": _name, "value": _text},
}
"""By the class of a message, the check of each of its fields. A value None is not checked."""
_CHECKED_FIELDS = tuple((name, check) for name, check in CHECKS[AttemptResult].items() if check is not _any)
_read_checked_fields = operator.attrgetter(*(name for name, _ in _CHECKED_FIELDS))
_PLAIN_FIELDS = frozenset(
    {*IDENTITY, "outcome", "entered", "is_own_fault", "callbacks_called", "started_at", "ended_at", "return_length"}
)
"""What a plain result may have: every other field has its default."""
_UNPLAIN_FIELDS = tuple(field for field in msgspec.structs.fields(AttemptResult) if field.name not in _PLAIN_FIELDS)
_PLAIN_VALUES = tuple(field.default for field in _UNPLAIN_FIELDS)
_read_unplain_fields = operator.attrgetter(*(field.name for field in _UNPLAIN_FIELDS))
