"""Pools and gates: who wants slots, who waits for a limit, and why nobody is forgotten at either.

A cell that may run stands in the queue of its pool. One that finds a limit (a gate) closed goes to the *lane* of its pool
at that gate. While the gate is open, the lane itself stands in the pool's queue, in the place of its best cell; when it
comes first and the gate is closed, it steps out until somebody leaves the gate. So a free place at a gate is offered to
every pool that has cells there, and no cell can take the offer away with it by being cleared, marked or paused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.engine.state.priority_queue import PriorityQueue

if TYPE_CHECKING:
    from gnomon.engine.state.task_instance import TaskInstance

AdmissionKey = tuple[bool, int, int, int, int, int]
"""What admission sorts by: whether it begins (not: goes on after a wait), minus priority, run_after, run key, task index, map index."""


class Pool:
    """Slots shared by tasks of all DAGs, and the ready cells that want them."""

    __slots__ = ("include_deferred", "name", "oversized", "ready_queue", "slots", "used")

    def __init__(self, name: str, slots: int | None, used: int = 0) -> None:
        self.name = name
        self.include_deferred = False
        """Whether a deferred task keeps its slots."""
        self.slots = slots
        """None: the pool does not exist; -1: no bound."""
        self.used = used
        self.ready_queue: PriorityQueue[TaskInstance | LimitQueue] = PriorityQueue()
        self.oversized: PriorityQueue[TaskInstance] = PriorityQueue()
        """Cells that want more slots than there are; they hold up nobody, and come back when the pool changes."""

    def has_room(self, wanted: int) -> bool:
        return self.slots is not None and (self.slots < 0 or self.used + wanted <= self.slots)

    def is_too_small(self, wanted: int) -> bool:
        """True when `wanted` slots can never be free here."""
        return self.slots is not None and 0 <= self.slots < wanted

    def enqueue(self, ti: TaskInstance) -> None:
        self.ready_queue.push(admission_key_of(ti), ti)

    def resize(self, slots: int | None) -> None:
        """The pool has that many slots now."""
        if slots == self.slots:
            return
        self.slots = slots
        oversized, self.oversized = self.oversized, PriorityQueue()
        while (ti := oversized.peek()) is not None:
            oversized.pop()
            self.enqueue(ti)


class LimitQueue:
    """The cells of one pool that wait at one gate."""

    __slots__ = ("generation", "limit", "pool", "queued_key", "task_instances")

    def __init__(self, limit: ConcurrencyLimit, pool: Pool) -> None:
        self.limit = limit
        self.pool = pool
        self.task_instances: PriorityQueue[TaskInstance] = PriorityQueue()
        self.queued_key: AdmissionKey | None = None
        """Where it stands in the pool's queue; None: it does not."""
        self.generation = 0

    def join_pool_queue(self) -> None:
        """It stands in the pool's queue where its best cell belongs."""
        key = self.task_instances.peek_key()
        if key is not None and (self.queued_key is None or key < self.queued_key):
            self.generation += 1
            self.queued_key = key
            self.pool.ready_queue.push(key, self)

    def leave_pool_queue(self) -> None:
        """It no longer stands in the pool's queue."""
        self.generation += 1
        self.queued_key = None


class ConcurrencyLimit:
    """At most `limit` cells inside (None: any number); `name` is what `explain` calls it."""

    __slots__ = ("limit", "name", "queues", "used")

    def __init__(self, limit: int | None, name: str) -> None:
        self.limit = limit
        self.name = name
        self.used = 0
        self.queues: dict[str, LimitQueue] = {}

    @property
    def is_reached(self) -> bool:
        return self.limit is not None and self.used >= self.limit

    def enqueue(self, ti: TaskInstance, pool: Pool) -> None:
        """Let `cell` wait here until somebody leaves."""
        limit_queue = self.queues.get(pool.name)
        if limit_queue is None:
            limit_queue = self.queues[pool.name] = LimitQueue(self, pool)
        limit_queue.task_instances.push(admission_key_of(ti), ti)

    def release(self) -> None:
        """One cell has left; who waits may come in if that opened the gate."""
        self.used -= 1
        if not self.is_reached:
            for limit_queue in self.queues.values():
                limit_queue.join_pool_queue()


def admission_key_of(ti: TaskInstance) -> AdmissionKey:
    """The order of admission (airflow-surface.md D.5); who goes on after a wait comes before all who begin."""
    run = ti.run
    return (not ti.is_resumption, -ti.priority, run.record.run_after, run.pk, ti.index, ti.map_index)
