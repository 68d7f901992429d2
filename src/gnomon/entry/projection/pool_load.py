"""The slots of pools in drawn futures, by five minutes: how many are taken, and how many wait for one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gnomon.entry.projection.forecast import LATE, MEDIAN
from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import DagSpec, TaskSpec

STEP_US = 300 * SECOND


@dataclass(frozen=True, slots=True)
class PoolLoad:
    """A pool in a span of time whose figures are the same in each five minutes."""

    pool: str
    start: Instant
    end: Instant
    slots: int | None
    """None: without a limit."""
    taken_p50: int
    taken_p90: int
    waiting_p50: int
    """Slots that are wanted and not free, in half of the futures at most so many."""
    waiting_p90: int


class LoadCollector:
    """Sees each future; figures are those at the begin of each five minutes."""

    def __init__(self, start: Instant, end: Instant, specs: Mapping[str, DagSpec], pools: Mapping[str, int]) -> None:
        """`pools`: their slots; negative: without a limit."""
        self._start = start - start % STEP_US
        self._steps = max(1, -(-(end - self._start) // STEP_US))
        self._tasks: dict[tuple[str, str], TaskSpec] = {
            (spec.dag_id, task.task_id): task for spec in specs.values() for task in spec.tasks
        }
        self._pools = pools
        self._futures: list[dict[str, tuple[list[int], list[int]]]] = []

    def add(self, runs: Iterable[RunOutcome]) -> None:
        """One future, with its tasks."""
        use: dict[str, tuple[list[int], list[int]]] = {}
        for run in runs:
            ends: dict[str, list[Instant | None]] = {}
            for task in run.tasks:
                ends.setdefault(task.task_id, []).append(task.ended_at)
            for task in run.tasks:
                self._add_task(use, run, task, ends)
        self._futures.append(use)

    def _add_task(
        self,
        use: dict[str, tuple[list[int], list[int]]],
        run: RunOutcome,
        task: TaskOutcome,
        ends: Mapping[str, list[Instant | None]],
    ) -> None:
        spec = self._tasks.get((run.dag_id, task.task_id))
        if spec is None or task.started_at is None or run.started_at is None:
            return
        taken, waiting = use.setdefault(spec.pool, ([0] * self._steps, [0] * self._steps))
        ready_at = max(
            [run.started_at, *(end for name in spec.upstream for end in ends.get(name, ()) if end is not None)]
        )
        if task.try_number <= 1:  # of a later try only the end of the wait for the retry is not known
            self._count(waiting, ready_at, task.started_at, spec.pool_slots)
        self._count(taken, task.started_at, task.ended_at, spec.pool_slots)

    def _count(self, steps: list[int], since: Instant, until: Instant | None, slots: int) -> None:
        """Count slots at each begin of five minutes within the time, `until` excluded."""
        first = max(0, -(-(since - self._start) // STEP_US))
        last = self._steps if until is None else min(self._steps, -(-(until - self._start) // STEP_US))
        for number in range(first, last):
            steps[number] += slots

    def build(self) -> list[PoolLoad]:
        """Spans in which something is taken or wanted, by pool and time."""
        return [load for pool in sorted({pool for use in self._futures for pool in use}) for load in self._build(pool)]

    def _build(self, pool: str) -> list[PoolLoad]:
        slots = self._pools.get(pool)
        limit = None if slots is None or slots < 0 else slots
        empty: tuple[list[int], list[int]] = ([0] * self._steps, [0] * self._steps)
        uses = [use.get(pool, empty) for use in self._futures]
        loads: list[PoolLoad] = []
        for number in range(self._steps):
            figures = [
                _find_quantile([use[kind][number] for use in uses], quantile)
                for kind in (0, 1)
                for quantile in (MEDIAN, LATE)
            ]
            if not any(figures):
                continue
            start = self._start + number * STEP_US
            load = PoolLoad(pool, start, start + STEP_US, limit, *figures)
            last = loads[-1] if loads else None
            if last is not None and last.end == start and _figures(last) == _figures(load):
                loads[-1] = PoolLoad(pool, last.start, load.end, limit, *figures)
            else:
                loads.append(load)
        return loads


def _figures(load: PoolLoad) -> tuple[int, int, int, int]:
    return load.taken_p50, load.taken_p90, load.waiting_p50, load.waiting_p90


def _find_quantile(values: list[int], quantile: float) -> int:
    return sorted(values)[min(int(quantile * len(values)), len(values) - 1)]
