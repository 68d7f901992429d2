"""Heaps whose entries may become void: what waits leaves its place by counting up its ticket, and nobody searches for it."""

from __future__ import annotations

import heapq
from typing import Any, Generic, Protocol, TypeVar

SWEEP_AT = 64
"""A heap smaller than this keeps its void entries."""


class Ticketed(Protocol):
    """What can leave a heap unseen."""

    ticket: int


_T = TypeVar("_T", bound=Ticketed)


class Queue(Generic[_T]):
    """A heap by `key`. It never holds more than twice as many void entries as it held valid ones at the last sweep."""

    __slots__ = ("_count", "_entries", "_sweep_at")

    def __init__(self) -> None:
        self._entries: list[tuple[Any, int, int, _T]] = []
        self._count = 0
        self._sweep_at = SWEEP_AT

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, key: Any, item: _T) -> None:
        """The item stands in the queue until it is taken or its ticket changes."""
        self._count += 1
        heapq.heappush(self._entries, (key, self._count, item.ticket, item))
        if len(self._entries) > self._sweep_at:
            self.sweep()

    def best(self) -> _T | None:
        """The first valid item, left in its place."""
        self._drop_void()
        return self._entries[0][3] if self._entries else None

    def first_key(self) -> Any:
        """The key of the first valid item; None when there is none."""
        self._drop_void()
        return self._entries[0][0] if self._entries else None

    def pop(self) -> None:
        """Take out what `best` returned."""
        heapq.heappop(self._entries)

    def _drop_void(self) -> None:
        """The first entry is valid, if there is one."""
        entries = self._entries
        while entries and entries[0][3].ticket != entries[0][2]:
            heapq.heappop(entries)

    def sweep(self) -> None:
        """No entry is void."""
        self._entries = [entry for entry in self._entries if entry[3].ticket == entry[2]]
        heapq.heapify(self._entries)
        self._sweep_at = max(SWEEP_AT, 3 * len(self._entries))
