"""What all period timetables share: a zone, a calendar, what a run is about, and how slots are planned.

A slot is due at its own instant, and bounds are bounds of slots: with a start date, the first run is the first slot
that is not before it; with an end date, the last run is the last slot that is not after it. (So the slots of a day can
be told from the timetable and the DAG's dates alone. Airflow's CronDataIntervalTimetable instead bounds the starts of
intervals: its first run is one slot later, and one run may come after the end date.) With catchup, missed slots are made
up; without it, the newest missed one runs. A DAG without a start date begins with the next slot.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any, Literal, Self, TypedDict

from gnomon.model.slots import DataInterval
from gnomon.timetables.business.calendar_mixin import CalendarMixin, calendar_arguments
from gnomon.timetables.business.day_filters import EveryDay
from gnomon.timetables.granularity import Granularity
from gnomon.timetables.periods.period_arguments import argument_error
from gnomon.timetables.trigger_timetables import TriggerTimetable
from gnomon.timetables.wall_clock.clock_change import LabelClock
from gnomon.timetables.wall_clock.clock_timetable import ClockTimetable
from gnomon.timetables.wall_clock.labels import DaySet, Labels
from gnomon.timetables.wall_clock.zones import encode_zone, zone_of

PERIOD: Literal["period"] = "period"
IntervalOption = Literal["period"] | timedelta | None
"""What `interval=` takes: from the slot before to this one, an instant, or a span that ends at the slot."""


class PeriodArguments(TypedDict, total=False):
    """The keywords of every period timetable."""

    timezone: str | int | tzinfo
    """Whose clock it goes by; UTC if not given."""
    interval: IntervalOption
    calendar: object
    """A business calendar (`gnomon.calendars`), or the name of one in `gnomon.toml`."""
    on_holiday: str
    """What happens to a slot on a day off: "skip" it, or move it to the "previous" or "next" business day."""


class PeriodTimetable(CalendarMixin, TriggerTimetable, ClockTimetable):
    """Runs at wall-clock times of a zone. A run is about the time from the slot before to its own, unless told."""

    granularity: Granularity
    _every_hour = False
    """Whether every real hour runs when clocks change; else the hours are given ones."""

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
                f"{type(self).__name__}(interval=", interval, "is none of 'period', None and a timedelta of zero or more"
            )
        self._about_slot: IntervalOption = interval
        self._interval = interval if isinstance(interval, timedelta) else timedelta()
        self._keep_calendar(calendar, on_holiday)

    @abstractmethod
    def _arguments(self) -> dict[str, Any]:
        """JSON of the arguments of its own, by which it is made again."""

    @abstractmethod
    def _minutes(self) -> Iterable[int]:
        """The minutes of the day at which it runs."""

    def _days(self) -> DaySet:
        """The days that it names."""
        return EveryDay()

    @property
    @abstractmethod
    def _short(self) -> str:
        """For listings."""

    @property
    @abstractmethod
    def _sentence(self) -> str:
        """In words, without zone and calendar."""

    @property
    def summary(self) -> str:
        return self._in_words(self._short)

    @property
    def description(self) -> str:  # type: ignore[override]
        """In words."""
        return self._in_words(f"{self._sentence} ({encode_zone(self._timezone)})")

    def validate(self) -> None:
        """Arguments are checked when it is made; nothing is left to check."""

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
        """About the last period that is complete; or the instant, or the span that ends there."""
        if self._about_slot != PERIOD:
            return super().infer_manual(run_after)
        ended = self._align_down(run_after)
        return DataInterval.exact(run_after) if ended is None else self._about(ended)

    @cached_property
    def _clock(self) -> LabelClock:
        labels = Labels(self._days_kept(self._days()), self._minutes())
        return LabelClock(labels, self._timezone, self._every_hour)

    def _first(self, now: datetime) -> datetime | None:
        return self._align_up(now)

    def _about(self, slot: datetime) -> DataInterval:
        if self._about_slot != PERIOD:
            return super()._about(slot)
        return DataInterval(self._before(slot) or slot, slot)
