"""Business calendars in code. Public: each module is imported when one of its names is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.rules import calendars as _package

if TYPE_CHECKING:
    from gnomon.rules.calendars.calendar import Calendar, Difference, Union, Working
    from gnomon.rules.calendars.country import Country
    from gnomon.rules.calendars.decoding import decode
    from gnomon.rules.calendars.exchange import Exchange
    from gnomon.rules.calendars.fixed_calendars import Dates, Weekends
    from gnomon.rules.calendars.named import ByName, Named, calendar_of


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
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(_package, name)
