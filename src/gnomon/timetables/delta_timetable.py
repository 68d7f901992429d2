"""What all timetables with one span share: it has no grid, so any instant may be one of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta, tzinfo
from typing import Any

from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables.base import SteppingTimetable
from gnomon.timetables.business.calendar_mixin import CalendarMixin, calendar_arguments
from gnomon.timetables.business.day_filters import SKIP
from gnomon.timetables.granularity import Granularity, span_granularity
from gnomon.timetables.spans import Span, add_span, require_forward, subtract_span
from gnomon.timetables.wall_clock.clock_change import instant_of
from gnomon.timetables.wall_clock.zones import encode_zone, to_utc, zone_of

MAX_STEPS = 500_000
"""So many steps reach over five days off a second at a time; a schedule that needs more never meets the calendar."""


class DeltaTimetable(CalendarMixin, SteppingTimetable):
    """A timetable whose instants lie one span apart.

    With a calendar, the span is counted from where the run before went. What falls on a day off is left out (the next
    step counts), or moved; moved back to the run before or further, it is left out too.
    """

    _delta: Span

    def __init__(self, delta: Span, calendar: object = None, on_holiday: str = SKIP, timezone: object = "UTC") -> None:
        self._delta = delta
        self._timezone: tzinfo = zone_of(timezone)
        self._keep_calendar(calendar, on_holiday)

    @property
    def timezone(self) -> tzinfo:
        """The zone whose days count, where there is a calendar."""
        return self._timezone

    @property
    def span(self) -> Span:
        """The step."""
        return self._delta

    @property
    def follows_runs_before(self) -> bool:
        """Whether its grid moves with its runs: each step is counted from where the run before was moved to."""
        return self._calendar is not None and self._on_holiday != SKIP

    @property
    def summary(self) -> str:
        return self._in_words(str(self._delta))

    @property
    def granularity(self) -> Granularity:  # type: ignore[override]
        """The kind of its length."""
        return span_granularity(self._delta)

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid for a span that does not go forward."""
        require_forward(self._delta, "schedule")

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        require_forward(self._delta, "schedule")
        moment, until = self._align_up(to_utc(start)), to_utc(end)
        while moment < until:
            yield moment
            moment = self._next(moment)

    def _days_data(self) -> dict[str, Any]:
        """The arguments about days off as JSON; empty without a calendar."""
        return {**self._calendar_data(), "timezone": encode_zone(self._timezone)} if self._calendar is not None else {}

    def _next(self, moment: datetime) -> datetime:
        if self._calendar is None:
            return add_span(moment, self._delta)
        step = add_span(moment, self._delta)
        for _ in range(MAX_STEPS):
            kept = self._moved(step, self._timezone)
            if kept is not None and kept > moment:
                return kept
            step = self._step_over(step) if self._on_holiday == SKIP else add_span(step, self._delta)
        raise AirflowTimetableInvalid(
            f"none of {MAX_STEPS} steps of {self._delta} from {moment.isoformat()} falls on a business day of calendar "
            f"{self._calendar.label}; choose another span, or move runs with on_holiday='next'"
        )

    def _align_up(self, moment: datetime) -> datetime:
        kept = self._moved(moment, self._timezone)
        return kept if kept is not None and kept >= moment else self._next(moment)

    def _align_down(self, moment: datetime) -> datetime:
        """Itself on a business day, else the last step that counts from the same time on the business day before."""
        if self._calendar is None:
            return moment
        wall = moment.astimezone(self._timezone)
        day = self._calendar.roll(wall.date(), "back")
        if day == wall.date():
            return moment
        found = instant_of(datetime.combine(day, wall.time()), self._timezone)
        while (following := self._next(found)) <= moment:
            found = following
        return found

    def _before(self, moment: datetime) -> datetime:
        """Where the run before one at `moment` may have been."""
        return self._align_down(subtract_span(moment, self._delta))

    def _step_over(self, step: datetime) -> datetime:
        """The first step on the next business day or later, from one on a day off."""
        assert self._calendar is not None
        day = self._calendar.next_business_day(step.astimezone(self._timezone).date())
        begins = instant_of(datetime.combine(day, time()), self._timezone)
        if not isinstance(self._delta, timedelta):
            return add_span(step, self._delta)
        return step + self._delta * max(1, -((step - begins) // self._delta))


def days_arguments(data: dict[str, Any]) -> dict[str, Any]:
    """The keywords that `_days_data` was made of; none for data from before there were calendars."""
    found = calendar_arguments(data)
    return {**found, "timezone": data.get("timezone", "UTC")} if found else {}
