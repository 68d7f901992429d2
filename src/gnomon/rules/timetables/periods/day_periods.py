"""Period timetables that run once a day, on all days, given weekdays, or given days of the month."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from datetime import time
from typing import Any, Unpack

from gnomon.rules.timetables.periods.period_arguments import (
    encode_month_day,
    format_clock_time,
    parse_minute_of_day,
    parse_month_days,
    parse_weekdays,
)
from gnomon.rules.timetables.periods.period_days import MonthDays, WeekDays
from gnomon.rules.timetables.periods.period_timetable import PeriodArguments, PeriodTimetable
from gnomon.rules.timetables.wall_clock.labels import DaySet


class _OnceADayTimetable(PeriodTimetable):
    """Runs at one time of its days. The hour is a stated one for the clock-change rule."""

    def __init__(self, at: str | time, **common: Unpack[PeriodArguments]) -> None:
        super().__init__(**common)
        self._at = parse_minute_of_day(f"{type(self).__name__}(at=", at)

    def _arguments(self) -> dict[str, Any]:
        return {**self._named(), "at": format_clock_time(self._at)}

    @abstractmethod
    def _named(self) -> dict[str, Any]:
        """The argument for the days, as JSON."""

    def _minutes(self) -> Iterable[int]:
        return (self._at,)


class Daily(_OnceADayTimetable):
    """Runs every day at `at`."""

    granularity = "day"

    def __init__(self, at: str | time = "00:00", **common: Unpack[PeriodArguments]) -> None:
        super().__init__(at, **common)

    def _named(self) -> dict[str, Any]:
        return {}


class Weekly(_OnceADayTimetable):
    """Runs at `at` on the given weekdays: ISO numbers (Monday is 1) or names (`"mon"`, `"Monday"`)."""

    granularity = "week"

    def __init__(
        self, weekdays: Iterable[int | str] | int | str, at: str | time = "00:00", **common: Unpack[PeriodArguments]
    ) -> None:
        super().__init__(at, **common)
        self._weekdays = parse_weekdays("Weekly(weekdays=", weekdays)

    def _named(self) -> dict[str, Any]:
        return {"weekdays": list(self._weekdays)}

    def _days(self) -> DaySet:
        return WeekDays(self._weekdays)


class Monthly(_OnceADayTimetable):
    """Runs at `at` on the given days of the month: 1 to 31, `"last"`, `("mon", 2)` for the second Monday, `("mon", "last")`.

    A month without such a day (31 in April, a fifth Monday) has no slot for it; `"last"` exists in every month.
    """

    granularity = "month"

    def __init__(
        self,
        days: Iterable[int | str | tuple[int | str, int | str]] | tuple[int | str, int | str] | int | str,
        at: str | time = "00:00",
        **common: Unpack[PeriodArguments],
    ) -> None:
        super().__init__(at, **common)
        self._month_days = parse_month_days("Monthly(days=", days)

    def _named(self) -> dict[str, Any]:
        return {"days": [encode_month_day(named) for named in self._month_days]}

    def _days(self) -> DaySet:
        return MonthDays(self._month_days)
