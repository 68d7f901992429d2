"""Spans between the slots of a schedule: a timedelta, or a relativedelta, whose months and years vary in length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from gnomon.model.errors.timetable import AirflowTimetableInvalid


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
LEAST_S = 1
"""Between two slots, as with a cron expression."""
LEAST_ON_BUSINESS_DAYS_S = 60
"""Between two slots that a calendar moves."""
_DAY_S = 86_400
_SHORTEST_MONTHS = (0, 28, 59, 89, 120, 150, 181, 212, 242, 273, 303, 334)
"""Days of so many consecutive months at least."""
_UNITS_S = {"microsecond": 1, "second": 60, "minute": 3_600, "hour": _DAY_S, "year": float("inf")}
"""The part that a span sets, to the seconds of the next larger unit: so far an instant may be moved back."""
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


def require_forward(span: Span, name: str, least_s: int = LEAST_S) -> None:
    """Raises AirflowTimetableInvalid unless adding this span moves every instant forward by `least_s` seconds. `name`: the argument in the message.

    Slots are counted step by step where a calendar, months or years make them uneven: in tiny steps, or in a circle, that would not end.
    """
    try:
        forward = all(_EPOCH.replace(month=month) + span > _EPOCH.replace(month=month) for month in (1, 2, 12))
    except (OverflowError, ValueError):
        forward = False
    if not forward:
        raise AirflowTimetableInvalid(f"{name} is {span!r}; a schedule must step forward, give a span above zero")
    if isinstance(span, timedelta):
        smallest_s = span.total_seconds()
    else:
        smallest_s, reset_s = _find_smallest_length(span), _find_longest_reset(span)
        least_s = max(least_s, _DAY_S) if span.years or span.months else least_s
        if 0 < reset_s > smallest_s:
            raise AirflowTimetableInvalid(
                f"{name} is {span!r}; a schedule must step forward from every instant, and the parts that it sets can move an instant back by more than the parts"
                " that it adds: add at least one whole unit, such as days=1 with hour=6, or months=1 with day=1"
            )
        if not smallest_s and _read_weekday_number(span) > 1:
            return
    if smallest_s < least_s:
        raise AirflowTimetableInvalid(
            f"{name} is {span!r}, of which a step may take {smallest_s:g} s; a schedule like this has at least {least_s} s between its slots"
        )


def _find_smallest_length(span: CalendarSpan) -> float:
    """The seconds that the span adds at least, without what it sets."""
    years, months = divmod(span.years * 12 + span.months, 12)
    days = years * 365 + _SHORTEST_MONTHS[months] + span.days + min(0, getattr(span, "leapdays", 0))
    return timedelta(
        days=days, hours=span.hours, minutes=span.minutes, seconds=span.seconds, microseconds=span.microseconds
    ).total_seconds()


def _find_longest_reset(span: CalendarSpan) -> float:
    """By how many seconds the parts that the span sets move an instant back at most."""
    months = span.years * 12 + span.months
    units = {**_UNITS_S, "day": (28 if months >= 1 else 31) * _DAY_S, "month": (365 if months >= 12 else 366) * _DAY_S}
    set_parts = [name for name in units if getattr(span, name, None) is not None]
    return max([-min(0, _read_weekday_number(span)) * 7 * _DAY_S, *(units[name] for name in set_parts)])


def _read_weekday_number(span: CalendarSpan) -> int:
    """2 for the second such weekday from the instant on, -1 for the last before it; 0 without a weekday."""
    weekday = getattr(span, "weekday", None)
    return 0 if weekday is None else getattr(weekday, "n", None) or 1


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
