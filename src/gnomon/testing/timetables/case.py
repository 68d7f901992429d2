"""One situation in which a timetable is asked: drawn from a seed, and made simpler while it still shows what is wrong."""

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
"""A walk of one case is so long at most."""
_NUDGES = (0, 0, 0, -1, 1, -SECOND, SECOND, -1800 * SECOND, 3600 * SECOND, -DAY, DAY)
_UNITS = ("second", "minute", "hour", "day", "month", "year")
_SMALLEST = {"second": 0, "minute": 0, "hour": 0, "day": 1, "month": 1, "year": 1}


@dataclass(frozen=True, slots=True)
class Case:
    """Bounds, a present, and how far to walk; instants in microseconds UTC."""

    now: Instant
    earliest: Instant | None
    latest: Instant | None
    catchup: bool
    steps: int
    cut: int
    """Where a walk is interrupted: after so many steps, fewer than `steps`."""

    @property
    def bounds(self) -> TimeRestriction:
        """As a timetable is told them."""
        return TimeRestriction(_to_datetime(self.earliest), _to_datetime(self.latest), self.catchup)

    def weight(self, floor: Instant) -> tuple[int, int, int, int, int]:
        """Smaller is simpler: fewer bounds, shorter walks, rounder instants, nearer to `floor`."""
        instants = [at for at in (self.now, self.earliest, self.latest) if at is not None]
        return (
            (self.earliest is not None) + (self.latest is not None) + (not self.catchup),
            self.steps,
            self.cut,
            sum(map(_count_parts, instants)),
            sum(abs(at - floor) for at in instants),
        )


def draw_case(random: Random, start: Instant, end: Instant, near: Sequence[Instant]) -> Case:
    """A case within the window; often close to one of the instants `near`, where timetables go wrong."""
    base = _draw_instant(random, start, end, near)
    now = random.choice((base, _draw_instant(random, start, end, near), base + random.randint(-60, 60) * DAY))
    earliest = None if random.random() < 0.1 else base
    latest = None if random.random() < 0.7 else base + random.choice((0, 1, 7, 90)) * DAY + random.choice(_NUDGES)
    steps = random.randint(2, MAX_STEPS)
    return Case(_clamp(now, start, end), earliest, latest, random.random() < 0.7, steps, random.randint(1, steps - 1))


def shrink_case(case: Case, floor: Instant) -> Iterator[Case]:
    """Cases that are simpler than this one, the boldest first."""
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
    """All its instants moved together: what matters may be how they lie to each other."""
    earliest = None if case.earliest is None else case.earliest + by
    return replace(case, now=case.now + by, earliest=earliest, latest=None if case.latest is None else case.latest + by)


def _round_instant(at: Instant, floor: Instant) -> Iterator[Instant]:
    """Instants without some of the small figures, then nearer to the floor by halves and by days."""
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
    """How many parts of the instant are not the least: a year alone has none."""
    moment: datetime = to_datetime(at)
    parts = (moment.month != 1, moment.day != 1, moment.hour, moment.minute, moment.second, moment.microsecond)
    return sum(map(bool, parts))


def _to_datetime(at: Instant | None) -> datetime | None:
    return None if at is None else to_datetime(at)
