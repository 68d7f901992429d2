"""The base class of period timetables: time zone, calendar, data interval, and planning.

A run is due at its slot, and the dates of a DAG limit the slots: the first run is the first slot at or after the start
date, the last run is the last slot at or before the end date. (So the slots of a day follow from the timetable and the
DAG's dates alone. Airflow's CronDataIntervalTimetable limits the starts of intervals instead: its first run is one slot
later, and one run may come after the end date.) With catchup, all missed slots run; without it, only the newest one. A DAG
without a start date begins with the next slot.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any, Literal, Self, TypedDict

from gnomon.model.slots import DataInterval
from gnomon.rules.timetables.business.calendar_mixin import CalendarMixin, calendar_arguments
from gnomon.rules.timetables.business.day_filters import EveryDay
from gnomon.rules.timetables.clock_timetable import ClockTimetable
from gnomon.rules.timetables.granularity import Granularity
from gnomon.rules.timetables.periods.period_arguments import argument_error
from gnomon.rules.timetables.trigger_timetables import TriggerTimetable
from gnomon.rules.timetables.wall_clock.clock_change import LabelClock
from gnomon.rules.timetables.wall_clock.labels import DaySet, Labels
from gnomon.rules.timetables.wall_clock.zones import encode_zone, zone_of

PERIOD: Literal["period"] = "period"
IntervalOption = Literal["period"] | timedelta | None
"""The argument `interval=`: from the slot before to this one, an instant, or a span that ends at the slot."""


class PeriodArguments(TypedDict, total=False):
    """The keyword arguments of every period timetable."""

    timezone: str | int | tzinfo
    """The time zone of the wall-clock times; default UTC."""
    interval: IntervalOption
    calendar: object
    """A business calendar (`gnomon.calendars`), or the name of one in `gnomon.toml`."""
    on_holiday: str
    """For a slot on a day off: "skip" it, or move it to the "previous" or "next" business day."""


class PeriodTimetable(CalendarMixin, TriggerTimetable, ClockTimetable):
    """Runs at wall-clock times of a zone. By default, the data interval of a run is the time since the slot before."""

    granularity: Granularity
    _every_hour = False
    """True if every hour runs, so that a repeated one runs twice; else hours are stated ones for the clock-change rule."""

    def __init__(
        self,
        *,
        timezone: str | int | tzinfo = "UTC",
        interval: IntervalOption = PERIOD,
        calendar: object = None,
        on_holiday: str = "skip",
    ) -> None:
        self._timezone = zone_of(timezone)
        if interval not in (PERIOD, None) and (not isinstance(interval, timedelta) or interval < timedelta()):
            raise argument_error(
                f"{type(self).__name__}(interval=",
                interval,
                "is none of 'period', None and a timedelta of zero or more",
            )
        self._about_slot: IntervalOption = interval
        self._interval = interval if isinstance(interval, timedelta) else timedelta()
        self._set_calendar(calendar, on_holiday)

    @abstractmethod
    def _arguments(self) -> dict[str, Any]:
        """The arguments other than PeriodArguments, as JSON."""

    @abstractmethod
    def _minutes(self) -> Iterable[int]:
        """The slots of a day, in minutes since midnight."""

    def _days(self) -> DaySet:
        """The days on which it runs."""
        return EveryDay()

    def validate(self) -> None:
        """Does nothing: the constructor has checked the arguments."""

    def serialize(self) -> dict[str, Any]:
        about = self._about_slot
        return {
            **self._arguments(),
            "timezone": encode_zone(self._timezone),
            "interval": about.total_seconds() if isinstance(about, timedelta) else about,
            **self._calendar_data(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        own = {key: value for key, value in data.items() if key not in PeriodArguments.__annotations__}
        about = data.get("interval", PERIOD)
        common: PeriodArguments = {
            "timezone": data["timezone"],
            "interval": timedelta(seconds=about) if isinstance(about, (int, float)) else about,
        }
        return cls(**own, **common, **calendar_arguments(data))

    def infer_manual(self, run_after: datetime) -> DataInterval:
        """The last complete period; or the instant, or the span that ends there, by `interval=`."""
        if self._about_slot != PERIOD:
            return super().infer_manual(run_after)
        ended = self._align_down(run_after)
        return DataInterval.exact(run_after) if ended is None else self._about(ended)

    @cached_property
    def _clock(self) -> LabelClock:
        labels = Labels(self._filter_days(self._days()), self._minutes())
        return LabelClock(labels, self._timezone, self._every_hour)

    def _first(self, now: datetime) -> datetime | None:
        return self._align_up(now)

    def _about(self, slot: datetime) -> DataInterval:
        if self._about_slot != PERIOD:
            return super()._about(slot)
        return DataInterval(self._before(slot) or slot, slot)
