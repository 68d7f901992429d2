"""When a zone's clock changes, found by asking what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from gnomon.timetables.zones import from_seconds

PROBE_S = 2 * 86400
"""The offset is looked at this often: shorter than the shortest stretch between two changes (7 days, all zones)."""
FIRST_S = -62135596800 + 2 * 86400
LAST_S = 253402300799 - 2 * 86400
"""The instants that a datetime can show in every zone."""


def changes_between(zone: tzinfo, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(instant, offset before, offset after) of each clock change after `start` and up to `end`."""
    before = offset_at(zone, start)
    for probe in range(start + PROBE_S, end + PROBE_S, PROBE_S):
        after = offset_at(zone, probe)
        if after != before:
            yield _bisect(zone, probe - PROBE_S, probe, before), before, after
            before = after


def _bisect(zone: tzinfo, low: int, high: int, before: int) -> int:
    """The first second in (low, high] at which the offset is no longer `before`."""
    while high - low > 1:
        middle = (low + high) // 2
        if offset_at(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high


def offset_at(zone: tzinfo, instant: int) -> int:
    """How many seconds the zone's clock is ahead of UTC at that instant."""
    clamped = min(max(instant, FIRST_S), LAST_S)
    offset = from_seconds(clamped).astimezone(zone).utcoffset()
    assert offset is not None
    return offset.days * 86400 + offset.seconds
