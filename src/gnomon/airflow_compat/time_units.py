"""`infer_time_unit`, `scale_time_units` and `datetime_to_nano` of `airflow.utils.dates`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence

_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_LIMITS = (("seconds", 2 * 60), ("minutes", 2 * 60 * 60), ("hours", 2 * 24 * 60 * 60))
"""Unit to the number of seconds up to which it is used."""


def infer_time_unit(time_seconds_arr: Collection[float]) -> str:
    """Return the unit in which the longest of these spans, in seconds, is a handy number; hours when there is none."""
    longest = max(time_seconds_arr, default=None)
    if longest is None:
        return "hours"
    return next((unit for unit, limit in _LIMITS if longest <= limit), "days")


def scale_time_units(time_seconds_arr: Collection[float], unit: str) -> Sequence[float]:
    """Return the spans, in seconds, in another unit: minutes, hours or days; unchanged for any other text."""
    factor = _SECONDS.get(unit, 1)
    return list(time_seconds_arr) if factor == 1 else [seconds / factor for seconds in time_seconds_arr]


def datetime_to_nano(datetime: dt.datetime | None) -> int | None:
    """Return the nanoseconds since 1970 of an instant; a naive one is in UTC."""
    if datetime is None:
        return None
    aware = datetime if datetime.tzinfo else datetime.replace(tzinfo=dt.UTC)
    return int(aware.timestamp() * 1_000_000_000)
