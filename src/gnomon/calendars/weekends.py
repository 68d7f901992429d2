"""The weekly days off."""

from __future__ import annotations

from datetime import date
from typing import Any, Self

from gnomon.calendars.calendar import Calendar
from gnomon.calendars.weekdays import NAMES, SATURDAY_SUNDAY, weekday_numbers
from gnomon.errors.timetable import AirflowTimetableInvalid


class Weekends(Calendar):
    """Days off of every week: Saturday and Sunday, or those given, as `Weekends("fri", "sat")`. Covers all days."""

    def __init__(self, *days: str | int) -> None:
        self._days = weekday_numbers(days or ("sat", "sun"))
        if len(self._days) == len(NAMES):
            raise AirflowTimetableInvalid("all seven days are given as days off; leave at least one to work on")

    @property
    def label(self) -> str:
        if self._days == SATURDAY_SUNDAY:
            return "weekdays"
        return f"all days but {', '.join(NAMES[day] for day in sorted(self._days))}"

    @property
    def weekly(self) -> frozenset[int]:
        return self._days

    def is_off(self, day: date) -> bool:
        return day.weekday() in self._days

    def encode(self) -> dict[str, Any]:
        return {"kind": "weekends", "days": sorted(self._days)}

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar that `encode` wrote."""
        return cls(*data["days"])
