"""The clock-change rule: which instants run for labels that a zone's clock skips or shows twice.

A label is a wall-clock time that a schedule names, counted in seconds as if it were UTC.

1. A label that does not exist (the clock jumped over it) runs moved forward by the gap: 02:30 becomes 03:30.
2. A label that exists twice runs once, at its second occurrence; where every hour is scheduled (`*`), both run.
3. Labels that fall on one instant are one run.

(airflow-surface.md B.4.) The line of instants is cut into pieces on which the rule is the same throughout.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import tzinfo
from functools import lru_cache
from typing import NamedTuple

from gnomon.timetables.zones import from_seconds

BLOCK_BITS = 25
"""Pieces are found for 2**25 seconds (388 days) at a time."""
PROBE_S = 2 * 86400
"""The offset is looked at this often: shorter than the shortest stretch between two changes (7 days, all zones)."""
FIRST_S = -62135596800 + 2 * 86400
LAST_S = 253402300799 - 2 * 86400
"""The instants that a datetime can show in every zone."""


class Piece(NamedTuple):
    """Instants from `start` (inclusive) to `end` (exclusive) on which one rule holds; seconds since the epoch."""

    start: int
    end: int
    offset: int
    """What the zone's clock is ahead of UTC."""
    moved: int | None
    """The offset from before a gap: labels that the clock skipped run here, read with it."""
    repeated: bool
    """The labels here come again after the clock goes back."""


class ZoneClock:
    """The pieces of one zone, found as they are asked for. Pure: the same zone gives the same pieces."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._blocks: dict[int, tuple[list[int], list[Piece]]] = {}

    def at(self, instant: int) -> Piece:
        """The piece that `instant` lies in."""
        block = self._blocks.get(instant >> BLOCK_BITS)
        if block is None:
            block = self._find(instant >> BLOCK_BITS)
        starts, pieces = block
        return pieces[0] if len(pieces) == 1 else pieces[bisect_right(starts, instant) - 1]

    def _find(self, number: int) -> tuple[list[int], list[Piece]]:
        start, end = number << BLOCK_BITS, (number + 1) << BLOCK_BITS
        pieces = list(_pieces(self._zone, start, end))
        block = ([piece.start for piece in pieces], pieces)
        self._blocks[number] = block
        return block


@lru_cache(maxsize=1024)
def clock_of(zone: tzinfo) -> ZoneClock:
    """The one ZoneClock of a zone."""
    return ZoneClock(zone)


def _pieces(zone: tzinfo, start: int, end: int) -> Iterator[Piece]:
    """The pieces from `start` to `end`, in order and without a hole."""
    changes = list(_changes(zone, start - PROBE_S, end + PROBE_S))
    cuts = {start, end}
    for at, before, after in changes:
        cuts.update(cut for cut in (at, at + after - before) if start < cut < end)
    edges = sorted(cuts)
    for left, right in zip(edges, edges[1:], strict=False):
        moved = next((before for at, before, after in changes if at <= left < at + after - before), None)
        repeated = any(at + after - before <= left < at for at, before, after in changes)
        yield Piece(left, right, _offset(zone, left), moved, repeated)


def _changes(zone: tzinfo, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(instant, offset before, offset after) of each clock change after `start` and up to `end`."""
    before = _offset(zone, start)
    for probe in range(start + PROBE_S, end + PROBE_S, PROBE_S):
        after = _offset(zone, probe)
        if after != before:
            yield _bisect(zone, probe - PROBE_S, probe, before), before, after
            before = after


def _bisect(zone: tzinfo, low: int, high: int, before: int) -> int:
    """The first second in (low, high] at which the offset is no longer `before`."""
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high


def _offset(zone: tzinfo, instant: int) -> int:
    """How many seconds the zone's clock is ahead of UTC at that instant."""
    clamped = min(max(instant, FIRST_S), LAST_S)
    offset = from_seconds(clamped).astimezone(zone).utcoffset()
    assert offset is not None
    return offset.days * 86400 + offset.seconds
