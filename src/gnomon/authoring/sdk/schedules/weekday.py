"""Days of the week, Monday = 1."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any


class WeekDay(IntEnum):
    """A day of the week by ISO number."""

    MONDAY = 1
    TUESDAY = 2
    WEDNESDAY = 3
    THURSDAY = 4
    FRIDAY = 5
    SATURDAY = 6
    SUNDAY = 7

    @classmethod
    def get_weekday_number(cls, week_day_str: str) -> WeekDay:
        """Return the day with that English name, in any case. Raises AttributeError for another name."""
        name = week_day_str.upper()
        if name in cls.__members__:
            return cls[name]
        raise AttributeError(f"{week_day_str!r} is no day of the week; write one of {', '.join(cls.__members__)}.")

    @classmethod
    def convert(cls, day: str | WeekDay) -> int:
        """Return the ISO number of a day that is given by name or as a WeekDay."""
        return int(cls.get_weekday_number(day)) if isinstance(day, str) else int(day)

    @classmethod
    def validate_week_day(cls, week_day: str | WeekDay | Iterable[str | WeekDay]) -> set[int]:
        """Return the ISO numbers of one day or several days. Raises TypeError for another value."""
        if isinstance(week_day, str | WeekDay):
            return {cls.convert(week_day)}
        if isinstance(week_day, int) or not isinstance(week_day, Iterable):
            raise TypeError(f"{week_day!r} is no day of the week; give a name, a WeekDay, or a set of them.")
        days = set()
        for day in week_day:
            if not isinstance(day, str | WeekDay):
                raise TypeError(f"{day!r} is no day of the week; give a name or a WeekDay.")
            days.add(cls.convert(day))
        return days


def as_week_days(where: str, week_day: Any) -> set[int]:
    """Return the ISO numbers of the argument `week_day` of an operator. Raises the errors of `validate_week_day`, with `where` and the name."""
    try:
        return WeekDay.validate_week_day(week_day)
    except (AttributeError, TypeError) as error:
        raise type(error)(f"{where}: week_day {error}") from None
