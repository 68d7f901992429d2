"""A DAG's slots as places: what is counted and compared between DAGs are labels, not instants."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Protocol

from gnomon.dependencies.zone_days import DAY_US, ZoneDays

SlotLabel = tuple[int, tuple[datetime, ...]]
"""A label, and the slots that run for it: one, or both instants of a label that the clock shows twice."""


class SlotLabels:
    """Places in order of their labels. Two labels on one instant are two places of one run."""

    def __init__(self, places: Iterable[SlotLabel]) -> None:
        self.labels: list[int] = []
        self.slots: list[tuple[datetime, ...]] = []
        for label, slots in places:
            self.labels.append(label)
            self.slots.append(slots)

    def part(self, start: int, end: int) -> SlotLabels:
        """Those with labels from `start` to before `end`."""
        first, last = bisect_left(self.labels, start), bisect_left(self.labels, end)
        return SlotLabels(zip(self.labels[first:last], self.slots[first:last], strict=True))


class SlotChunks(Protocol):
    """The places of a DAG, in pieces of natural days: whole ones, or their hours or minutes where there are many."""

    @property
    def zone(self) -> ZoneDays:
        """Whose labels they are."""

    @property
    def chunk_length(self) -> int:
        """How long a piece is, in microseconds."""

    def chunk(self, number: int) -> SlotLabels:
        """The places with labels from `number * unit` to before the next piece."""

    def day_before(self, number: int) -> int | None:
        """The last day before the day `number` that has a place."""

    def max_clock_gain(self, day: int) -> int:
        """By how much the clock may show more than the label of a place of that day when its slot runs."""


def collect_slots(pieces: SlotChunks, start: int, end: int) -> list[tuple[datetime, ...]]:
    """The slots of the places with labels from `start` to before `end`, whatever days these are in."""
    unit = pieces.chunk_length
    first, last = start // unit, (end - 1) // unit
    piece = pieces.chunk(first)
    at = bisect_left(piece.labels, start)
    if first == last:
        return piece.slots[at : bisect_left(piece.labels, end, at)]
    found = piece.slots[at:]
    for number in range(first + 1, last + 1):
        piece = pieces.chunk(number)
        found += piece.slots[: bisect_left(piece.labels, end)]
    return found


def iterate_forward(pieces: SlotChunks, start: int, end: int) -> Iterator[SlotLabel]:
    """The places with labels from `start` to before `end`, the earliest first, found as they are asked for."""
    for number in range(start // pieces.chunk_length, (end - 1) // pieces.chunk_length + 1):
        piece = pieces.chunk(number)
        for at in range(bisect_left(piece.labels, start), bisect_left(piece.labels, end)):
            yield piece.labels[at], piece.slots[at]


def iterate_backward(pieces: SlotChunks, label: int, since: int | None = None) -> Iterator[SlotLabel]:
    """The places with labels before `label`, the latest first, over hours and days; none before `since`."""
    number = label // pieces.chunk_length
    while True:
        piece = pieces.chunk(number)
        for at in range(bisect_left(piece.labels, label) - 1, -1, -1):
            if since is not None and piece.labels[at] < since:
                return
            yield piece.labels[at], piece.slots[at]
        if since is not None and number * pieces.chunk_length <= since:
            return
        if number * pieces.chunk_length % DAY_US:
            number -= 1
            continue
        day = pieces.day_before(number * pieces.chunk_length // DAY_US)
        if day is None:
            return
        number = (day + 1) * DAY_US // pieces.chunk_length - 1


def labels_of(pieces: SlotChunks, slot: datetime) -> list[int]:
    """Where a run stands: the labels of its places. For one that is not planned, what the clock shows."""
    label = pieces.zone.label(slot)
    day = label // DAY_US
    if pieces.zone.offset(day) is not None:
        return [label]
    start = max(day * DAY_US, label - pieces.max_clock_gain(day))
    return [own for own, slots in iterate_forward(pieces, start, label + 1) if slot in slots] or [label]
