"""The base class of timetables that state wall-clock times in a zone: cron expressions and periods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from datetime import datetime, tzinfo

from gnomon.rules.timetables.base import SteppingTimetable
from gnomon.rules.timetables.wall_clock.clock_change import LabelClock
from gnomon.rules.timetables.wall_clock.zones import ceil_seconds, floor_seconds, from_seconds, to_utc


class ClockTimetable(SteppingTimetable):
    """A timetable whose slots are the instants of labels in one zone, by the clock-change rule."""

    _timezone: tzinfo

    @property
    def timezone(self) -> tzinfo:
        """The zone of the labels."""
        return self._timezone

    @property
    def clocks(self) -> tuple[LabelClock, ...]:
        """The label clocks of the schedule: one, or several of combined schedules."""
        return (self._clock,)

    @property
    @abstractmethod
    def _clock(self) -> LabelClock:
        """The labels of the schedule, and their instants."""

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        return self._clock.between(ceil_seconds(to_utc(start)), ceil_seconds(to_utc(end)))

    def _next(self, moment: datetime) -> datetime | None:
        """The first instant after `moment`."""
        return _to_datetime(self._clock.on_or_after(floor_seconds(moment) + 1))

    def _align_up(self, moment: datetime) -> datetime | None:
        """The first instant that is not before `moment`."""
        return _to_datetime(self._clock.on_or_after(ceil_seconds(moment)))

    def _before(self, moment: datetime) -> datetime | None:
        """The last instant before `moment`."""
        return _to_datetime(self._clock.on_or_before(ceil_seconds(moment) - 1))

    def _align_down(self, moment: datetime) -> datetime | None:
        """The last instant that is not after `moment`."""
        return _to_datetime(self._clock.on_or_before(floor_seconds(moment)))


def _to_datetime(seconds: int | None) -> datetime | None:
    return None if seconds is None else from_seconds(seconds)
