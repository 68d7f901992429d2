"""`calendar=` and `on_holiday=` of a periodic timetable: one mixin for all of them.

How a timetable takes part:

1. It inherits from `CalendarMixin`, before its other bases, takes `calendar: object = None, on_holiday: str = "skip"` as
   keywords and hands them to `self._keep_calendar(calendar, on_holiday)`.
2. `serialize` adds `**self._calendar_data()` (nothing without a calendar: older data stays what it was), and
   `deserialize` hands `**calendar_arguments(data)` to the constructor.
3. `summary` and `description` go through `self._in_words(text)`.
4. Its instants follow the calendar: one that finds its labels by day (cron) asks `self._days_kept(days)` for the days
   to take; the clock-change rule is applied to what remains, so a label moves before it meets a clock change.
   One that has instants and no labels (delta) moves each with `self._moved(instant, zone)`.
"""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any, Self

from gnomon.calendars.calendar import Calendar
from gnomon.calendars.decoding import decode
from gnomon.calendars.named import ByName, calendar_of
from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables.business.day_filters import PREVIOUS, SKIP, BusinessDayFilter, require_on_holiday
from gnomon.timetables.wall_clock.clock_change import instant_of
from gnomon.timetables.wall_clock.labels import DaySet


class CalendarMixin:
    """A timetable that may follow a business calendar."""

    _calendar: Calendar | None = None
    _on_holiday: str = SKIP

    @property
    def calendar(self) -> Calendar | None:
        """The calendar that it follows; None: all days are alike."""
        return self._calendar

    @property
    def calendar_name(self) -> str | None:
        """The name of its calendar, while nobody has looked it up."""
        return self._calendar.name if isinstance(self._calendar, ByName) else None

    def on_calendar(self, calendar: Calendar) -> Self:
        """The same timetable on this calendar."""
        stored: dict[str, Any] = self.serialize()  # type: ignore[attr-defined]
        made: Self = type(self).deserialize({**stored, "calendar": calendar.encode()})  # type: ignore[attr-defined]
        return made

    def _keep_calendar(self, calendar: object, on_holiday: str) -> None:
        """The two arguments are kept; AirflowTimetableInvalid when they make no sense."""
        require_on_holiday(on_holiday)
        if calendar is None and on_holiday != SKIP:
            raise AirflowTimetableInvalid(f"on_holiday={on_holiday!r} needs calendar=, which says what a holiday is")
        self._calendar = None if calendar is None else calendar_of(calendar)
        self._on_holiday = on_holiday

    def _calendar_data(self) -> dict[str, Any]:
        """The two arguments as JSON; empty without a calendar."""
        if self._calendar is None:
            return {}
        return {"calendar": self._calendar.encode(), "on_holiday": self._on_holiday}

    def _in_words(self, text: str) -> str:
        """`text` with what the calendar does to it; an empty one stays so."""
        if self._calendar is None or not text:
            return text
        return text + _ON_HOLIDAY_WORDS[self._on_holiday].format(self._calendar.label)

    def _days_kept(self, days: DaySet) -> DaySet:
        """The days on which runs remain, of those that the schedule names."""
        return days if self._calendar is None else BusinessDayFilter(days, self._calendar, self._on_holiday)

    def _moved(self, instant: datetime, zone: tzinfo) -> datetime | None:
        """Where a run at `instant` goes: itself on a business day of `zone`, else as `on_holiday` says; None: left out.

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
    """The keywords that `_calendar_data` was made of; none for data from before there were calendars."""
    if data.get("calendar") is None:
        return {}
    return {"calendar": decode(data["calendar"]), "on_holiday": data.get("on_holiday", SKIP)}


_ON_HOLIDAY_WORDS = {
    SKIP: ", on business days of {}",
    "previous": ", moved back to business days of {}",
    "next": ", moved on to business days of {}",
}
