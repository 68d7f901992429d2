"""The slots that runs take at the same time: a bound that costs two additions a run, to be counted exactly only where it exceeds what there is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import accumulate

from gnomon.entry.projection.independent_dags import Resource
from gnomon.model.instants import SECOND, Instant

STEP_US = 60 * SECOND


class SlotDemand:
    """So many slots of each resource, at most, by the minute."""

    def __init__(self, other: SlotDemand | None = None) -> None:
        """`other`: what is taken besides."""
        self._changes: defaultdict[Resource, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
        """By minute: so many more slots, or fewer, than in the minute before."""
        for resource, changes in () if other is None else other._changes.items():
            self._changes[resource] = changes.copy()

    @property
    def resources(self) -> Collection[Resource]:
        """Those of which slots are taken."""
        return self._changes.keys()

    def add(self, resource: Resource, slots: int, spans: Iterable[tuple[Instant, Instant]]) -> None:
        """So many slots are taken in each of these spans; minutes count whole."""
        changes = self._changes[resource]
        for start, end in spans:
            changes[start // STEP_US] += slots
            changes[end // STEP_US + 1] -= slots

    def find_peaks(self) -> dict[Resource, int]:
        """The most slots of each resource in any minute."""
        return {
            resource: max(accumulate(changes[minute] for minute in sorted(changes)), default=0)
            for resource, changes in self._changes.items()
        }


def find_exact_peak(uses: Iterable[tuple[Instant, Instant, int]]) -> int:
    """The most slots at the same time of uses (start, end, slots): one that ends makes room for one that starts at the same instant."""
    changes: list[tuple[Instant, int]] = []
    for start, end, slots in uses:
        changes.append((start, slots))
        changes.append((max(end, start + 1), -slots))
    changes.sort()
    return max(accumulate(slots for _, slots in changes), default=0)
