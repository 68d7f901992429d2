"""Period timetables that run several times a day: by minutes, by hours, and at given hours."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import time
from typing import Any, Unpack

from gnomon.rules.timetables.periods.period_arguments import (
    argument_error,
    format_clock_time,
    parse_hours,
    parse_minute_of_day,
    parse_whole_number,
)
from gnomon.rules.timetables.periods.period_timetable import PeriodArguments, PeriodTimetable

DAY_END = "23:59"


class _WindowTimetable(PeriodTimetable):
    """Runs in equal steps from one time of each day to another, both inclusive."""

    _every: int
    _start: int
    _end: int

    @property
    def every(self) -> int:
        """The length of a step, in minutes or hours."""
        return self._every

    def _keep_window(self, start: str | time, end: str | time) -> None:
        name = type(self).__name__
        self._start = parse_minute_of_day(f"{name}(start=", start)
        self._end = parse_minute_of_day(f"{name}(end=", end)
        if self._end < self._start:
            raise argument_error(
                f"{name}(end=",
                end,
                f"is before start={format_clock_time(self._start)!r}; a window is within one day: give a later end, or for a "
                "window across midnight a cron expression such as '0 22-23,0-4 * * *'",
            )

    def _arguments(self) -> dict[str, Any]:
        return {"every": self._every, "start": format_clock_time(self._start), "end": format_clock_time(self._end)}


class Minutely(_WindowTimetable):
    """Runs every `every` minutes from `start` to `end` of each day, both inclusive.

    The steps restart in each hour at the minute of `start`, as those of a cron field: `every=50` runs at :00 and :50. When
    the clock is set back, the repeated hour runs twice.
    """

    granularity = "minute"
    _every_hour = True

    def __init__(
        self, every: int = 1, start: str | time = "00:00", end: str | time = DAY_END, **common: Unpack[PeriodArguments]
    ) -> None:
        super().__init__(**common)
        self._every = parse_whole_number("Minutely(every=", every, 1, 59, "Hourly(every=...) steps by hours")
        self._keep_window(start, end)

    def _minutes(self) -> Iterable[int]:
        offsets = range(self._start % 60, 60, self._every)
        candidates = (
            hour * 60 + minute for hour in range(self._start // 60, self._end // 60 + 1) for minute in offsets
        )
        return [minute for minute in candidates if self._start <= minute <= self._end]


class Hourly(_WindowTimetable):
    """Runs every `every` hours from `start` to `end` of each day, both inclusive; the steps restart each day.

    With `every=1`, the hour that the clock repeats runs twice. With larger steps, the hours are stated ones: a skipped hour
    is moved forward by the gap, a repeated one runs at its second occurrence.
    """

    granularity = "hour"

    def __init__(
        self, every: int = 1, start: str | time = "00:00", end: str | time = DAY_END, **common: Unpack[PeriodArguments]
    ) -> None:
        super().__init__(**common)
        self._every = parse_whole_number("Hourly(every=", every, 1, 23, "Daily(at=...) runs once a day")
        self._every_hour = self._every == 1
        self._keep_window(start, end)

    def _minutes(self) -> Iterable[int]:
        return range(self._start, self._end + 1, self._every * 60)


class DiscreteHours(PeriodTimetable):
    """Runs at the given hours of each day, at minute `minute`. The hours are stated ones for the clock-change rule."""

    granularity = "discrete_hours"

    def __init__(self, hours: Iterable[int] | int, minute: int = 0, **common: Unpack[PeriodArguments]) -> None:
        super().__init__(**common)
        self._hours = parse_hours("DiscreteHours(hours=", hours)
        self._minute = parse_whole_number("DiscreteHours(minute=", minute, 0, 59)

    def _arguments(self) -> dict[str, Any]:
        return {"hours": list(self._hours), "minute": self._minute}

    def _minutes(self) -> Iterable[int]:
        return [hour * 60 + self._minute for hour in self._hours]
