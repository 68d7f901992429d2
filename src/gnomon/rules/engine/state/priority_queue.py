"""Heaps whose entries become void: an item leaves a heap by increasing its generation, and the heap is not searched."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

COMPACT_AT = 64
"""A heap with fewer entries keeps its void entries."""


class HasGeneration(Protocol):
    """What an item of a heap must have; each increase makes the entries before it void."""

    generation: int


_T = TypeVar("_T", bound=HasGeneration)


class PriorityQueue(Generic[_T]):
    """A heap by `key`. It never holds more than twice as many void entries as it held valid ones after the last `compact`."""

    __slots__ = ("_compact_at", "_count", "_entries")

    def __init__(self) -> None:
        self._entries: list[tuple[Any, int, int, _T]] = []
        self._count = 0
        self._compact_at = COMPACT_AT

    def __len__(self) -> int:
        """The number of entries, void ones included."""
        return len(self._entries)

    def __iter__(self) -> Iterator[_T]:
        """The items of valid entries, in no particular order."""
        return (item for _, _, generation, item in self._entries if item.generation == generation)

    def push(self, key: Any, item: _T) -> None:
        """Add an entry that is valid until it is popped or the generation of the item changes."""
        self._count += 1
        heapq.heappush(self._entries, (key, self._count, item.generation, item))
        if len(self._entries) > self._compact_at:
            self.compact()

    def peek(self) -> _T | None:
        """Return the first valid item without removing it; None when there is none."""
        entries = self._entries
        if entries and entries[0][3].generation != entries[0][2]:
            self._discard_void_head()
        return entries[0][3] if entries else None

    def peek_key(self) -> Any:
        """Return the key of the first valid entry; None when there is none."""
        entries = self._entries
        if entries and entries[0][3].generation != entries[0][2]:
            self._discard_void_head()
        return entries[0][0] if entries else None

    def pop(self) -> None:
        """Remove the entry of the item that `peek` returned."""
        heapq.heappop(self._entries)

    def _discard_void_head(self) -> None:
        """Afterwards the first entry is valid, if there is one."""
        entries = self._entries
        while entries and entries[0][3].generation != entries[0][2]:
            heapq.heappop(entries)

    def compact(self) -> None:
        """Remove all void entries."""
        self._entries = [entry for entry in self._entries if entry[3].generation == entry[2]]
        heapq.heapify(self._entries)
        self._compact_at = max(COMPACT_AT, 3 * len(self._entries))
