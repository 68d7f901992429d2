"""In how long pieces the slots of a timetable are found and remembered, so that none has many."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from math import inf

from gnomon.dependencies.planned import step_of
from gnomon.dependencies.zonedays import DAY_US, HOUR_US, US
from gnomon.timetables.base import BuiltinTimetable, Timetable
from gnomon.timetables.clockchange import LabelClock

_UNITS = ((6, DAY_US), (120, HOUR_US), (inf, 60 * US))
"""So many slots in the busiest hour of a day at most, and the piece; no piece of ours has many more than a hundred."""


def unit_of(timetable: Timetable) -> int:
    """How long a piece is, in microseconds: a natural day, or a natural hour or minute of a timetable with many slots.

    An author's is asked for whole days: it may have to be walked to any instant.
    """
    slots = _in_busiest_hour(timetable) if isinstance(timetable, BuiltinTimetable) else 0
    return next(unit for most, unit in _UNITS if slots <= most)


def _in_busiest_hour(timetable: BuiltinTimetable) -> float:
    """How many slots an hour may have; 0 where that is not told at once."""
    step = step_of(timetable)
    if step is not None:
        return timedelta(hours=1) / step
    clocks: tuple[LabelClock, ...] = getattr(timetable, "clocks", ())
    return sum(_most_in_an_hour(clock) for clock in clocks)


def _most_in_an_hour(clock: LabelClock) -> int:
    hours = Counter(minute // 60 for minute in clock.labels.minutes)
    return max(hours.values()) * len(clock.labels.seconds)
