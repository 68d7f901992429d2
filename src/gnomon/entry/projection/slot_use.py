"""Who held the slots of a pool, or of all workers, at an instant of a simulation: what a task waited for."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec, TaskSpec

HOLDERS_READ = 20_000
"""Most task instances that are looked at for one wait."""


@dataclass(frozen=True, slots=True)
class SlotUse:
    """A task instance that held slots of a pool from `start` to `end`."""

    start: Instant
    end: Instant
    dag_id: str
    task_id: str
    run_pk: int
    slots: int

    @property
    def name(self) -> str:
        """`dag.task`."""
        return f"{self.dag_id}.{self.task_id}"


class SlotObstacle(NamedTuple):
    """Slots that were all held when a task waited for one."""

    pool: str | None
    """None: all workers."""
    slots: int
    holder: str | None
    """The task, `dag.task`, that held most of them."""


class SlotUses:
    """The task instances of one simulation by pool. Earlier tries of a task are not known: their slots are counted as free."""

    def __init__(self, runs: Iterable[RunOutcome], specs: Mapping[str, DagSpec]) -> None:
        self.tasks: dict[tuple[str, str], TaskSpec] = {
            (spec.dag_id, task.task_id): task for spec in specs.values() for task in spec.tasks
        }
        self._pools: dict[str | None, list[SlotUse]] = defaultdict(list)
        """By pool; None: all."""
        for run in runs:
            for outcome in run.tasks:
                task = self.tasks.get((run.dag_id, outcome.task_id))
                if task is not None and outcome.started_at is not None:
                    end = outcome.started_at if outcome.ended_at is None else outcome.ended_at
                    use = SlotUse(outcome.started_at, end, run.dag_id, outcome.task_id, run.run_pk, task.pool_slots)
                    self._pools[task.pool].append(use)
                    self._pools[None].append(use)
        for uses in self._pools.values():
            uses.sort(key=lambda use: use.start)
        self._longest = {
            pool: max((use.end - use.start for use in uses), default=0) for pool, uses in self._pools.items()
        }

    def list_between(self, pool: str | None, since: Instant, until: Instant) -> Iterator[SlotUse]:
        """Those that held slots of the pool, or any slots, within the time."""
        uses = self._pools.get(pool, [])
        first = bisect_left(uses, since - self._longest.get(pool, 0), key=lambda use: use.start)
        for use in uses[first : first + HOLDERS_READ]:
            if use.start >= until:
                break
            if use.end > since:
                yield use

    def find_obstacle(
        self, task: TaskSpec, since: Instant, until: Instant, pool_slots: Mapping[str, int], worker_slots: int
    ) -> SlotObstacle | None:
        """What a task waited for that could have started at `since` and started at `until`; None: not for slots. Negative `pool_slots`: no limit."""
        if since >= until:
            return None
        slots = pool_slots.get(task.pool, -1)
        if slots >= 0 and self._count_held(task.pool, until) > slots - task.pool_slots:
            return SlotObstacle(task.pool, slots, self._find_holder(task.pool, since, until))
        if sum(1 for _ in self.list_between(None, until - 1, until)) >= worker_slots:
            return SlotObstacle(None, worker_slots, self._find_holder(None, since, until))
        return None

    def _count_held(self, pool: str, until: Instant) -> int:
        """The slots of the pool that were held just before that instant."""
        return sum(use.slots for use in self.list_between(pool, until - 1, until))

    def _find_holder(self, pool: str | None, since: Instant, until: Instant) -> str | None:
        """The task that held most of the slots within the time."""
        held: dict[str, int] = defaultdict(int)
        for use in self.list_between(pool, since, until):
            held[use.name] += use.slots * (min(use.end, until) - max(use.start, since))
        return max(held, key=lambda name: (held[name], name), default=None)
