"""A simulation from nothing: DAGs of files, a start, an end, pools and durations; the runs that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.assumed_times import AssumedTimes, NamedTimes
from gnomon.entry.projection.attempt_counter import MAX_ATTEMPTS, MAX_KEPT_ATTEMPTS, AttemptCounter
from gnomon.entry.projection.divided_projection import EngineShare, find_capacity, project_divided
from gnomon.entry.projection.independent_dags import IndependentDags
from gnomon.entry.projection.projected_dags import RunningDag, build_running_dags, list_unprojected
from gnomon.entry.projection.projector import Projector
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation_size import refuse_too_large
from gnomon.entry.projection.unplanned_dags import list_unplanned
from gnomon.model.instants import Instant
from gnomon.model.records import GroupState, PoolRecord
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.dependencies.faults import errors_of
from gnomon.rules.dependencies.shape import shape_of
from gnomon.services.scheduler.settings import SchedulerSettings

UNLIMITED = -1


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
    errors = errors_of({spec.dag_id: shape_of(spec) for spec in specs})
    dags = build_running_dags(scenario.dags, scenario.start)
    for dag in dags:
        dag.record.dependency_error = errors.get(dag.record.dag_id)
    independent = IndependentDags(
        GroupState([replace(dag.record) for dag in dags], [], []), pools, scenario.settings, scenario.start
    )
    engine = _EnginePart(scenario, script, pools, dags, timetables)
    runs = project_divided(
        independent,
        find_capacity(pools, scenario.settings, scenario.worker_slots),
        script.draw_try,
        scenario.end,
        scenario.end,
        engine.project,
        with_tasks=scenario.with_tasks,
        count=_open_counter(scenario).add,
    ).runs
    return SimulatedRuns(
        sorted(runs, key=_sort_key),
        engine.attempt_count,
        [*engine.faults, *list_unprojected(specs), *assumed_pools, *script.list_assumptions()],
        {pool.name: pool.slots for pool in pools},
    )


@dataclass
class _EnginePart:
    """The DAGs that are not projected alone."""

    scenario: Scenario
    script: AssumedTimes
    pools: Sequence[PoolRecord]
    dags: Sequence[RunningDag]
    """All DAGs of the scenario."""
    timetables: TimetableHost | None
    faults: list[Sentence] = field(default_factory=list)
    attempt_count: int = 0
    """Of all DAGs."""

    def project(self, share: EngineShare) -> tuple[list[RunOutcome], Instant]:
        """Project those of the share, from the start of the scenario to its end; what was known of another share is forgotten."""
        scenario = self.scenario
        rest = [dag for dag in self.dags if dag.record.dag_pk not in share.excluded]
        counter = _open_counter(scenario)
        counter.add(share.attempts, scenario.end)
        self.faults, self.attempt_count = [], counter.ended
        if not rest:
            return [], scenario.end
        projector = Projector(
            settings=share.cut_settings(scenario.settings),
            start=scenario.start,
            script=self.script.play,
            pools=share.cut_pools(self.pools),
            worker_slots=scenario.worker_slots,
            timetables=self.timetables,
            draw=self.script.draw_try,
        )
        records = [replace(dag.record) for dag in rest]
        collector = share.observe(projector, records, with_tasks=scenario.with_tasks, counter=counter)
        projector.add_dags(records, {dag.record.dag_pk: dag.past_slots for dag in rest})
        projector.run_until(scenario.end)
        records = [dag.record for dag in projector.engine_state.dags.values()]
        self.faults, self.attempt_count = list_unplanned(records), counter.ended
        return [*collector.runs, *collector.list_unfinished(projector.now)], scenario.end


def _open_counter(scenario: Scenario) -> AttemptCounter:
    most = MAX_KEPT_ATTEMPTS if scenario.with_tasks else MAX_ATTEMPTS
    return AttemptCounter(scenario.start, scenario.end, len(scenario.dags), most)


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
