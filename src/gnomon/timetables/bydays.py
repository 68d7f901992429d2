"""Period timetables that run once a day, on all days, given weekdays, or given days of the month."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from datetime import time
from typing import Any, Unpack

from gnomon.timetables.cronlabels import Days
from gnomon.timetables.period import Common, PeriodTimetable
from gnomon.timetables.perioddays import MonthDays, WeekDays
from gnomon.timetables.periodwords import (
    WEEKDAYS,
    clock_text,
    listed,
    minute_of_day,
    month_day_data,
    month_day_in_words,
    month_days_of,
    weekdays_of,
)


class _OnceADay(PeriodTimetable):
    """Runs at one time of the days that it names; when clocks change, a given hour."""

    def __init__(self, at: str | time, **common: Unpack[Common]) -> None:
        super().__init__(**common)
        self._at = minute_of_day(f"{type(self).__name__}(at=", at)

    def _arguments(self) -> dict[str, Any]:
        return {**self._named(), "at": clock_text(self._at)}

    @abstractmethod
    def _named(self) -> dict[str, Any]:
        """JSON of the days."""

    @property
    @abstractmethod
    def _which_days(self) -> str:
        """The days in words."""

    def _minutes(self) -> Iterable[int]:
        return (self._at,)

    @property
    def _sentence(self) -> str:
        return f"At {clock_text(self._at)} {self._which_days}"


class Daily(_OnceADay):
    """Runs every day at `at`."""

    granularity = "day"

    def __init__(self, at: str | time = "00:00", **common: Unpack[Common]) -> None:
        super().__init__(at, **common)

    def _named(self) -> dict[str, Any]:
        return {}

    @property
    def _which_days(self) -> str:
        return "every day"

    @property
    def _short(self) -> str:
        return f"daily at {clock_text(self._at)}"


class Weekly(_OnceADay):
    """Runs at `at` on the given weekdays: ISO numbers (Monday is 1) or names (`"mon"`, `"Monday"`)."""

    granularity = "week"

    def __init__(
        self, weekdays: Iterable[int | str] | int | str, at: str | time = "00:00", **common: Unpack[Common]
    ) -> None:
        super().__init__(at, **common)
        self._weekdays = weekdays_of("Weekly(weekdays=", weekdays)

    def _named(self) -> dict[str, Any]:
        return {"weekdays": list(self._weekdays)}

    def _days(self) -> Days:
        return WeekDays(self._weekdays)

    @property
    def _which_days(self) -> str:
        return f"on {listed(WEEKDAYS[weekday - 1] for weekday in self._weekdays)}"

    @property
    def _short(self) -> str:
        return f"weekly on {', '.join(WEEKDAYS[weekday - 1][:3] for weekday in self._weekdays)} at {clock_text(self._at)}"


class Monthly(_OnceADay):
    """Runs at `at` on the given days of the month: 1 to 31, `"last"`, `("mon", 2)` for the second Monday, `("mon", "last")`.

    A month that has no such day (31 in April, a fifth Monday) has no slot for it: `"last"` never misses one.
    """

    granularity = "month"

    def __init__(
        self,
        days: Iterable[int | str | tuple[int | str, int | str]] | tuple[int | str, int | str] | int | str,
        at: str | time = "00:00",
        **common: Unpack[Common],
    ) -> None:
        super().__init__(at, **common)
        self._month_days = month_days_of("Monthly(days=", days)

    def _named(self) -> dict[str, Any]:
        return {"days": [month_day_data(named) for named in self._month_days]}

    def _days(self) -> Days:
        return MonthDays(self._month_days)

    @property
    def _which_days(self) -> str:
        return f"on {listed(map(month_day_in_words, self._month_days))} of the month"

    @property
    def _short(self) -> str:
        return f"monthly on {', '.join(map(month_day_in_words, self._month_days))} at {clock_text(self._at)}"
