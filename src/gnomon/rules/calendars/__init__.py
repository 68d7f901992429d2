"""Business calendars: which dates are business days.

Pure: a calendar is plain data, and files are read in `gnomon.authoring.sdk.schedules`. Open `calendar.py` first: the base class
`Calendar` and the calendars that combine others. `fixed_calendars.py`, `country.py` and `exchange.py` are the kinds,
`named.py` the names of `gnomon.toml`, `decoding.py` reads the stored form, `date_files.py` parses CSV and ICS text.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
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
    "decode": "decoding",
}

__all__ = [*_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Imports the module of a name at its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
