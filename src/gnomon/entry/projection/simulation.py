"""A simulation from nothing: DAGs of files, a start, an end, pools and durations; the runs that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.assumed_times import AssumedTimes, NamedTimes
from gnomon.entry.projection.projected_dags import build_running_dags, list_unprojected
from gnomon.entry.projection.projector import EndlessInstant, Projector, is_caused
from gnomon.entry.projection.run_outcomes import OutcomeCollector, RunOutcome
from gnomon.entry.projection.simulation_size import MAX_RUNS, refuse_too_large
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.records import PoolRecord
from gnomon.model.sentences import Sentence, quote, say
from gnomon.model.spec import DagSpec
from gnomon.rules.dependencies.faults import errors_of
from gnomon.rules.dependencies.shape import shape_of
from gnomon.rules.engine.step_context import StepResult
from gnomon.services.scheduler.settings import SchedulerSettings

UNLIMITED = -1
MAX_ATTEMPTS = 10_000_000
"""A simulation of more ends with an error: it would take more than ten minutes."""
MAX_KEPT_ATTEMPTS = 2_000_000
"""The same if each task instance is kept: more would not fit into memory."""

RATE_AFTER = 500_000
"""After so many attempts, one that would have RATE_EXCESS times too many at its rate ends too: assets that trigger one another without end."""
RATE_EXCESS = 20

CAUSED_RUNS = 5_000
"""Whenever so many runs have followed from other runs, and three for each DAG, their rate is looked at: DAGs that trigger one another go on without end."""
CAUSED_EXCESS = 4
"""A simulation ends if, at the rate of the newest of them, it would have so many times MAX_RUNS: more of them come at some hours than at others."""


@dataclass(frozen=True)
class Scenario:
    """What is simulated."""

    dags: Sequence[tuple[DagSpec, str]]
    """With their files."""
    start: Instant
    end: Instant
    settings: SchedulerSettings
    worker_slots: int
    times: NamedTimes = field(default_factory=NamedTimes)
    pool_slots: Mapping[str, int] = field(default_factory=dict)
    with_tasks: bool = False


@dataclass(frozen=True)
class SimulatedRuns:
    """What came of it."""

    runs: list[RunOutcome]
    """By start; those that have not started come last."""
    attempt_count: int
    assumptions: list[Sentence]
    pool_slots: Mapping[str, int] = field(default_factory=dict)
    """Also of the pools whose size is assumed."""


def simulate(scenario: Scenario, timetables: TimetableHost | None = None) -> SimulatedRuns:
    """Run the scenario. Raises UserError for one that is too large, or in which time stands still."""
    specs = [spec for spec, _ in scenario.dags]
    refuse_too_large(specs, scenario.start, scenario.end)
    script = AssumedTimes(scenario.times, specs)
    pools, assumed_pools = _build_pools(scenario, specs)
    projector = Projector(
        settings=scenario.settings,
        start=scenario.start,
        script=script.play,
        pools=pools,
        worker_slots=scenario.worker_slots,
        timetables=timetables,
    )
    collector = OutcomeCollector(projector.engine_state, with_tasks=scenario.with_tasks)
    counter = AttemptCounter(
        scenario.start,
        scenario.end,
        len(scenario.dags),
        MAX_KEPT_ATTEMPTS if scenario.with_tasks else MAX_ATTEMPTS,
    )

    def observe(result: StepResult, now: Instant) -> None:
        collector.observe(result, now)
        counter.count(result, now)

    projector.observe = observe
    errors = errors_of({spec.dag_id: shape_of(spec) for spec in specs})
    dags = build_running_dags(scenario.dags, scenario.start)
    projector.add_dags(
        [replace(dag.record, dependency_error=errors.get(dag.record.dag_id)) for dag in dags],
        {dag.record.dag_pk: dag.past_slots for dag in dags},
    )
    try:
        projector.run_until(scenario.end)
    except EndlessInstant as endless:
        raise UserError(
            say("simulated_time_stands_still", at=endless.at, names=", ".join(endless.dag_ids) or "-")
        ) from None
    runs = sorted([*collector.runs, *collector.list_unfinished(projector.now)], key=_sort_key)
    faults = [
        say(
            "simulated_dag_has_no_plan",
            dag=dag.record.dag_id,
            why=quote(dag.record.dependency_error or dag.record.error or ""),
        )
        for dag in sorted(projector.engine_state.dags.values(), key=lambda dag: dag.record.dag_id)
        if dag.record.dependency_error or dag.record.error
    ]
    return SimulatedRuns(
        runs,
        counter.ended,
        [*faults, *list_unprojected(specs), *assumed_pools, *script.list_assumptions()],
        {pool.name: pool.slots for pool in pools},
    )


class AttemptCounter:
    """Counts the attempts that ended, and ends a simulation that has too many, or would have at the rate that it has."""

    def __init__(self, start: Instant, end: Instant, dag_count: int, most: int) -> None:
        """`most`: the most attempts."""
        self.ended = 0
        self._most = most
        self._start, self._span = start, end - start
        self._caused, self._caused_since = 0, start
        self._caused_window = max(CAUSED_RUNS, 3 * dag_count)

    def count(self, result: StepResult, now: Instant) -> None:
        """The attempts of a step. Raises UserError when there are too many."""
        before = self.ended
        for attempt_ids in result.acknowledges.values():
            self.ended += len(attempt_ids)
        self.ended += result.followed_attempts
        is_too_fast = before < RATE_AFTER <= self.ended and self.ended * self._span > RATE_EXCESS * self._most * (
            now - self._start
        )
        if self.ended > self._most or is_too_fast or self._goes_in_circles(result, now):
            raise UserError(say("simulation_is_too_large", number=f"{self.ended:,}", at=now))

    def _goes_in_circles(self, result: StepResult, now: Instant) -> bool:
        """Whether runs follow from runs faster than a deployment that comes to an end. At one instant `EndlessInstant` says it."""
        caused = sum(map(is_caused, result.ended_runs))
        if not caused:
            return False
        if not self._caused:
            self._caused_since = now
        self._caused += caused
        if self._caused < self._caused_window or now == self._caused_since:
            return False
        expected = self._caused * self._span / (now - self._caused_since)
        self._caused = 0
        return expected > CAUSED_EXCESS * MAX_RUNS


def _sort_key(run: RunOutcome) -> tuple[bool, Instant, str, int]:
    started_at = run.started_at
    return started_at is None, run.run_after if started_at is None else started_at, run.dag_id, run.run_pk


def _build_pools(scenario: Scenario, specs: Sequence[DagSpec]) -> tuple[list[PoolRecord], list[Sentence]]:
    """The pools of the scenario; one that a task names and the scenario does not is without a limit, which is an assumption."""
    used = {task.pool for spec in specs for task in spec.tasks}
    missing = sorted(used - scenario.pool_slots.keys())
    slots = {**scenario.pool_slots, **dict.fromkeys(missing, UNLIMITED)}
    assumed = [say("pools_are_assumed", count=len(missing), names=", ".join(missing))] if missing else []
    return [PoolRecord(name, number, 0) for name, number in sorted(slots.items())], assumed
