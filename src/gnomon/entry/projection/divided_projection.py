"""A projection in two parts: independent DAGs, each alone, and all others in the engine.

The division holds as long as there are slots for all at any time. The engine gets only those that independent DAGs leave at their busiest; where it runs out of them, the DAGs that use them are
independent no longer, and the future is projected again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gnomon.entry.projection.attempt_counter import AttemptCounter
from gnomon.entry.projection.independent_dags import IndependentDags, Resource
from gnomon.entry.projection.independent_runs import FollowedSpan, IndependentFuture
from gnomon.entry.projection.projector import Projector, rare_collections
from gnomon.entry.projection.run_ends import RunEnds
from gnomon.entry.projection.run_outcomes import OutcomeCollector, RunOutcome
from gnomon.entry.projection.slot_demand import SlotDemand
from gnomon.entry.projection.undisturbed_runs import DrawTry
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, PoolRecord
from gnomon.rules.engine.step_context import StepResult
from gnomon.services.scheduler.settings import SchedulerSettings

Capacity = Mapping[Resource, int]


class SlotsRunOut(Exception):
    """The engine has a task that waits for a slot that an independent DAG may have."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(f"no slot is free: {resource or 'workers'}")
        self.resource = resource


@dataclass(frozen=True)
class EngineShare:
    """What the engine is to project, and the slots that it may use."""

    excluded: frozenset[int]
    """The DAGs (dag_pk) that are projected alone."""
    held: Mapping[str, int]
    """The slots that their tasks hold at the start, by pool."""
    taken: Capacity
    """The most slots that they take at the same time."""
    capacity: Capacity
    attempts: int
    """How many attempts they have."""
    end: Instant
    """It goes on until then at least."""

    def cut_pools(self, pools: Iterable[PoolRecord]) -> list[PoolRecord]:
        """The pools without the slots that are taken."""
        return [
            replace(
                pool,
                used=pool.used - self.held.get(pool.name, 0),
                slots=pool.slots - self.taken.get(pool.name, 0) if pool.slots >= 0 else pool.slots,
            )
            for pool in pools
        ]

    def cut_settings(self, settings: SchedulerSettings) -> SchedulerSettings:
        """The settings with so many attempts at the same time as are left."""
        taken = self.taken.get(None, 0)
        if not taken:
            return settings
        return replace(settings, limits=replace(settings.limits, parallelism=self.capacity[None] - taken))

    def observe(
        self,
        projector: Projector,
        dags: Sequence[DagRecord],
        *,
        with_tasks: bool,
        counter: AttemptCounter | None = None,
    ) -> OutcomeCollector:
        """Watch the steps of the projector that has these DAGs; returns what collects its runs. `counter`: is told of its attempts.

        The projector then raises SlotsRunOut after a step that leaves no room for another task: one may have had to wait, or to let another go first.
        """
        state = projector.engine_state
        collector = OutcomeCollector(state, with_tasks=with_tasks)
        most: dict[str, int] = {}
        for dag in dags:
            for task in dag.spec.tasks:
                if self.taken.get(task.pool):
                    most[task.pool] = max(most.get(task.pool, 0), task.pool_slots)
        shared = [(state.get_pool(name), slots) for name, slots in most.items()]
        limit = state.limits.parallelism if self.taken.get(None) else None

        def look(result: StepResult, now: Instant) -> None:
            collector.observe(result, now)
            for pool, slots in shared:
                if not pool.has_room(slots):
                    raise SlotsRunOut(pool.name)
            if limit is not None and state.live_attempt_count >= limit:
                raise SlotsRunOut(None)
            if counter is not None:
                counter.count(result, now)

        projector.observe = look
        return collector


def find_capacity(pools: Iterable[PoolRecord], settings: SchedulerSettings, worker_slots: int) -> dict[Resource, int]:
    """What is limited, and how many slots it has. `worker_slots`: of all workers."""
    parallelism = settings.limits.parallelism
    capacity: dict[Resource, int] = {pool.name: pool.slots for pool in pools if pool.slots >= 0}
    capacity[None] = worker_slots if parallelism is None else min(parallelism, worker_slots)
    return capacity


class DividedFuture(NamedTuple):
    """One future of both parts."""

    runs: list[RunOutcome]
    """Those that are created before `reached`."""
    reached: Instant
    """It went on until then."""

    def list_due(self, until: Instant) -> list[RunOutcome]:
        """The runs that are due before `until`."""
        return [run for run in self.runs if run.run_after < until]

    def list_later(self, until: Instant) -> list[RunOutcome]:
        """The others."""
        return [run for run in self.runs if run.run_after >= until]


def project_divided(
    dags: IndependentDags,
    capacity: Capacity,
    draw: DrawTry,
    until: Instant,
    deadline: Instant,
    project_rest: Callable[[EngineShare], tuple[list[RunOutcome], Instant | None]],
    *,
    with_tasks: bool | Collection[str],
    count: Callable[[int, Instant], object] | None = None,
    taken: SlotDemand | None = None,
    ends: RunEnds | None = None,
) -> DividedFuture:
    """The runs that are due before `until`, and those that begin before the last of these has ended.

    `with_tasks`: for all, or of independent DAGs for these. `project_rest`: those of the engine, and the instant to which it went on; None: it has nothing to do.

    `deadline`: until then runs may go on that are due before `until`. `count`: is told of attempts of independent DAGs. `taken`: the slots of DAGs that are not projected; raises SlotsRunOut where
    they leave too few. `ends`: what was drawn before.
    """
    others: Collection[Resource] = () if taken is None else taken.resources
    while True:
        end = min(until + dags.run_out, deadline)
        dags.plan_until(end, count)
        with rare_collections():
            span = FollowedSpan(dags.start, until, end, deadline)
            future = IndependentFuture(dags, draw, span, with_tasks=with_tasks, taken=taken, ends=ends)
        if future.last_end > end:
            dags.lengthen(future.last_end - until)
            continue
        peaks = future.find_peaks(capacity)
        full = {resource for resource, peak in peaks.items() if peak > capacity[resource]}
        if not full.isdisjoint(others):
            raise SlotsRunOut(next(iter(full.intersection(others))))
        if full:
            dags.remove_users(full)
            continue
        alone = frozenset(dags.members.keys() - future.disturbed)
        share = EngineShare(alone, dags.count_held(alone), peaks, capacity, future.attempts, future.last_end)
        try:
            rest, reached = project_rest(share)
        except SlotsRunOut as out:
            if out.resource in others:
                raise
            dags.remove_users([out.resource])
            continue
        if reached is not None and dags.members and reached > end:
            dags.lengthen(reached - until)
            continue
        return DividedFuture(future.list_outcomes() + rest, end if reached is None else reached)
