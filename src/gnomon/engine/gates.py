"""Pools and gates: who wants slots, who waits for a limit, and why nobody is forgotten at either.

A cell that may run stands in the queue of its pool. One that finds a limit (a gate) closed goes to the *lane* of its pool
at that gate. While the gate is open, the lane itself stands in the pool's queue, in the place of its best cell; when it
comes first and the gate is closed, it steps out until somebody leaves the gate. So a free place at a gate is offered to
every pool that has cells there, and no cell can take the offer away with it by being cleared, marked or paused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.engine.queues import Queue

if TYPE_CHECKING:
    from gnomon.engine.cells import Cell

Key = tuple[bool, int, int, int, int, int]
"""What admission sorts by: whether it begins (not: goes on after a wait), minus priority, run_after, run key, task index, map index."""


class Pool:
    """Slots shared by tasks of all DAGs, and the ready cells that want them."""

    __slots__ = ("include_deferred", "name", "oversized", "ready", "slots", "used")

    def __init__(self, name: str, slots: int | None, used: int = 0) -> None:
        self.name = name
        self.include_deferred = False
        """Whether a deferred task keeps its slots."""
        self.slots = slots
        """None: the pool does not exist; -1: no bound."""
        self.used = used
        self.ready: Queue[Cell | Lane] = Queue()
        self.oversized: Queue[Cell] = Queue()
        """Cells that want more slots than there are; they hold up nobody, and come back when the pool changes."""

    def has_room(self, wanted: int) -> bool:
        return self.slots is not None and (self.slots < 0 or self.used + wanted <= self.slots)

    def is_too_small(self, wanted: int) -> bool:
        """True when `wanted` slots can never be free here."""
        return self.slots is not None and 0 <= self.slots < wanted

    def push(self, cell: Cell) -> None:
        self.ready.push(key_of(cell), cell)

    def resize(self, slots: int | None) -> None:
        """The pool has that many slots now."""
        if slots == self.slots:
            return
        self.slots = slots
        oversized, self.oversized = self.oversized, Queue()
        while (cell := oversized.best()) is not None:
            oversized.pop()
            self.push(cell)


class Lane:
    """The cells of one pool that wait at one gate."""

    __slots__ = ("cells", "gate", "place", "pool", "ticket")

    def __init__(self, gate: Gate, pool: Pool) -> None:
        self.gate = gate
        self.pool = pool
        self.cells: Queue[Cell] = Queue()
        self.place: Key | None = None
        """Where it stands in the pool's queue; None: it does not."""
        self.ticket = 0

    def step_in(self) -> None:
        """It stands in the pool's queue where its best cell belongs."""
        key = self.cells.first_key()
        if key is not None and (self.place is None or key < self.place):
            self.ticket += 1
            self.place = key
            self.pool.ready.push(key, self)

    def step_out(self) -> None:
        """It no longer stands in the pool's queue."""
        self.ticket += 1
        self.place = None


class Gate:
    """At most `limit` cells inside (None: any number); `name` is what `explain` calls it."""

    __slots__ = ("inside", "lanes", "limit", "name")

    def __init__(self, limit: int | None, name: str) -> None:
        self.limit = limit
        self.name = name
        self.inside = 0
        self.lanes: dict[str, Lane] = {}

    @property
    def closed(self) -> bool:
        return self.limit is not None and self.inside >= self.limit

    def park(self, cell: Cell, pool: Pool) -> None:
        """Let `cell` wait here until somebody leaves."""
        lane = self.lanes.get(pool.name)
        if lane is None:
            lane = self.lanes[pool.name] = Lane(self, pool)
        lane.cells.push(key_of(cell), cell)

    def let_out(self) -> None:
        """One cell has left; who waits may come in if that opened the gate."""
        self.inside -= 1
        if not self.closed:
            for lane in self.lanes.values():
                lane.step_in()


def key_of(cell: Cell) -> Key:
    """The order of admission (airflow-surface.md D.5); who goes on after a wait comes before all who begin."""
    run = cell.run
    return (not cell.resumes, -cell.priority, run.record.run_after, run.pk, cell.index, cell.map_index)
