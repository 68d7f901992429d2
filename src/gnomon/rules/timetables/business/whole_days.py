"""Runs whose data interval is a whole day, from midnight to midnight, and which are due after that day."""

from __future__ import annotations

from datetime import datetime, time, tzinfo

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.business.day_filters import day_of_number, number_of
from gnomon.rules.timetables.wall_clock.clock_change import instant_of
from gnomon.rules.timetables.wall_clock.labels import DaySet

MAX_STEPS = 4
"""Most days that the search for the newest due run steps back: clock changes can delay a run past its day."""
_MIDNIGHT = time()


class WholeDays:
    """The runs of some days of a zone, each due at the time `at` of the following day."""

    def __init__(self, days: DaySet, at: time, zone: tzinfo) -> None:
        self._days = days
        self._at = at
        self._zone = zone

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        """The run after `last`: of the first day that begins at or after the end of the last interval.

        Without catchup, of the newest day that is over, if that is later. None if there are no more runs.
        """
        earliest, latest, catchup = restriction
        days = [] if earliest is None else [self._first_from(earliest)]
        if not catchup:
            days.append(self._newest_over(now))
        if last is not None:
            days.append(self._first_from(last.data_interval.end if last.data_interval is not None else last.run_after))
        day = max((candidate for candidate in days if candidate is not None), default=None)
        if day is None or (latest is not None and self._instant(day, _MIDNIGHT) > latest):
            return None
        return DagRunInfo(self._instant(day + 1, self._at), self._interval(day))

    def newest(self, moment: datetime) -> DataInterval | None:
        """The data interval of the newest run that is due at `moment`; None if there is none."""
        day = self._newest_over(moment)
        return None if day is None else self._interval(day)

    def _first_from(self, moment: datetime) -> int | None:
        """The first day that begins at `moment` or later."""
        day = self._days.on_or_after(self._number(moment))
        if day is not None and self._instant(day, _MIDNIGHT) < moment:
            day = self._days.on_or_after(day + 1)
        return day

    def _newest_over(self, now: datetime) -> int | None:
        """The newest day whose run is due at `now`. The calendar need not cover the day of `now` itself."""
        day = self._days.on_or_before(self._number(now) - 1)
        for _ in range(MAX_STEPS):
            if day is None or self._instant(day + 1, self._at) <= now:
                return day
            day = self._days.on_or_before(day - 1)
        return day

    def _interval(self, day: int) -> DataInterval:
        return DataInterval(self._instant(day, _MIDNIGHT), self._instant(day + 1, _MIDNIGHT))

    def _instant(self, day: int, at: time) -> datetime:
        return instant_of(datetime.combine(day_of_number(day), at), self._zone)

    def _number(self, moment: datetime) -> int:
        return number_of(moment.astimezone(self._zone).date())
