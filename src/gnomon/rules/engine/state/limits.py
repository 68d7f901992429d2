"""Pools and concurrency limits: the ready task instances that wait for slots, and those that wait for a limit.

A ready task instance is in the queue of its pool. An instance that meets a reached limit goes to the `LimitQueue` of its
pool at that limit. While the limit is free, the LimitQueue itself is an item of the pool's queue, with the key of its first
instance; when it comes first and the limit is reached, it leaves the pool's queue until a task instance releases the limit.
So a free place of a limit is offered to every pool that has instances there, and an instance that is cleared, marked or
held back cannot take the offer away.
"""

from __future__ import annotations

from typing import Protocol

from gnomon.rules.engine.state.priority_queue import PriorityQueue

AdmissionKey = tuple[bool, bool, int, int, int, int, int]
"""What admission sorts by: begins (False: goes on after a deferral), belongs to a backfill, minus priority, run_after, run_pk, task index, map index."""


class Admissible(Protocol):
    """What the queues need of a task instance."""

    generation: int

    @property
    def admission_key(self) -> AdmissionKey: ...


class Pool:
    """Slots shared by tasks of all DAGs, and the ready task instances that wait for them."""

    __slots__ = ("include_deferred", "name", "oversized", "ready_queue", "slots", "used")

    def __init__(self, name: str, slots: int | None, used: int = 0) -> None:
        self.name = name
        self.include_deferred = False
        """Whether a deferred task keeps its slots."""
        self.slots = slots
        """None: the pool does not exist; -1: unlimited."""
        self.used = used
        self.ready_queue: PriorityQueue[Admissible | LimitQueue] = PriorityQueue()
        self.oversized: PriorityQueue[Admissible] = PriorityQueue()
        """Instances that need more slots than the pool has; they block no other, and return when the pool is resized."""

    def has_room(self, slots: int) -> bool:
        return self.slots is not None and (self.slots < 0 or self.used + slots <= self.slots)

    def is_too_small(self, slots: int) -> bool:
        """True when `slots` slots can never be free here."""
        return self.slots is not None and 0 <= self.slots < slots

    def enqueue(self, ti: Admissible) -> None:
        self.ready_queue.push(ti.admission_key, ti)


class LimitQueue:
    """The task instances of one pool that wait at one concurrency limit."""

    __slots__ = ("generation", "limit", "pool", "queued_key", "task_instances")

    def __init__(self, limit: ConcurrencyLimit, pool: Pool) -> None:
        self.limit = limit
        self.pool = pool
        self.task_instances: PriorityQueue[Admissible] = PriorityQueue()
        self.queued_key: AdmissionKey | None = None
        """The key of its item in the pool's queue; None: it is not in the pool's queue."""
        self.generation = 0

    def join_pool_queue(self) -> None:
        """Enter the pool's queue with the key of the first instance, or move forward to it."""
        key = self.task_instances.peek_key()
        if key is not None and (self.queued_key is None or key < self.queued_key):
            self.generation += 1
            self.queued_key = key
            self.pool.ready_queue.push(key, self)

    def leave_pool_queue(self) -> None:
        """Make the item in the pool's queue void."""
        self.generation += 1
        self.queued_key = None


class HasFreeSlots(Protocol):
    """What a limit of an executor needs of a worker."""

    @property
    def has_free_slot(self) -> bool: ...


class ConcurrencyLimit:
    """At most `limit` live task instances (None: any number); `name` is the limit's name in the sentences of `explain`."""

    __slots__ = ("limit", "name", "queues", "used")

    def __init__(self, limit: int | None, name: str) -> None:
        self.limit = limit
        self.name = name
        self.used = 0
        self.queues: dict[str, LimitQueue] = {}
        """By name of the pool."""

    @property
    def is_reached(self) -> bool:
        return self.limit is not None and self.used >= self.limit

    def enqueue(self, ti: Admissible, pool: Pool) -> None:
        """Add the instance to the queue of its pool at this limit."""
        limit_queue = self.queues.get(pool.name)
        if limit_queue is None:
            limit_queue = self.queues[pool.name] = LimitQueue(self, pool)
        limit_queue.task_instances.push(ti.admission_key, ti)

    def release(self) -> None:
        """Count one instance less; if the limit is free again, its queues enter the queues of their pools."""
        self.used -= 1
        if self.queues:
            self.offer()

    def offer(self) -> None:
        """If the limit is free, its queues enter the queues of their pools."""
        if self.queues and not self.is_reached:
            for limit_queue in self.queues.values():
                limit_queue.join_pool_queue()


class ExecutorLimit(ConcurrencyLimit):
    """Reached while no worker of one executor has a free slot: then its task instances leave the queues of their pools to those of other executors."""

    __slots__ = ("workers",)

    def __init__(self, name: str) -> None:
        super().__init__(None, name)
        self.workers: dict[str, HasFreeSlots] = {}
        """By worker id; none for the name of an executor that is not configured."""

    @property
    def is_reached(self) -> bool:
        return not any(worker.has_free_slot for worker in self.workers.values())
