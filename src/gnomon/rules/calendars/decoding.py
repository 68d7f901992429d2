"""From the stored form of a calendar back to the calendar."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.calendar import Calendar


def decode(data: dict[str, Any]) -> Calendar:
    """The calendar whose `encode` returned `data`. Raises AirflowTimetableInvalid for an unknown kind."""
    kind = data.get("kind", "")
    if kind in _SIMPLE_KINDS:
        simple: Calendar = _find_class(_SIMPLE_KINDS[kind]).decode(data)
        return simple
    if kind in _COMPOSITE_KINDS:
        composite: Calendar = _find_class(_COMPOSITE_KINDS[kind]).decode(data, decode)
        return composite
    kinds = ", ".join(sorted({**_SIMPLE_KINDS, **_COMPOSITE_KINDS}))
    raise AirflowTimetableInvalid(f"{data.get('kind')!r} is not a kind of calendar; the kinds are {kinds}")


def _find_class(path: str) -> Any:
    """The class at `module.Class` in this package, imported at first use: start-up imports no unused kind."""
    module, _, name = path.partition(".")
    return getattr(import_module(f"gnomon.rules.calendars.{module}"), name)


_SIMPLE_KINDS = {
    "country": "country.Country",
    "dates": "fixed_calendars.Dates",
    "exchange": "exchange.Exchange",
    "name": "named.ByName",
    "weekends": "fixed_calendars.Weekends",
}
_COMPOSITE_KINDS = {
    "difference": "calendar.Difference",
    "named": "named.Named",
    "union": "calendar.Union",
    "working": "calendar.Working",
}
"""Calendars that hold other calendars: their `decode` takes the decoder of the parts as an argument."""
