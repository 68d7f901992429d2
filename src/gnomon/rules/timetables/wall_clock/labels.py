"""Labels: the wall-clock times that a schedule selects, in seconds since 1970-01-01 as if they were UTC."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Protocol

_DAY_S = 86400


class DaySet(Protocol):
    """The days that a schedule selects, as day numbers: days after 1970-01-01. Searched in both directions."""

    @property
    def every_day(self) -> bool:
        """True if each day is selected."""

    @property
    def never(self) -> bool:
        """True if no day is selected."""

    def on_or_after(self, day: int) -> int | None:
        """The first selected day that is not before `day`; None if there is none."""

    def on_or_before(self, day: int) -> int | None:
        """The last selected day that is not after `day`; None if there is none."""


class Labels:
    """The selected labels: each second in `seconds` of each minute in `minutes` (of the day) of each day in `days`."""

    def __init__(self, days: DaySet, minutes: Iterable[int], seconds: Iterable[int] = (0,)) -> None:
        self.days = days
        self.minutes = sorted(minutes)
        self.seconds = sorted(seconds)
        self._first = self.minutes[0] * 60 + self.seconds[0]
        self._last = self.minutes[-1] * 60 + self.seconds[-1]
        self._whole_minutes = self.seconds == [0]

    def on_or_after(self, label: int) -> int | None:
        """The first selected label that is not before `label`; None if there is none."""
        day, second = divmod(label, _DAY_S)
        chosen = day if self.days.every_day else self.days.on_or_after(day)
        if chosen is None:
            return None
        if chosen == day:
            later = self._second_on_or_after(second)
            if later is not None:
                return day * _DAY_S + later
            chosen = self.days.on_or_after(day + 1)
            if chosen is None:
                return None
        return chosen * _DAY_S + self._first

    def on_or_before(self, label: int) -> int | None:
        """The last selected label that is not after `label`; None if there is none."""
        day, second = divmod(label, _DAY_S)
        chosen = day if self.days.every_day else self.days.on_or_before(day)
        if chosen is None:
            return None
        if chosen == day:
            earlier = self._second_on_or_before(second)
            if earlier is not None:
                return day * _DAY_S + earlier
            chosen = self.days.on_or_before(day - 1)
            if chosen is None:
                return None
        return chosen * _DAY_S + self._last

    def of_day(self, start: int, end: int) -> Iterator[int]:
        """The selected seconds of a selected day from `start` (inclusive) to `end` (exclusive), in order."""
        for minute in self.minutes[bisect_left(self.minutes, start // 60) : bisect_left(self.minutes, -(-end // 60))]:
            for rest in self.seconds:
                if start <= minute * 60 + rest < end:
                    yield minute * 60 + rest

    def _second_on_or_after(self, second: int) -> int | None:
        minutes = self.minutes
        if self._whole_minutes:
            at = bisect_left(minutes, (second + 59) // 60)
            return minutes[at] * 60 if at < len(minutes) else None
        minute, rest = divmod(second, 60)
        at = bisect_left(minutes, minute)
        if at < len(minutes) and minutes[at] == minute:
            within = bisect_left(self.seconds, rest)
            if within < len(self.seconds):
                return minute * 60 + self.seconds[within]
            at += 1
        return minutes[at] * 60 + self.seconds[0] if at < len(minutes) else None

    def _second_on_or_before(self, second: int) -> int | None:
        minutes = self.minutes
        minute, rest = divmod(second, 60)
        at = bisect_right(minutes, minute)
        if at and minutes[at - 1] == minute:
            within = bisect_right(self.seconds, rest)
            if within:
                return minute * 60 + self.seconds[within - 1]
            at -= 1
        return minutes[at - 1] * 60 + self.seconds[-1] if at else None
