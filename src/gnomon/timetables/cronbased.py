"""What all timetables with one cron expression share: its zone, its instants, its words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from functools import cached_property

from gnomon.timetables.cronclock import CronClock, cron_clock, require_sense
from gnomon.timetables.presets import CRON_PRESETS
from gnomon.timetables.stepping import Stepping
from gnomon.timetables.words import cron_in_words
from gnomon.timetables.zones import ceil_seconds, floor_seconds, from_seconds, utc, zone_of


class CronBased(Stepping):
    """A timetable whose instants are those of one cron expression in one zone."""

    def __init__(self, cron: str, timezone: object) -> None:
        self._expression = CRON_PRESETS.get(cron, cron)
        self._timezone: tzinfo = zone_of(timezone)

    @property
    def summary(self) -> str:
        return self._expression

    @cached_property
    def description(self) -> str:  # type: ignore[override]
        """The expression in words."""
        return cron_in_words(self._expression)

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid for an expression that is malformed or can never fire."""
        require_sense(self._expression, self._timezone)

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        return self._cron.between(ceil_seconds(utc(start)), ceil_seconds(utc(end)))

    @cached_property
    def _cron(self) -> CronClock:
        require_sense(self._expression, self._timezone)
        return cron_clock(self._expression, self._timezone)

    def _next(self, moment: datetime) -> datetime | None:
        """The first instant after `moment`."""
        return _given(self._cron.on_or_after(floor_seconds(moment) + 1))

    def _align_up(self, moment: datetime) -> datetime | None:
        """The first instant that is not before `moment`."""
        return _given(self._cron.on_or_after(ceil_seconds(moment)))

    def _before(self, moment: datetime) -> datetime | None:
        """The last instant before `moment`."""
        return _given(self._cron.on_or_before(ceil_seconds(moment) - 1))

    def _align_down(self, moment: datetime) -> datetime | None:
        """The last instant that is not after `moment`."""
        return _given(self._cron.on_or_before(floor_seconds(moment)))


def _given(seconds: int | None) -> datetime | None:
    return None if seconds is None else from_seconds(seconds)
