"""Business calendars: which days are worked, asked by date. Pure: a calendar is plain data, files are read elsewhere."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.calendars.calendar import Calendar, Difference, Union, Working, decode
    from gnomon.calendars.country import Country
    from gnomon.calendars.exchange import Exchange
    from gnomon.calendars.fixed_calendars import Dates, Weekends
    from gnomon.calendars.named import ByName, Named, calendar_of

_HOMES = {
    "ByName": "named",
    "Calendar": "calendar",
    "Country": "country",
    "Dates": "fixed_calendars",
    "Difference": "calendar",
    "Exchange": "exchange",
    "Named": "named",
    "Union": "calendar",
    "Weekends": "fixed_calendars",
    "Working": "calendar",
    "calendar_of": "named",
    "decode": "calendar",
}

__all__ = [
    "ByName",
    "Calendar",
    "Country",
    "Dates",
    "Difference",
    "Exchange",
    "Named",
    "Union",
    "Weekends",
    "Working",
    "calendar_of",
    "decode",
]


def __getattr__(name: str) -> Any:
    """Imports the module of a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
