"""Slots by their labels: labels, not instants, are counted and compared between DAGs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Protocol

from gnomon.rules.dependencies.zone_days import DAY_US, ZoneDays

SlotLabel = tuple[int, tuple[datetime, ...]]
"""A label, and the slots that run for it: one, or both instants of a label that the clock shows twice."""


class SlotLabels:
    """Labels in order, with the slots of each. Two labels on one instant are two labels of one run."""

    def __init__(self, slot_labels: Iterable[SlotLabel]) -> None:
        self.labels: list[int] = []
        self.slots: list[tuple[datetime, ...]] = []
        for label, slots in slot_labels:
            self.labels.append(label)
            self.slots.append(slots)

    def part(self, start: int, end: int) -> SlotLabels:
        """The labels from `start` to before `end`."""
        first, last = bisect_left(self.labels, start), bisect_left(self.labels, end)
        return SlotLabels(zip(self.labels[first:last], self.slots[first:last], strict=True))


class SlotChunks(Protocol):
    """The labels of a DAG, in chunks: natural days, or their hours or minutes where a day has many labels."""

    @property
    def zone(self) -> ZoneDays:
        """The zone of the labels."""

    @property
    def chunk_length(self) -> int:
        """The length of a chunk in microseconds."""

    def chunk(self, number: int) -> SlotLabels:
        """The labels of chunk `number`, from `number * chunk_length` on."""

    def day_before(self, number: int) -> int | None:
        """The last day before day `number` with a slot; None if there is none."""

    def max_clock_gain(self, day: int) -> int:
        """How far the clock may be ahead of a label of that day when its slot runs, in microseconds."""


def collect_slots(chunks: SlotChunks, start: int, end: int) -> list[tuple[datetime, ...]]:
    """The slots of each label from `start` to before `end`, over any number of days."""
    unit = chunks.chunk_length
    first, last = start // unit, (end - 1) // unit
    chunk = chunks.chunk(first)
    at = bisect_left(chunk.labels, start)
    if first == last:
        return chunk.slots[at : bisect_left(chunk.labels, end, at)]
    slots = chunk.slots[at:]
    for number in range(first + 1, last + 1):
        chunk = chunks.chunk(number)
        slots += chunk.slots[: bisect_left(chunk.labels, end)]
    return slots


def iterate_forward(chunks: SlotChunks, start: int, end: int) -> Iterator[SlotLabel]:
    """The labels from `start` to before `end` with their slots, the earliest first, computed lazily."""
    for number in range(start // chunks.chunk_length, (end - 1) // chunks.chunk_length + 1):
        chunk = chunks.chunk(number)
        for at in range(bisect_left(chunk.labels, start), bisect_left(chunk.labels, end)):
            yield chunk.labels[at], chunk.slots[at]


def iterate_backward(chunks: SlotChunks, label: int, since: int | None = None) -> Iterator[SlotLabel]:
    """The labels before `label` with their slots, the latest first, over any number of days; none before `since`."""
    number = label // chunks.chunk_length
    while True:
        chunk = chunks.chunk(number)
        for at in range(bisect_left(chunk.labels, label) - 1, -1, -1):
            if since is not None and chunk.labels[at] < since:
                return
            yield chunk.labels[at], chunk.slots[at]
        if since is not None and number * chunks.chunk_length <= since:
            return
        if number * chunks.chunk_length % DAY_US:
            number -= 1
            continue
        day = chunks.day_before(number * chunks.chunk_length // DAY_US)
        if day is None:
            return
        number = (day + 1) * DAY_US // chunks.chunk_length - 1


def labels_of(chunks: SlotChunks, slot: datetime) -> list[int]:
    """The labels of a slot; for an instant that is not a slot, the label that the clock shows."""
    label = chunks.zone.label(slot)
    day = label // DAY_US
    if chunks.zone.offset(day) is not None:
        return [label]
    start = max(day * DAY_US, label - chunks.max_clock_gain(day))
    return [own for own, slots in iterate_forward(chunks, start, label + 1) if slot in slots] or [label]
