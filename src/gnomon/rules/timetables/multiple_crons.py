"""`MultipleCronTriggerTimetable`: several cron expressions as one schedule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from heapq import merge
from typing import Any, Self

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.base import BuiltinTimetable
from gnomon.rules.timetables.business.calendar_mixin import CalendarMixin, calendar_arguments
from gnomon.rules.timetables.cron.cron_fields import CRON_PRESETS
from gnomon.rules.timetables.granularity import Granularity, crons_granularity
from gnomon.rules.timetables.spans import Span, decode_span, encode_span, subtract_span
from gnomon.rules.timetables.trigger_timetables import CronTriggerTimetable, decode_immediately, encode_immediately
from gnomon.rules.timetables.wall_clock.clock_change import LabelClock
from gnomon.rules.timetables.wall_clock.zones import encode_zone, zone_of


class MultipleCronTriggerTimetable(CalendarMixin, BuiltinTimetable):
    """Runs at the instants of several cron expressions; expressions with the same instant make one run there."""

    def __init__(
        self,
        *crons: str,
        timezone: object,
        interval: Span = timedelta(),
        run_immediately: bool | timedelta | None = False,
        calendar: object = None,
        on_holiday: str = "skip",
    ) -> None:
        if not crons:
            raise ValueError("MultipleCronTriggerTimetable needs at least one cron expression, for example '0 0 * * *'")
        if not all(isinstance(cron, str) for cron in crons):
            raise TypeError("MultipleCronTriggerTimetable takes cron expressions as separate text arguments")
        zone = zone_of(timezone)
        self._set_calendar(calendar, on_holiday)
        self._members = [
            CronTriggerTimetable(
                cron,
                timezone=zone,
                interval=interval,
                run_immediately=run_immediately,
                calendar=self._calendar,
                on_holiday=on_holiday,
            )
            for cron in (CRON_PRESETS.get(cron, cron) for cron in crons)
        ]
        self._timezone = zone
        self._interval = interval
        self._run_immediately = run_immediately

    @property
    def timezone(self) -> tzinfo:
        """The zone of the expressions."""
        return self._timezone

    @property
    def reach(self) -> Span:
        """How far the data interval of a run reaches back."""
        return self._interval

    @property
    def clocks(self) -> tuple[LabelClock, ...]:
        """The label clocks of its members."""
        return tuple(clock for member in self._members for clock in member.clocks)

    @property
    def granularity(self) -> Granularity:  # type: ignore[override]
        """The granularity of all expressions together."""
        return crons_granularity(member.fields for member in self._members)

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid for the first expression that is invalid or never fires."""
        for member in self._members:
            member.validate()

    def serialize(self) -> dict[str, Any]:
        return {
            "expressions": [member.expression for member in self._members],
            "timezone": encode_zone(self._timezone),
            "interval": encode_span(self._interval),
            "run_immediately": encode_immediately(self._run_immediately),
            **self._calendar_data(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            *data["expressions"],
            timezone=data["timezone"],
            interval=decode_span(data.get("interval", 0.0)),
            run_immediately=decode_immediately(data.get("run_immediately", False)),
            **calendar_arguments(data),
        )

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        infos = [info for member in self._members if (info := member.plan_next(last, restriction, now)) is not None]
        if not infos:
            return None
        due = [info for info in infos if info.run_after <= now]
        if due and not restriction.catchup:
            return max(due, key=lambda info: info.run_after)
        return min(infos, key=lambda info: info.run_after)

    def infer_manual(self, run_after: datetime) -> DataInterval:
        return DataInterval(subtract_span(run_after, self._interval), run_after)

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        previous: datetime | None = None
        for moment in merge(*(member.slots_between(start, end) for member in self._members)):
            if moment != previous:
                yield moment
            previous = moment
