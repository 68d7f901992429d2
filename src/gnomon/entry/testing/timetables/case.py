"""Random cases for the laws of timetables, and simpler versions of a case that shows a violation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import TimeRestriction

DAY = 86400 * SECOND
MAX_STEPS = 10
"""Maximum number of consecutive runs that a case computes."""
_NUDGES = (0, 0, 0, -1, 1, -SECOND, SECOND, -1800 * SECOND, 3600 * SECOND, -DAY, DAY)
_UNITS = ("second", "minute", "hour", "day", "month", "year")
_SMALLEST = {"second": 0, "minute": 0, "hour": 0, "day": 1, "month": 1, "year": 1}


@dataclass(frozen=True, slots=True)
class Case:
    """The start and end date, the current time, and the number of runs to compute; instants in microseconds UTC."""

    now: Instant
    earliest: Instant | None
    latest: Instant | None
    catchup: bool
    steps: int
    cut: int
    """After how many steps a walk is interrupted; fewer than `steps`."""

    @property
    def bounds(self) -> TimeRestriction:
        """The start and end date and catchup, as a timetable receives them."""
        return TimeRestriction(_to_datetime(self.earliest), _to_datetime(self.latest), self.catchup)

    def weight(self, floor: Instant) -> tuple[int, int, int, int, int]:
        """The sort key of simplicity: a simpler case has fewer bounds, shorter walks, and rounder instants nearer to `floor`."""
        instants = [at for at in (self.now, self.earliest, self.latest) if at is not None]
        return (
            (self.earliest is not None) + (self.latest is not None) + (not self.catchup),
            self.steps,
            self.cut,
            sum(map(_count_parts, instants)),
            sum(abs(at - floor) for at in instants),
        )


def draw_case(random: Random, start: Instant, end: Instant, near: Sequence[Instant]) -> Case:
    """A random case within the window; half of them close to one of the instants `near`, where faults are likely."""
    base = _draw_instant(random, start, end, near)
    now = random.choice((base, _draw_instant(random, start, end, near), base + random.randint(-60, 60) * DAY))
    earliest = None if random.random() < 0.1 else base
    latest = None if random.random() < 0.7 else base + random.choice((0, 1, 7, 90)) * DAY + random.choice(_NUDGES)
    steps = random.randint(2, MAX_STEPS)
    return Case(_clamp(now, start, end), earliest, latest, random.random() < 0.7, steps, random.randint(1, steps - 1))


def shrink_case(case: Case, floor: Instant) -> Iterator[Case]:
    """Cases that are simpler than this one; those with the largest step first."""
    weight = case.weight(floor)
    for candidate in _shrink_fields(case, floor):
        if 1 <= candidate.cut < candidate.steps and candidate.weight(floor) < weight:
            yield candidate


def _shrink_fields(case: Case, floor: Instant) -> Iterator[Case]:
    yield replace(case, latest=None)
    yield replace(case, earliest=None)
    yield replace(case, catchup=True)
    for steps in (2, case.steps // 2, case.steps - 1):
        yield replace(case, steps=steps, cut=min(case.cut, steps - 1))
    yield replace(case, cut=1)
    yield replace(case, cut=case.cut - 1)
    for name in ("now", "earliest", "latest"):
        at = getattr(case, name)
        if at is not None:
            for other in _round_instant(at, floor):
                yield _with_instant(case, name, other)
                yield _shift(case, other - at)


def _with_instant(case: Case, name: str, at: Instant) -> Case:
    changes: dict[str, Any] = {name: at}
    return replace(case, **changes)


def _shift(case: Case, by: int) -> Case:
    """The case with all instants moved by the same distance: a violation may depend on their distances only."""
    earliest = None if case.earliest is None else case.earliest + by
    return replace(case, now=case.now + by, earliest=earliest, latest=None if case.latest is None else case.latest + by)


def _round_instant(at: Instant, floor: Instant) -> Iterator[Instant]:
    """The instant rounded down to larger and larger units, then instants nearer to the floor."""
    moment = to_datetime(at)
    for unit in reversed(_UNITS):
        parts: dict[str, Any] = {below: _SMALLEST[below] for below in _UNITS[: _UNITS.index(unit)]}
        yield to_instant(moment.replace(microsecond=0, **parts))
    for distance in (2, 4, 16):
        yield floor + (at - floor) // distance // DAY * DAY
    for days in (365, 28, 7, 1):
        yield at - days * DAY


def _draw_instant(random: Random, start: Instant, end: Instant, near: Sequence[Instant]) -> Instant:
    if near and random.random() < 0.5:
        return _clamp(random.choice(near) + random.choice(_NUDGES), start, end)
    at = random.randrange(start, end)
    grid = random.choice((1, SECOND, 60 * SECOND, 3600 * SECOND, DAY))
    return _clamp(at // grid * grid, start, end)


def _clamp(at: Instant, start: Instant, end: Instant) -> Instant:
    return min(max(at, start), end)


def _count_parts(at: Instant) -> int:
    """Number of parts of the instant below the year that are not at their minimum; 0 for the start of a year."""
    moment: datetime = to_datetime(at)
    parts = (moment.month != 1, moment.day != 1, moment.hour, moment.minute, moment.second, moment.microsecond)
    return sum(map(bool, parts))


def _to_datetime(at: Instant | None) -> datetime | None:
    return None if at is None else to_datetime(at)
