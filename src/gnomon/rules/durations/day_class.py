"""The classes of a run by which durations differ: the local day of its slot and its type, from fine to coarse."""

from __future__ import annotations

import calendar
from datetime import date

RunClass = tuple[object, ...]


def list_classes(day: date, run_type: str) -> tuple[RunClass, ...]:
    """The classes of a run of that local day, finest first: weekday, workday or weekend, run type, all."""
    is_month_end = day.day == calendar.monthrange(day.year, day.month)[1]
    return (
        ("weekday", day.weekday(), is_month_end, run_type),
        ("kind of day", day.weekday() >= calendar.SATURDAY, is_month_end, run_type),
        ("run type", run_type),
        (),
    )
