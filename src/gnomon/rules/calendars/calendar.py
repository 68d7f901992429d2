"""The base class of business calendars, and the calendars that combine others.

A kind of calendar defines which days are off; all other questions follow from that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, Self

from gnomon.model.errors.timetable import AirflowTimetableInvalid, CalendarEnded
from gnomon.model.sentences import render, say
from gnomon.rules.calendars.coverage import Coverage, describe_gap, find_first_known, find_last_known
from gnomon.rules.calendars.date_units import find_span_bounds, parse_day

LONGEST_CLOSURE_DAYS = 400
"""Most consecutive days off: a search that steps over more of them fails."""
_DAY = timedelta(1)
CalendarDecoder = Callable[[dict[str, Any]], "Calendar"]
"""`gnomon.calendars.decode`. The composite calendars receive it as an argument, because it imports their modules."""


class Calendar(ABC):
    """Days off and business days. Two calendars are equal when their stored forms are.

    `a | b`: off where either is off. `a - b`: off where `a` is off, but not the days off of `b`.
    """

    @abstractmethod
    def encode(self) -> dict[str, Any]:
        """JSON data from which `calendars.decode` makes an equal calendar, without reading a file."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The name of the calendar in messages and summaries."""

    @abstractmethod
    def is_off(self, day: date) -> bool:
        """True if `day` is a day off. Only called for covered days."""

    def reason(self, day: date) -> str:
        """Why `day` is off, for display. Only called for days off."""
        return "weekend" if day.weekday() in self.weekly else self.label

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        """The ranges of days that its sources cover; empty if the calendar covers all days."""
        return ()

    @property
    def weekly(self) -> frozenset[int]:
        """The weekdays (0: Monday) that are days off in every week."""
        return frozenset()

    @cached_property
    def first_day(self) -> date | None:
        """The first covered day; None if there is no first."""
        return find_first_known(self.coverages)

    @cached_property
    def last_day(self) -> date | None:
        """The last covered day; None if all future days are covered."""
        return find_last_known(self.coverages)

    def covers(self, day: date) -> bool:
        """True if the calendar knows whether `day` is a business day."""
        first, last = self.first_day, self.last_day
        return (first is None or day >= first) and (last is None or day <= last)

    def is_business_day(self, day: date) -> bool:
        """True if `day` is a business day. Raises CalendarEnded for a day that is not covered, TypeError for a datetime."""
        if isinstance(day, datetime):
            raise TypeError(f"{day!r} is an instant; give a date, for example its date in the time zone that you mean")
        if not self.covers(day):
            raise CalendarEnded(
                f"calendar {self.label} does not know whether {day.isoformat()} is a business day: "
                f"{describe_gap(self.coverages, day)}"
            )
        return not self.is_off(day)

    def next_business_day(self, day: date) -> date:
        """The first business day after `day`. Raises CalendarEnded where the calendar ends before it."""
        return self._seek(day + _DAY, _DAY)

    def previous_business_day(self, day: date) -> date:
        """The last business day before `day`. Raises CalendarEnded where the calendar begins after it."""
        return self._seek(day - _DAY, -_DAY)

    def roll(self, day: date, direction: str) -> date:
        """`day` if it is a business day; else the next business day (`forward`) or the previous one (`back`)."""
        if direction not in _STEPS:
            raise AirflowTimetableInvalid(f"direction={direction!r} is not a direction; write 'forward' or 'back'")
        return self._seek(day, _STEPS[direction])

    def business_days(self, start: date, end: date) -> Iterator[date]:
        """The business days from `start` (inclusive) to `end` (exclusive)."""
        while start < end:
            if self.is_business_day(start):
                yield start
            start += _DAY

    def nth_business_day(self, day: date, n: int, of: str = "month") -> date | None:
        """The n-th business day of the week, month or quarter of `day`; -1 is the last. None if there are fewer."""
        if n == 0:
            raise AirflowTimetableInvalid("n is 0; count business days from 1, or from -1 for the last one backwards")
        first, last = find_span_bounds(day, of)
        step, current = (_DAY, first) if n > 0 else (-_DAY, last)
        remaining = abs(n)
        while first <= current <= last:
            remaining -= self.is_business_day(current)
            if remaining == 0:
                return current
            current += step
        return None

    def last_business_day(self, day: date, of: str = "month") -> date | None:
        """The last business day of the week, month or quarter of `day`; None if it has none."""
        return self.nth_business_day(day, -1, of)

    def working(self, days: Iterable[date]) -> Working:
        """This calendar with `days` (dates, or texts as YYYY-MM-DD) as additional business days."""
        return Working(self, days)

    def _seek(self, day: date, step: timedelta) -> date:
        start = day
        for _ in range(LONGEST_CLOSURE_DAYS):
            if self.is_business_day(day):
                return day
            day += step
        raise AirflowTimetableInvalid(
            f"calendar {self.label} has no business day in the {LONGEST_CLOSURE_DAYS} days "
            f"{'after' if step > timedelta() else 'before'} {start.isoformat()}; remove some of its days off"
        )

    def __or__(self, other: Calendar) -> Union:
        return Union(self, other) if isinstance(other, Calendar) else NotImplemented

    def __sub__(self, other: Calendar) -> Difference:
        return Difference(self, other) if isinstance(other, Calendar) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return self.encode() == other.encode() if isinstance(other, Calendar) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.label)

    def __repr__(self) -> str:
        return f"<calendar {self.label}>"


_STEPS = {"forward": _DAY, "back": -_DAY}


class Union(Calendar):
    """`a | b`: a day is off if it is off in any part. Covers the days that all parts cover."""

    def __init__(self, *parts: Calendar) -> None:
        self._parts: tuple[Calendar, ...] = tuple(
            inner for part in parts for inner in (part._parts if isinstance(part, Union) else (part,))
        )

    @property
    def label(self) -> str:
        return " | ".join(part.label for part in self._parts)

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        return tuple(coverage for part in self._parts for coverage in part.coverages)

    @property
    def weekly(self) -> frozenset[int]:
        return frozenset().union(*(part.weekly for part in self._parts))

    def is_off(self, day: date) -> bool:
        return any(part.is_off(day) for part in self._parts)

    def reason(self, day: date) -> str:
        reasons = dict.fromkeys(part.reason(day) for part in self._parts if part.is_off(day))
        return ", ".join(reason for reason in reasons if len(reasons) == 1 or reason != "weekend")

    def encode(self) -> dict[str, Any]:
        return {"kind": "union", "of": [part.encode() for part in self._parts]}

    @classmethod
    def decode(cls, data: dict[str, Any], decode_part: CalendarDecoder) -> Self:
        """The calendar whose `encode` returned `data`. `decode_part` decodes the parts."""
        return cls(*map(decode_part, data["of"]))


class Difference(Calendar):
    """`a - b`: a day is off if it is off in `a` and not off in `b`. Covers the days that both cover."""

    def __init__(self, base: Calendar, less: Calendar) -> None:
        self._base, self._less = base, less

    @property
    def label(self) -> str:
        return f"{_in_brackets(self._base)} - {_in_brackets(self._less)}"

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        return (*self._base.coverages, *self._less.coverages)

    @property
    def weekly(self) -> frozenset[int]:
        return self._base.weekly - self._less.weekly

    def is_off(self, day: date) -> bool:
        return self._base.is_off(day) and not self._less.is_off(day)

    def reason(self, day: date) -> str:
        return self._base.reason(day)

    def encode(self) -> dict[str, Any]:
        return {"kind": "difference", "of": self._base.encode(), "less": self._less.encode()}

    @classmethod
    def decode(cls, data: dict[str, Any], decode_part: CalendarDecoder) -> Self:
        """The calendar whose `encode` returned `data`. `decode_part` decodes the two parts."""
        return cls(decode_part(data["of"]), decode_part(data["less"]))


class Working(Calendar):
    """Another calendar with additional business days. Covers the days that the other calendar covers."""

    def __init__(self, base: Calendar, days: Iterable[date | str]) -> None:
        self._base = base
        self._days = frozenset(map(parse_day, days))

    @property
    def label(self) -> str:
        return (
            f"{_in_brackets(self._base)} with {len(self._days)} extra working day{'s' if len(self._days) != 1 else ''}"
        )

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        return self._base.coverages

    @property
    def weekly(self) -> frozenset[int]:
        return self._base.weekly

    def is_off(self, day: date) -> bool:
        return day not in self._days and self._base.is_off(day)

    def reason(self, day: date) -> str:
        return self._base.reason(day)

    def encode(self) -> dict[str, Any]:
        return {"kind": "working", "of": self._base.encode(), "days": [day.isoformat() for day in sorted(self._days)]}

    @classmethod
    def decode(cls, data: dict[str, Any], decode_part: CalendarDecoder) -> Self:
        """The calendar whose `encode` returned `data`. `decode_part` decodes the base."""
        return cls(decode_part(data["of"]), data["days"])


def _in_brackets(part: Calendar) -> str:
    return f"({part.label})" if isinstance(part, (Union, Difference, Working)) else part.label


WARN_WEEKS = 6
"""How many weeks before the last covered day of a calendar its DAGs show a warning."""


def find_end_warning(calendar: Calendar, today: date) -> str | None:
    """The warning that the calendar ends soon or has ended, with the remedy; None more than WARN_WEEKS before its end."""
    last = calendar.last_day
    if last is None or (last - today).days > 7 * WARN_WEEKS:
        return None
    source = min((coverage for coverage in calendar.coverages if coverage.last is not None), key=_last_day_of)
    days_left = (last - today).days
    told = say(
        "calendar_ends",
        calendar=calendar.label,
        last_day=last.isoformat(),
        end=say("days_from_now", count=days_left) if days_left >= 0 else say("which_is_past"),
        source=source.source,
        remedy=source.remedy,
    )
    return render(told)


def _last_day_of(coverage: Coverage) -> date:
    assert coverage.last is not None
    return coverage.last
