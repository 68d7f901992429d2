"""Spans between the slots of a schedule: a timedelta, or a relativedelta, whose months and years vary in length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from gnomon.errors.timetable import AirflowTimetableInvalid


class CalendarSpan(Protocol):
    """The used part of `dateutil.relativedelta.relativedelta`, which is only imported to decode one."""

    years: int
    months: int
    days: int
    hours: int
    minutes: int
    seconds: int
    microseconds: int

    def __radd__(self, moment: datetime) -> datetime: ...
    def __rsub__(self, moment: datetime) -> datetime: ...


Span = timedelta | CalendarSpan
"""The distance between two slots of a schedule."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PARTS = ("years", "months", "days", "leapdays", "hours", "minutes", "seconds", "microseconds")
_SETTERS = ("year", "month", "day", "weekday", "hour", "minute", "second", "microsecond")


def encode_span(span: Span) -> float | dict[str, Any]:
    """A span as JSON: seconds of a timedelta, or the nonzero parts of a relativedelta."""
    if isinstance(span, timedelta):
        return span.total_seconds()
    parts: dict[str, Any] = {name: getattr(span, name) for name in _PARTS if getattr(span, name, 0)}
    for name in _SETTERS:
        value = getattr(span, name, None)
        if value is not None:
            parts[name] = [value.weekday, value.n] if name == "weekday" and value.n else _plain(value)
    return parts


def decode_span(data: float | dict[str, Any]) -> Span:
    """The span that `encode_span` encoded."""
    if isinstance(data, (int, float)):
        return timedelta(seconds=data)
    from dateutil.relativedelta import relativedelta, weekday  # start-up cost: most spans are timedeltas

    parts = dict(data)
    day = parts.get("weekday")
    if isinstance(day, list):
        parts["weekday"] = weekday(*day)
    elif isinstance(day, int):
        parts["weekday"] = weekday(day)
    span: CalendarSpan = relativedelta(**parts)
    return span


def require_forward(span: Span, name: str) -> None:
    """Raises AirflowTimetableInvalid unless adding this span moves every instant forward. `name`: the argument in the message."""
    try:
        forward = all(_EPOCH.replace(month=month) + span > _EPOCH.replace(month=month) for month in (1, 2, 12))
    except (OverflowError, ValueError):
        forward = False
    if not forward:
        raise AirflowTimetableInvalid(f"{name} is {span!r}; a schedule must step forward, give a span above zero")


def compute_fixed_seconds(span: Span) -> float | None:
    """The length of a span in seconds; None if it varies, as that of a month."""
    if isinstance(span, timedelta):
        return span.total_seconds()
    if span.years or span.months or getattr(span, "leapdays", 0):
        return None
    if any(getattr(span, name, None) is not None for name in _SETTERS):
        return None
    return timedelta(
        days=span.days, hours=span.hours, minutes=span.minutes, seconds=span.seconds, microseconds=span.microseconds
    ).total_seconds()


def add_span(moment: datetime, span: Span) -> datetime:
    """`moment` plus the span."""
    return moment + span


def subtract_span(moment: datetime, span: Span) -> datetime:
    """`moment` minus the span."""
    return moment - span


def _plain(value: Any) -> Any:
    return value.weekday if hasattr(value, "weekday") and not isinstance(value, int) else value
