"""The clock-change rule: the instants of labels, also of those that a zone's clock skips or repeats.

A label is a wall-clock time that a schedule states, in seconds since 1970-01-01 as if it were UTC.

1. A label that the clock skips is moved forward by the gap: 02:30 becomes 03:30.
2. A label that the clock repeats runs once, at its second occurrence; where every hour is scheduled (`*`), both run.
3. Labels with the same instant are one run.

(airflow-surface.md B.4.) Time is divided into pieces in each of which a single case of the rule holds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from gnomon.rules.timetables.wall_clock.labels import Labels
from gnomon.rules.timetables.wall_clock.zones import FIRST_S, LAST_S, PROBE_S, compute_offset, iterate_clock_changes

BLOCK_BITS = 25
"""Pieces are computed in blocks of 2**25 seconds (388 days)."""
WIDEST_S = 2 * 86400
"""The largest distance of a label from its instant: a clock is less than a day from UTC, before and after a change."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LabelClock:
    """The instants, in whole seconds since the epoch, at which labels run in one zone: the three rules.

    `both`: every hour is scheduled, so a repeated label runs twice.
    """

    def __init__(self, labels: Labels, zone: tzinfo, both: bool) -> None:
        self.labels = labels
        self.both = both
        self.never = labels.days.never
        """True if no day is selected."""
        self._clock = clock_of(zone)

    def on_or_after(self, instant: int) -> int | None:
        """The first instant of the schedule that is not before `instant`; None if there is none before the year 9999."""
        labels = self.labels
        while instant <= LAST_S and not self.never:
            piece = self._clock.at(instant)
            best: int | None = None
            if self.both or not piece.repeated:
                label = labels.on_or_after(instant + piece.offset)
                if label is not None and label - piece.offset < piece.end:
                    best = label - piece.offset
            if piece.moved is not None:
                label = labels.on_or_after(instant + piece.moved)
                if label is not None and label - piece.moved < min(piece.end, LAST_S if best is None else best):
                    best = label - piece.moved
            if best is not None:
                return best
            ahead = labels.on_or_after(piece.end - WIDEST_S)
            if ahead is None:
                return None
            instant = max(piece.end, ahead - WIDEST_S)
        return None

    def on_or_before(self, instant: int) -> int | None:
        """The last instant of the schedule that is not after `instant`; None if there is none after the year 1."""
        labels = self.labels
        while instant >= FIRST_S and not self.never:
            piece = self._clock.at(instant)
            best: int | None = None
            if self.both or not piece.repeated:
                label = labels.on_or_before(instant + piece.offset)
                if label is not None and label - piece.offset >= piece.start:
                    best = label - piece.offset
            if piece.moved is not None:
                label = labels.on_or_before(instant + piece.moved)
                if label is not None and label - piece.moved >= max(piece.start, FIRST_S if best is None else best):
                    best = label - piece.moved
            if best is not None:
                return best
            behind = labels.on_or_before(piece.start + WIDEST_S)
            if behind is None:
                return None
            instant = min(piece.start - 1, behind + WIDEST_S)
        return None

    def between(self, start: int, end: int) -> Iterator[datetime]:
        """The instants from `start` (inclusive) to `end` (exclusive), in order."""
        start, end = max(start, FIRST_S), min(end, LAST_S)
        while start < end and not self.never:
            piece = self._clock.at(start)
            stop = min(end, piece.end)
            if piece.moved is None and (self.both or not piece.repeated):
                yield from self._stretch(piece, start, stop)
            else:
                yield from self._step_through(start, stop)
            start = stop

    def _stretch(self, piece: ClockPiece, start: int, stop: int) -> Iterator[datetime]:
        """The instants of a range without skipped or repeated labels, computed day by day."""
        days = self.labels.days
        first, last = start + piece.offset, stop + piece.offset
        base = _EPOCH - timedelta(0, piece.offset)
        whole: list[timedelta] = []
        day = days.on_or_after(first // 86400)
        while day is not None and day * 86400 < last:
            low, high = first - day * 86400, last - day * 86400
            begin = base + timedelta(day)
            if low <= 0 and high >= 86400:
                whole = whole or [timedelta(0, second) for second in self.labels.of_day(0, 86400)]
                for time in whole:
                    yield begin + time
            else:
                for second in self.labels.of_day(low, high):
                    yield begin + timedelta(0, second)
            day = days.on_or_after(day + 1)

    def _step_through(self, start: int, stop: int) -> Iterator[datetime]:
        """The instants of a range, computed one after the other."""
        instant = self.on_or_after(start)
        while instant is not None and instant < stop:
            yield _EPOCH + timedelta(0, instant)
            instant = self.on_or_after(instant + 1)


def instant_of(wall: datetime, zone: tzinfo) -> datetime:
    """The UTC instant of a single label, given as a naive datetime: rules 1 and 2."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    assert first is not None
    assert second is not None
    return wall.replace(tzinfo=UTC) - min(first, second)


class ClockPiece(NamedTuple):
    """A range of instants with a single case of the rule: `start` (inclusive) to `end` (exclusive), in seconds since the epoch."""

    start: int
    end: int
    offset: int
    """The offset of the clock from UTC, in seconds."""
    moved: int | None
    """The offset before a gap if skipped labels run in this piece, by that offset; else None."""
    repeated: bool
    """True if the clock repeats the labels of this piece after it is set back."""


class ZoneClock:
    """The pieces of one zone, computed lazily and cached."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._blocks: dict[int, tuple[list[int], list[ClockPiece]]] = {}

    def at(self, instant: int) -> ClockPiece:
        """The piece that contains `instant`."""
        block = self._blocks.get(instant >> BLOCK_BITS)
        if block is None:
            block = self._find(instant >> BLOCK_BITS)
        starts, pieces = block
        return pieces[0] if len(pieces) == 1 else pieces[bisect_right(starts, instant) - 1]

    def _find(self, number: int) -> tuple[list[int], list[ClockPiece]]:
        start, end = number << BLOCK_BITS, (number + 1) << BLOCK_BITS
        pieces = list(_pieces(self._zone, start, end))
        block = ([piece.start for piece in pieces], pieces)
        self._blocks[number] = block
        return block


@lru_cache(maxsize=1024)
def clock_of(zone: tzinfo) -> ZoneClock:
    """The cached ZoneClock of a zone."""
    return ZoneClock(zone)


def _pieces(zone: tzinfo, start: int, end: int) -> Iterator[ClockPiece]:
    """The pieces from `start` to `end`, in order and without gaps."""
    changes = list(iterate_clock_changes(zone, start - PROBE_S, end + PROBE_S))
    cuts = {start, end}
    for at, before, after in changes:
        cuts.update(cut for cut in (at, at + after - before) if start < cut < end)
    edges = sorted(cuts)
    for start_edge, end_edge in zip(edges, edges[1:], strict=False):
        moved = next((before for at, before, after in changes if at <= start_edge < at + after - before), None)
        repeated = any(at + after - before <= start_edge < at for at, before, after in changes)
        yield ClockPiece(start_edge, end_edge, compute_offset(zone, start_edge), moved, repeated)
