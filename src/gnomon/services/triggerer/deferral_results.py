"""Converts what a trigger yields into the result of a deferral."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from gnomon.authoring.sdk.deferral.triggers import BaseTaskEndEvent, TriggerEvent
from gnomon.authoring.sdk.serialization import value_codec
from gnomon.model.attempts import XCOM_MAX_BYTES, utf8_bytes, xcom_fault
from gnomon.model.deferral import DeferralResult
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable


def event_to_result(event: Any) -> DeferralResult:
    """The result for this event. Raises NotSerializable when the event carries a value that has no JSON form."""
    if isinstance(event, BaseTaskEndEvent):
        xcoms = {
            str(key): value_codec.dumps(value, what=f"XCom {key!r} of the event")
            for key, value in (event.xcoms or {}).items()
        }
        fault = next(
            filter(None, (xcom_fault(f"XCom {key!r} of the event", key, value) for key, value in xcoms.items())), None
        )
        if fault is not None:
            return DeferralResult(outcome="error", reason=fault)
        return DeferralResult(outcome=event.task_instance_state.value, xcoms=xcoms)
    if isinstance(event, TriggerEvent):
        payload = value_codec.dumps(event.payload, what="The payload of the event")
        size = utf8_bytes(payload)
        if size > XCOM_MAX_BYTES:
            reason = render(say("payload_is_too_large", size=str(size), most=XCOM_MAX_BYTES))
            return DeferralResult(outcome="error", reason=reason)
        return DeferralResult(outcome="event", payload=payload)
    return DeferralResult(
        outcome="error",
        reason=render(say("trigger_yielded_no_event", text=describe_value(event))),
    )


def sanitize_result(result: DeferralResult) -> DeferralResult:
    """The same result with text escaped so that messages and the store can hold it."""
    return replace(
        result,
        reason=None if result.reason is None else escape_unstorable(result.reason),
        traceback=None if result.traceback is None else escape_unstorable(result.traceback),
    )


def describe_value(value: Any) -> str:
    """A short text for a value of any type; never raises."""
    kind = type(value).__qualname__
    try:
        text = repr(value)
    except Exception:
        return f"a {kind}"
    return f"{text[:100]} (a {kind})"
