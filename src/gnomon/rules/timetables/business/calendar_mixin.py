"""The arguments `calendar=` and `on_holiday=` of periodic timetables.

A timetable supports them in three steps:

1. It inherits from `CalendarMixin`, before its other bases, takes `calendar: object = None, on_holiday: str = "skip"` as
   keywords and passes them to `self._set_calendar(calendar, on_holiday)`.
2. `serialize` adds `**self._calendar_data()` (empty without a calendar, so that older data stays valid), and
   `deserialize` passes `**calendar_arguments(data)` to the constructor.
3. A timetable that finds its labels by day (cron) filters the days with `self._filter_days(days)`; the clock-change rule
   applies to the remaining labels, so a label is moved to another day before a clock change moves it. A timetable without
   labels (delta) moves each instant with `self._move(instant, zone)`.
"""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any, Self

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.calendars.decoding import decode
from gnomon.rules.calendars.named import ByName, calendar_of
from gnomon.rules.timetables.business.day_filters import PREVIOUS, SKIP, BusinessDayFilter, require_on_holiday
from gnomon.rules.timetables.wall_clock.clock_change import instant_of
from gnomon.rules.timetables.wall_clock.labels import DaySet


class CalendarMixin:
    """A timetable that may follow a business calendar."""

    _calendar: Calendar | None = None
    _on_holiday: str = SKIP

    @property
    def calendar(self) -> Calendar | None:
        """The business calendar that the timetable follows; None: no calendar."""
        return self._calendar

    @property
    def calendar_name(self) -> str | None:
        """The name of a calendar that is not looked up yet; else None."""
        return self._calendar.name if isinstance(self._calendar, ByName) else None

    def on_calendar(self, calendar: Calendar) -> Self:
        """A copy of the timetable that follows `calendar`."""
        stored: dict[str, Any] = self.serialize()  # type: ignore[attr-defined]
        timetable: Self = type(self).deserialize({**stored, "calendar": calendar.encode()})  # type: ignore[attr-defined]
        return timetable

    def _set_calendar(self, calendar: object, on_holiday: str) -> None:
        """Checks and stores the two arguments. Raises AirflowTimetableInvalid if they are invalid."""
        require_on_holiday(on_holiday)
        if calendar is None and on_holiday != SKIP:
            raise AirflowTimetableInvalid(f"on_holiday={on_holiday!r} needs calendar=, which defines the holidays")
        self._calendar = None if calendar is None else calendar_of(calendar)
        self._on_holiday = on_holiday

    def _calendar_data(self) -> dict[str, Any]:
        """The two arguments as JSON; empty without a calendar."""
        if self._calendar is None:
            return {}
        return {"calendar": self._calendar.encode(), "on_holiday": self._on_holiday}

    def _filter_days(self, days: DaySet) -> DaySet:
        """The days of the schedule after the calendar has removed or moved days off."""
        return days if self._calendar is None else BusinessDayFilter(days, self._calendar, self._on_holiday)

    def _move(self, instant: datetime, zone: tzinfo) -> datetime | None:
        """`instant` on a business day of `zone`; on a day off, the moved instant by `on_holiday`, or None if it is skipped.

        A moved run keeps its wall-clock time.
        """
        if self._calendar is None:
            return instant
        wall = instant.astimezone(zone)
        if self._calendar.is_business_day(wall.date()):
            return instant
        if self._on_holiday == SKIP:
            return None
        day = self._calendar.roll(wall.date(), "back" if self._on_holiday == PREVIOUS else "forward")
        return instant_of(datetime.combine(day, wall.time()), zone)


def calendar_arguments(data: dict[str, Any]) -> dict[str, Any]:
    """The constructor arguments of stored `_calendar_data`; empty for data without a calendar."""
    if data.get("calendar") is None:
        return {}
    return {"calendar": decode(data["calendar"]), "on_holiday": data.get("on_holiday", SKIP)}
