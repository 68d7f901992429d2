"""The classes of a run by which durations differ: the local day of its slot and its type, from fine to coarse."""

from __future__ import annotations

import calendar
from datetime import date
from typing import NamedTuple

RunClass = tuple[object, ...]


class DayClass(NamedTuple):
    """The finest class of a run."""

    weekday: int
    """Monday is 0."""
    is_month_end: bool
    run_type: str


def classify(day: date, run_type: str) -> DayClass:
    """The class of a run of that local day."""
    return DayClass(day.weekday(), day.day == calendar.monthrange(day.year, day.month)[1], run_type)


def list_classes(finest: DayClass) -> tuple[RunClass, ...]:
    """The classes that a run of this class belongs to, finest first: weekday, workday or weekend, run type, all."""
    return (
        finest,
        ("kind of day", finest.weekday >= calendar.SATURDAY, finest.is_month_end, finest.run_type),
        ("run type", finest.run_type),
        (),
    )
