"""Calendars with a name of `gnomon.toml`: already looked up (`Named`), and not yet (`ByName`)."""

from __future__ import annotations

from datetime import date
from typing import Any, NoReturn, Self

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.calendar import Calendar, CalendarDecoder
from gnomon.rules.calendars.coverage import Coverage


class Named(Calendar):
    """A calendar of `gnomon.toml`: its name, and its definition when it was looked up."""

    def __init__(self, name: str, calendar: Calendar) -> None:
        self.name = name
        self.meaning = calendar

    @property
    def label(self) -> str:
        return self.name

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        return self.meaning.coverages

    @property
    def weekly(self) -> frozenset[int]:
        return self.meaning.weekly

    def is_off(self, day: date) -> bool:
        return self.meaning.is_off(day)

    def reason(self, day: date) -> str:
        return self.meaning.reason(day)

    def encode(self) -> dict[str, Any]:
        return {"kind": "named", "name": self.name, "of": self.meaning.encode()}

    @classmethod
    def decode(cls, data: dict[str, Any], decode_part: CalendarDecoder) -> Self:
        """The calendar whose `encode` returned `data`. `decode_part` decodes the looked-up calendar."""
        return cls(data["name"], decode_part(data["of"]))


class ByName(Calendar):
    """A name that a DAG looks up in `gnomon.toml` when the DAG is created. Until then each question raises."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def label(self) -> str:
        return self.name

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        self._refuse()

    def is_off(self, day: date) -> bool:
        self._refuse()

    def encode(self) -> dict[str, Any]:
        return {"kind": "name", "name": self.name}

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar whose `encode` returned `data`."""
        return cls(data["name"])

    def _refuse(self) -> NoReturn:
        raise AirflowTimetableInvalid(
            f"calendar {self.name!r} was not looked up: give the timetable to a DAG, or write calendar("
            f"{self.name!r}) with `from gnomon import calendar`"
        )


def calendar_of(calendar: object) -> Calendar:
    """The calendar of an author's argument: a Calendar, or a name of `gnomon.toml`. Raises AirflowTimetableInvalid for others."""
    if isinstance(calendar, Calendar):
        return calendar
    if isinstance(calendar, str) and calendar:
        return ByName(calendar)
    raise AirflowTimetableInvalid(
        f"calendar={calendar!r} is not a calendar; give a calendar of gnomon.calendars, or a name from gnomon.toml"
    )
