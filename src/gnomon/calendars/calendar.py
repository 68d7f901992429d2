"""What a business calendar can be asked. A kind of calendar says which days are off; the rest follows from that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.calendars.coverage import Coverage, first_known, last_known, missing
from gnomon.calendars.spans import bounds
from gnomon.errors.timetable import AirflowTimetableInvalid, CalendarEnded

if TYPE_CHECKING:
    from gnomon.calendars.combined import Difference, Union, Working

LONGEST_CLOSURE_DAYS = 400
"""A calendar in which so many days follow one another without a business day has none."""
_DAY = timedelta(1)


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
        """What messages and summaries call it."""

    @abstractmethod
    def is_off(self, day: date) -> bool:
        """Whether nobody works on `day`; asked for covered days only."""

    def reason(self, day: date) -> str:
        """Why `day` is off, for people; asked for days off only."""
        return "weekend" if day.weekday() in self.weekly else self.label

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        """What its sources know; none for a calendar that knows every day."""
        return ()

    @property
    def weekly(self) -> frozenset[int]:
        """The weekdays (0: Monday) that it states as days off of every week."""
        return frozenset()

    @cached_property
    def first_day(self) -> date | None:
        """The first covered day; None when there is no first."""
        return first_known(self.coverages)

    @cached_property
    def last_day(self) -> date | None:
        """The last covered day; None when it covers all days to come."""
        return last_known(self.coverages)

    def covers(self, day: date) -> bool:
        """Whether it knows if `day` is a business day."""
        first, last = self.first_day, self.last_day
        return (first is None or day >= first) and (last is None or day <= last)

    def is_business_day(self, day: date) -> bool:
        """Whether people work on `day`. CalendarEnded for a day that it does not cover."""
        if isinstance(day, datetime):
            raise TypeError(f"{day!r} is an instant; a calendar is asked about a date, in the zone that you mean")
        if not self.covers(day):
            raise CalendarEnded(
                f"calendar {self.label} does not know whether {day.isoformat()} is a business day: "
                f"{missing(self.coverages, day)}"
            )
        return not self.is_off(day)

    def next_business_day(self, day: date) -> date:
        """The first business day after `day`."""
        return self._seek(day + _DAY, _DAY)

    def previous_business_day(self, day: date) -> date:
        """The last business day before `day`."""
        return self._seek(day - _DAY, -_DAY)

    def roll(self, day: date, direction: str) -> date:
        """`day` itself if it is a business day; else the next one (`forward`) or the previous one (`back`)."""
        if direction not in _STEPS:
            raise AirflowTimetableInvalid(f"a calendar does not roll {direction!r}; write 'forward' or 'back'")
        return self._seek(day, _STEPS[direction])

    def business_days(self, start: date, end: date) -> Iterator[date]:
        """The business days from `start` (inclusive) to `end` (exclusive)."""
        while start < end:
            if self.is_business_day(start):
                yield start
            start += _DAY

    def nth_business_day(self, day: date, n: int, of: str = "month") -> date | None:
        """The n-th business day of the week, month or quarter that `day` lies in; -1 is the last. None: it has fewer."""
        if n == 0:
            raise AirflowTimetableInvalid("n is 0; business days are counted from 1, and from -1 for the last one back")
        first, last = bounds(day, of)
        step, current = (_DAY, first) if n > 0 else (-_DAY, last)
        left = abs(n)
        while first <= current <= last:
            left -= self.is_business_day(current)
            if left == 0:
                return current
            current += step
        return None

    def last_business_day(self, day: date, of: str = "month") -> date | None:
        """The last business day of the week, month or quarter that `day` lies in; None when it has none."""
        return self.nth_business_day(day, -1, of)

    def working(self, days: Iterable[date]) -> Working:
        """The same calendar, but these days are worked."""
        from gnomon.calendars.combined import Working

        return Working(self, days)

    def _seek(self, day: date, step: timedelta) -> date:
        start = day
        for _ in range(LONGEST_CLOSURE_DAYS):
            if self.is_business_day(day):
                return day
            day += step
        raise AirflowTimetableInvalid(
            f"calendar {self.label} has no business day in the {LONGEST_CLOSURE_DAYS} days "
            f"{'after' if step > timedelta() else 'before'} {start.isoformat()}; take days off away from it"
        )

    def __or__(self, other: Calendar) -> Union:
        from gnomon.calendars.combined import Union

        return Union(self, other) if isinstance(other, Calendar) else NotImplemented

    def __sub__(self, other: Calendar) -> Difference:
        from gnomon.calendars.combined import Difference

        return Difference(self, other) if isinstance(other, Calendar) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return self.encode() == other.encode() if isinstance(other, Calendar) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.label)

    def __repr__(self) -> str:
        return f"<calendar {self.label}>"


_STEPS = {"forward": _DAY, "back": -_DAY}
