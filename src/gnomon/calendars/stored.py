"""A calendar from its stored form, and from what authors give."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gnomon.calendars.calendar import Calendar
from gnomon.calendars.named import ByName
from gnomon.errors.timetable import AirflowTimetableInvalid

_KINDS = {
    "country": ("country", "Country"),
    "dates": ("dates", "Dates"),
    "difference": ("combined", "Difference"),
    "exchange": ("exchange", "Exchange"),
    "name": ("named", "ByName"),
    "named": ("named", "Named"),
    "union": ("combined", "Union"),
    "weekends": ("weekends", "Weekends"),
    "working": ("combined", "Working"),
}


def decode(data: dict[str, Any]) -> Calendar:
    """The calendar whose `encode` gave `data`; AirflowTimetableInvalid for a kind that does not exist."""
    found = _KINDS.get(data.get("kind", ""))
    if found is None:
        raise AirflowTimetableInvalid(f"{data.get('kind')!r} is no kind of calendar; there are {', '.join(_KINDS)}")
    module, name = found
    made: Calendar = getattr(import_module(f"gnomon.calendars.{module}"), name).decode(data)
    return made


def calendar_of(given: object) -> Calendar:
    """The calendar that an author gives: one, or the name of one in `gnomon.toml`."""
    if isinstance(given, Calendar):
        return given
    if isinstance(given, str) and given:
        return ByName(given)
    raise AirflowTimetableInvalid(
        f"calendar={given!r} is no calendar; give one of gnomon.calendars, or the name of one in gnomon.toml"
    )
