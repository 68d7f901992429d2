"""The slots of pools in drawn futures, by five minutes: how many are taken, and how many wait for one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gnomon.entry.projection.forecast import LATE, MEDIAN
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec, TaskSpec

STEP_US = 300 * SECOND
_Change = tuple[Instant, int]
"""So many slots more, or fewer, from that instant on."""


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
    """Sees each future; figures are the most at once within each five minutes."""

    def __init__(self, start: Instant, end: Instant, specs: Mapping[str, DagSpec], pools: Mapping[str, int]) -> None:
        """`pools`: their slots; negative: without a limit."""
        self._start = start - start % STEP_US
        self._steps = max(1, -(-(end - self._start) // STEP_US))
        self._tasks: dict[tuple[str, str], TaskSpec] = {
            (spec.dag_id, task.task_id): task for spec in specs.values() for task in spec.tasks
        }
        self._pools = pools
        self._futures: list[dict[str, tuple[list[int], list[int]]]] = []
        """By pool: the slots that are taken, and those that are waited for, by step."""

    def add(self, runs: Iterable[RunOutcome]) -> None:
        """One future, with its tasks."""
        taken: dict[str, list[_Change]] = {}
        waiting: dict[str, list[_Change]] = {}
        for run in runs:
            ends: dict[str, list[Instant]] = {}
            for task in run.tasks:
                if task.ended_at is not None:
                    ends.setdefault(task.task_id, []).append(task.ended_at)
            for task in run.tasks:
                spec = self._tasks.get((run.dag_id, task.task_id))
                if spec is None or task.started_at is None or run.started_at is None:
                    continue
                _add_span(taken.setdefault(spec.pool, []), task.started_at, task.ended_at, spec.pool_slots)
                if task.try_number <= 1:  # of a later try the end of the wait for the retry is not known
                    ready_at = max([run.started_at, *(end for name in spec.upstream for end in ends.get(name, ()))])
                    _add_span(waiting.setdefault(spec.pool, []), ready_at, task.started_at, spec.pool_slots)
        self._futures.append(
            {pool: (self._find_peaks(taken[pool]), self._find_peaks(waiting.get(pool, []))) for pool in taken}
        )

    def _find_peaks(self, changes: list[_Change]) -> list[int]:
        """The most slots at once within each step."""
        peaks, now = [0] * self._steps, 0
        reached = 0
        for at, slots in sorted(changes):
            number = (at - self._start) // STEP_US
            for passed in range(reached + 1, min(number, self._steps - 1) + 1):
                peaks[passed] = now
            reached = max(reached, number)
            now += slots
            if 0 <= number < self._steps:
                is_first = at == self._start + number * STEP_US  # what ends now takes nothing within the step
                peaks[number] = now if is_first else max(peaks[number], now)
            elif number < 0:
                peaks[0] = now
        for passed in range(reached + 1, self._steps):
            peaks[passed] = now
        return peaks

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


def describe_shortages(loads: Iterable[PoolLoad]) -> list[Sentence]:
    """A sentence for each pool for whose slots tasks wait in half of the futures: the span in which most are waited for, with what follows on it directly."""
    spans: dict[str, list[list[PoolLoad]]] = {}
    for load in loads:
        if load.slots is None or not load.waiting_p50:
            continue
        of_pool = spans.setdefault(load.pool, [])
        if of_pool and of_pool[-1][-1].end == load.start:
            of_pool[-1].append(load)
        else:
            of_pool.append([load])
    worst = [max(of_pool, key=lambda span: max(load.waiting_p50 for load in span)) for of_pool in spans.values()]
    return [
        say(
            "pool_will_be_full",
            pool=span[0].pool,
            count=span[0].slots,
            at=span[0].start,
            until=span[-1].end,
            number=str(max(load.waiting_p50 for load in span)),
        )
        for span in worst
    ]


def _add_span(changes: list[_Change], since: Instant, until: Instant | None, slots: int) -> None:
    if until is None or until > since:
        changes.append((since, slots))
        if until is not None:
            changes.append((until, -slots))


def _figures(load: PoolLoad) -> tuple[int, int, int, int]:
    return load.taken_p50, load.taken_p90, load.waiting_p50, load.waiting_p90


def _find_quantile(values: list[int], quantile: float) -> int:
    return sorted(values)[min(int(quantile * len(values)), len(values) - 1)]
