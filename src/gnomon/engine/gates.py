"""A limit on how many task instances are live at once, and those that wait for it, best first."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.engine.cells import Cell

Key = tuple[int, int, int, int, int]
"""What admission sorts by: minus priority, run_after, run key, task index, map index."""


class Gate:
    """At most `limit` cells inside (None: any number); `name` is what `explain` calls it."""

    __slots__ = ("inside", "limit", "name", "waiting")

    def __init__(self, limit: int | None, name: str) -> None:
        self.limit = limit
        self.name = name
        self.inside = 0
        self.waiting: list[tuple[Key, int, Cell]] = []

    @property
    def closed(self) -> bool:
        return self.limit is not None and self.inside >= self.limit

    def park(self, key: Key, cell: Cell) -> None:
        """Let `cell` wait here until somebody leaves."""
        heapq.heappush(self.waiting, (key, cell.ticket, cell))

    def release(self) -> Cell | None:
        """Take out the best waiting cell that has not left for elsewhere."""
        while self.waiting:
            _, ticket, cell = heapq.heappop(self.waiting)
            if cell.ticket == ticket:
                return cell
        return None


def key_of(cell: Cell) -> Key:
    """The order of admission (AIRFLOW_SURFACE.md D.5)."""
    run = cell.run
    return (-cell.priority, run.record.run_after, run.pk, cell.index, cell.map_index)
