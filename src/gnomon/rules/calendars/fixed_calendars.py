"""Calendars without a library: weekly days off, and a list of dates."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Self

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.sentences import render, say
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.calendars.coverage import Coverage
from gnomon.rules.calendars.date_units import SATURDAY_SUNDAY, WEEKDAY_NAMES, parse_day, parse_weekday_numbers


class Weekends(Calendar):
    """Weekly days off: Saturday and Sunday, or the given weekdays, as in `Weekends("fri", "sat")`. Covers all days."""

    def __init__(self, *days: str | int) -> None:
        self._days = parse_weekday_numbers(days or ("sat", "sun"))
        if len(self._days) == len(WEEKDAY_NAMES):
            raise AirflowTimetableInvalid("all seven weekdays are days off; leave out at least one")

    @property
    def label(self) -> str:
        if self._days == SATURDAY_SUNDAY:
            return render(say("calendar_of_weekdays"))
        names = ", ".join(WEEKDAY_NAMES[day] for day in sorted(self._days))
        return render(say("calendar_of_all_days_but", weekdays=names))

    @property
    def weekly(self) -> frozenset[int]:
        return self._days

    def is_off(self, day: date) -> bool:
        return day.weekday() in self._days

    def encode(self) -> dict[str, Any]:
        return {"kind": "weekends", "days": sorted(self._days)}

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar whose `encode` returned `data`."""
        return cls(*data["days"])


class Dates(Calendar):
    """The given dates are days off, and no others. Covers the days from `since` to `until`; the default is whole years, from
    the year of the first date to the year of the last. `source`: the name of the list in messages."""

    def __init__(
        self,
        days: Iterable[date | str],
        *,
        since: date | str | None = None,
        until: date | str | None = None,
        source: str = "",
    ) -> None:
        self._days = frozenset(map(parse_day, days))
        self._source = source
        if not self._days and until is None:
            raise AirflowTimetableInvalid(
                f"{self._words} is empty; add a date, or give with until= the day up to which it is complete"
            )
        self._since = (
            parse_day(since) if since is not None else date(min(self._days).year, 1, 1) if self._days else None
        )
        self._until = parse_day(until) if until is not None else date(max(self._days).year, 12, 31)
        if self._since is not None and self._since > self._until:
            raise AirflowTimetableInvalid(
                f"{self._words} ends on {self._until} before it begins on {self._since}; correct since= or until="
            )

    @property
    def label(self) -> str:
        return self._source or render(say("calendar_of_own_dates"))

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        remedy = (
            "add the days off that are missing, or give with since= and until= the days for which the list is complete"
        )
        return (Coverage(self._words, self._since, self._until, remedy),)

    def is_off(self, day: date) -> bool:
        return day in self._days

    def encode(self) -> dict[str, Any]:
        return {
            "kind": "dates",
            "days": [day.isoformat() for day in sorted(self._days)],
            "since": None if self._since is None else self._since.isoformat(),
            "until": self._until.isoformat(),
            "source": self._source,
        }

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar whose `encode` returned `data`."""
        return cls(data["days"], since=data["since"], until=data["until"], source=data.get("source", ""))

    @property
    def _words(self) -> str:
        return f"the list of dates in {self._source}" if self._source else "the list of own dates"
