"""The base class of timetables that step by one span. They have no grid: any instant may be a slot."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta, tzinfo
from typing import Any

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import SECOND
from gnomon.rules.timetables.base import SteppingTimetable
from gnomon.rules.timetables.business.calendar_mixin import CalendarMixin, calendar_arguments
from gnomon.rules.timetables.business.day_filters import SKIP
from gnomon.rules.timetables.granularity import Granularity, span_granularity
from gnomon.rules.timetables.spans import (
    LEAST_ON_BUSINESS_DAYS_S,
    LEAST_S,
    Span,
    add_span,
    compute_fixed_seconds,
    require_forward,
    subtract_span,
)
from gnomon.rules.timetables.wall_clock.clock_change import instant_of
from gnomon.rules.timetables.wall_clock.zones import encode_zone, to_utc, zone_of

MAX_STEPS = 500_000
"""Most steps that the search for a business day takes: five days off in steps of a second."""


class DeltaTimetable(CalendarMixin, SteppingTimetable):
    """A timetable whose slots are one span apart.

    With a calendar, the span is counted from the moved slot before. A slot on a day off is skipped (the next step
    counts) or moved; it is also skipped if it moves back to the slot before or further.
    """

    _delta: Span

    def __init__(self, delta: Span, calendar: object = None, on_holiday: str = SKIP, timezone: object = "UTC") -> None:
        self._delta = delta
        self._timezone: tzinfo = zone_of(timezone)
        self._set_calendar(calendar, on_holiday)

    @property
    def timezone(self) -> tzinfo:
        """The zone whose days the calendar refers to."""
        return self._timezone

    @property
    def span(self) -> Span:
        """The distance between two slots."""
        return self._delta

    @property
    def fixed_step(self) -> int | None:
        """The microseconds from each slot to the next; None if they vary, as with months or a calendar."""
        seconds = compute_fixed_seconds(self._delta)
        return None if seconds is None or self._calendar is not None else int(seconds * SECOND)

    @property
    def follows_runs_before(self) -> bool:
        """True if each step is counted from the moved slot before, so that slots depend on earlier ones."""
        return self._calendar is not None and self._on_holiday != SKIP

    @property
    def granularity(self) -> Granularity:  # type: ignore[override]
        """The granularity of the span."""
        return span_granularity(self._delta)

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid for a span that is not positive."""
        self._require_steps()

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        self._require_steps()
        moment, until = self._align_up(to_utc(start)), to_utc(end)
        while moment < until:
            yield moment
            moment = self._next(moment)

    def _require_steps(self) -> None:
        require_forward(self._delta, "schedule", LEAST_S if self._calendar is None else LEAST_ON_BUSINESS_DAYS_S)

    def _days_data(self) -> dict[str, Any]:
        """The calendar arguments as JSON; empty without a calendar."""
        return {**self._calendar_data(), "timezone": encode_zone(self._timezone)} if self._calendar is not None else {}

    def _next(self, moment: datetime) -> datetime:
        if self._calendar is None:
            return add_span(moment, self._delta)
        step = add_span(moment, self._delta)
        for _ in range(MAX_STEPS):
            moved = self._move(step, self._timezone)
            if moved is not None and moved > moment:
                return moved
            step = self._step_over(step) if self._on_holiday == SKIP else add_span(step, self._delta)
        raise AirflowTimetableInvalid(
            f"none of {MAX_STEPS} steps of {self._delta} from {moment.isoformat()} falls on a business day of calendar "
            f"{self._calendar.label}; choose another span, or move runs with on_holiday='next'"
        )

    def _align_up(self, moment: datetime) -> datetime:
        moved = self._move(moment, self._timezone)
        return moved if moved is not None and moved >= moment else self._next(moment)

    def _align_down(self, moment: datetime) -> datetime:
        """`moment` on a business day; else the last step counted from the same time on the business day before."""
        if self._calendar is None:
            return moment
        wall = moment.astimezone(self._timezone)
        day = self._calendar.roll(wall.date(), "back")
        if day == wall.date():
            return moment
        step = instant_of(datetime.combine(day, wall.time()), self._timezone)
        while (following := self._next(step)) <= moment:
            step = following
        return step

    def _before(self, moment: datetime) -> datetime:
        """A possible slot before one at `moment`."""
        return self._align_down(subtract_span(moment, self._delta))

    def _step_over(self, step: datetime) -> datetime:
        """The first step on the next business day or later, from a step on a day off."""
        assert self._calendar is not None
        day = self._calendar.next_business_day(step.astimezone(self._timezone).date())
        begins = instant_of(datetime.combine(day, time()), self._timezone)
        if not isinstance(self._delta, timedelta):
            return add_span(step, self._delta)
        return step + self._delta * max(1, -((step - begins) // self._delta))


def days_arguments(data: dict[str, Any]) -> dict[str, Any]:
    """The constructor arguments of stored `_days_data`; empty for data without a calendar."""
    calendar_data = calendar_arguments(data)
    return {**calendar_data, "timezone": data.get("timezone", "UTC")} if calendar_data else {}
