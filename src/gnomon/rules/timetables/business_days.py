"""The timetable `BusinessDays`: a run for each business day of a calendar."""

from __future__ import annotations

from datetime import datetime, time
from functools import cached_property
from typing import Any, Self

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.calendars.date_units import SPANS
from gnomon.rules.calendars.decoding import decode
from gnomon.rules.calendars.named import calendar_of
from gnomon.rules.timetables.business.calendar_mixin import CalendarMixin
from gnomon.rules.timetables.business.day_filters import SKIP, BusinessDayFilter, DayAfter, EveryDay, NthDays
from gnomon.rules.timetables.business.whole_days import WholeDays
from gnomon.rules.timetables.clock_timetable import ClockTimetable
from gnomon.rules.timetables.granularity import Granularity
from gnomon.rules.timetables.interval_timetables import DataIntervalTimetable
from gnomon.rules.timetables.wall_clock.clock_change import LabelClock
from gnomon.rules.timetables.wall_clock.labels import DaySet, Labels
from gnomon.rules.timetables.wall_clock.zones import encode_zone, zone_of

SINCE, AFTER = "since", "after"
INTERVALS = (SINCE, AFTER)


class BusinessDays(CalendarMixin, DataIntervalTimetable, ClockTimetable):
    """A run for each business day of `calendar` (a Calendar, or a name from gnomon.toml).

    `interval` defines the time and the data interval of a run:

    - `"since"` (default): the run is due on the business day at `at`. Its data interval is the time since the run before:
      [the previous business day at `at`, this day at `at`). The intervals leave no gap: Monday's includes the weekend.
    - `"after"`: the run is due after the business day, at `at` on the next day, which may be a day off. Its data interval
      is the whole business day: [midnight, next midnight). With the default `at="00:00"`, Friday's run is due on Saturday
      at 00:00. No interval includes a day off.

    `nth`, with `of` ("week", "month" or "quarter"), keeps only the n-th business day of each; -1 is the last one. `at` is a
    time of `timezone`, by the clock-change rule. A manual run has the last complete interval. Raises
    AirflowTimetableInvalid for invalid arguments.
    """

    def __init__(
        self,
        calendar: object,
        at: str | time = "00:00",
        timezone: object = "UTC",
        *,
        interval: str = SINCE,
        nth: int | None = None,
        of: str = "month",
    ) -> None:
        self._calendar = calendar_of(calendar)
        self._at = parse_time(at)
        self._timezone = zone_of(timezone)
        if interval not in INTERVALS:
            raise AirflowTimetableInvalid(f"interval={interval!r} is none of {', '.join(map(repr, INTERVALS))}")
        if of not in SPANS:
            raise AirflowTimetableInvalid(f"of={of!r} is none of {', '.join(map(repr, SPANS))}")
        if nth == 0:
            raise AirflowTimetableInvalid("nth=0: count business days from 1, or from -1 for the last one backwards")
        self._interval = interval
        self._nth = nth
        self._of = of

    @property
    def granularity(self) -> Granularity:  # type: ignore[override]
        """A run a day, or the n-th of each week, month or quarter."""
        if self._nth is None:
            return "day"
        return "week" if self._of == "week" else "month"

    def serialize(self) -> dict[str, Any]:
        return {
            "calendar": _encode_calendar(self),
            "at": self._at.isoformat(),
            "timezone": encode_zone(self._timezone),
            "interval": self._interval,
            "nth": self._nth,
            "of": self._of,
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            decode(data["calendar"]),
            data["at"],
            data["timezone"],
            interval=data.get("interval", SINCE),
            nth=data.get("nth"),
            of=data.get("of", "month"),
        )

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        if self._interval == AFTER:
            return self._whole_days.plan_next(last, restriction, now)
        return super().plan_next(last, restriction, now)

    def infer_manual(self, run_after: datetime) -> DataInterval:
        interval = self._whole_days.newest(run_after) if self._interval == AFTER else self._last_complete(run_after)
        return DataInterval.exact(run_after) if interval is None else interval

    def _newest_start(self, earliest: datetime | None, now: datetime) -> datetime | None:
        newest = self._last_complete(now)
        start = None if earliest is None else self._align_up(earliest)
        return newest.start if newest is not None and (start is None or start <= newest.start) else start

    def _last_complete(self, moment: datetime) -> DataInterval | None:
        """The newest interval that is complete at `moment`; None if there is none."""
        end = self._align_down(moment)
        start = None if end is None else self._before(end)
        return None if end is None or start is None else DataInterval(start, end)

    @cached_property
    def _clock(self) -> LabelClock:
        days = self._days if self._interval == SINCE else DayAfter(self._days)
        labels = Labels(days, [self._at.hour * 60 + self._at.minute], [self._at.second])
        return LabelClock(labels, self._timezone, both=False)

    @cached_property
    def _whole_days(self) -> WholeDays:
        return WholeDays(self._days, self._at, self._timezone)

    @cached_property
    def _days(self) -> DaySet:
        assert self._calendar is not None
        if self._nth is not None:
            return NthDays(self._calendar, self._nth, self._of)
        return BusinessDayFilter(EveryDay(), self._calendar, SKIP)


def parse_time(value: object) -> time:
    """The time of day of a `datetime.time`, or of a text `HH:MM` or `HH:MM:SS`. Raises AirflowTimetableInvalid for others."""
    parsed_time = value
    if isinstance(value, str) and ":" in value:
        try:
            parsed_time = time.fromisoformat(value)
        except ValueError:
            parsed_time = None
    if isinstance(parsed_time, time) and parsed_time.tzinfo is None and not parsed_time.microsecond:
        return parsed_time
    raise AirflowTimetableInvalid(f"at={value!r} is not a time of day; write it as 'HH:MM', for example at='06:30'")


def _encode_calendar(timetable: CalendarMixin) -> dict[str, Any] | None:
    return None if timetable.calendar is None else timetable.calendar.encode()
