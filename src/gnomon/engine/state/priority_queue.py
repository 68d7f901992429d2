"""Heaps whose entries may become void: what waits leaves its place by counting up its ticket, and nobody searches for it."""

from __future__ import annotations

import heapq
from typing import Any, Generic, Protocol, TypeVar

COMPACT_AT = 64
"""A heap smaller than this keeps its void entries."""


class HasGeneration(Protocol):
    """What can leave a heap unseen."""

    generation: int


_T = TypeVar("_T", bound=HasGeneration)


class PriorityQueue(Generic[_T]):
    """A heap by `key`. It never holds more than twice as many void entries as it held valid ones at the last sweep."""

    __slots__ = ("_compact_at", "_count", "_entries")

    def __init__(self) -> None:
        self._entries: list[tuple[Any, int, int, _T]] = []
        self._count = 0
        self._compact_at = COMPACT_AT

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, key: Any, item: _T) -> None:
        """The item stands in the queue until it is taken or its ticket changes."""
        self._count += 1
        heapq.heappush(self._entries, (key, self._count, item.generation, item))
        if len(self._entries) > self._compact_at:
            self.compact()

    def peek(self) -> _T | None:
        """The first valid item, left in its place."""
        self._discard_stale_head()
        return self._entries[0][3] if self._entries else None

    def peek_key(self) -> Any:
        """The key of the first valid item; None when there is none."""
        self._discard_stale_head()
        return self._entries[0][0] if self._entries else None

    def pop(self) -> None:
        """Take out what `peek` returned."""
        heapq.heappop(self._entries)

    def _discard_stale_head(self) -> None:
        """The first entry is valid, if there is one."""
        entries = self._entries
        while entries and entries[0][3].generation != entries[0][2]:
            heapq.heappop(entries)

    def compact(self) -> None:
        """No entry is void."""
        self._entries = [entry for entry in self._entries if entry[3].generation == entry[2]]
        heapq.heapify(self._entries)
        self._compact_at = max(COMPACT_AT, 3 * len(self._entries))
