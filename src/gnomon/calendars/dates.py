"""Own days off: a list of dates, from wherever it was read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Self

from gnomon.calendars.calendar import Calendar
from gnomon.calendars.coverage import Coverage
from gnomon.calendars.weekdays import day_of
from gnomon.errors.timetable import AirflowTimetableInvalid


class Dates(Calendar):
    """These dates are days off, and no others. It covers `since` to `until`: by default whole years, from that of the
    first date to that of the last."""

    def __init__(
        self, days: Iterable[date | str], *, since: date | str | None = None, until: date | str | None = None,
        source: str = "",
    ) -> None:
        self._days = frozenset(map(day_of, days))
        self._source = source
        if not self._days and until is None:
            raise AirflowTimetableInvalid(f"{self._words} is empty; list a date, or say with until= up to when it is complete")
        self._since = day_of(since) if since is not None else date(min(self._days).year, 1, 1) if self._days else None
        self._until = day_of(until) if until is not None else date(max(self._days).year, 12, 31)
        if self._since is not None and self._since > self._until:
            raise AirflowTimetableInvalid(f"{self._words} ends on {self._until} before it begins on {self._since}; correct since= or until=")

    @property
    def label(self) -> str:
        return self._source or "own dates"

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        remedy = "add the days off that are missing, or state with since= and until= for which days the list is complete"
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
        """The calendar that `encode` wrote."""
        return cls(data["days"], since=data["since"], until=data["until"], source=data.get("source", ""))

    @property
    def _words(self) -> str:
        return f"the list of dates in {self._source}" if self._source else "the list of own dates"
