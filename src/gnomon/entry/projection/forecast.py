"""The coming runs of a deployment: sampled futures from a snapshot, and of each run the quantiles of its start and end."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.assumed_times import shorten_names
from gnomon.entry.projection.attempt_counter import AttemptCounter
from gnomon.entry.projection.divided_projection import EngineShare, find_capacity, project_divided
from gnomon.entry.projection.drawn_times import DrawnTimes
from gnomon.entry.projection.independent_dags import IndependentDags
from gnomon.entry.projection.projected_dags import RAISED_LATER
from gnomon.entry.projection.projector import Observer, Projector
from gnomon.entry.projection.run_outcomes import OutcomeCollector, RunOutcome, TaskOutcome
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.model.deferral import DeferralResult
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Command, Sentence, say
from gnomon.model.states import FINISHED_TASK_STATES, DagRunState, TaskInstanceState
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.run_facts import describe_run
from gnomon.rules.engine.step_context import StepResult
from gnomon.services.scheduler.kept_plans import KeptPlans
from gnomon.services.scheduler.settings import SchedulerSettings

SAMPLES = 50
MEDIAN, LATE = 0.5, 0.9
RUN_OUT_S = 86_400
"""How long after the horizon runs may go on that begin before it."""
_RunKey = tuple[str, str, Instant, int]
"""DAG, type, due time, and the place among the runs with these: the runs of one future are matched with those of another by it."""


@dataclass
class _SampleValues:
    """What the samples say of one run or task instance."""

    run_id: str
    starts: list[Instant] = field(default_factory=list)
    ends: list[Instant] = field(default_factory=list)
    count: int = 0
    failed: int = 0

    def add(self, started_at: Instant | None, ended_at: Instant | None, *, is_failed: bool) -> None:
        self.count += 1
        self.failed += is_failed
        if started_at is not None:
            self.starts.append(started_at)
        if ended_at is not None:
            self.ends.append(ended_at)


@dataclass(frozen=True)
class ForecastRow:
    """One coming or unfinished run, or one of its task instances."""

    dag_id: str
    run_id: str
    run_type: str
    run_after: Instant
    task: str | None
    start_p50: Instant | None
    start_p90: Instant | None
    end_p50: Instant | None
    """None: in half of the samples it had not ended when the projection stopped."""
    end_p90: Instant | None
    failed_share: float
    sample_share: float
    """The share of the samples in which the run exists."""


@dataclass(frozen=True)
class SampledForecast:
    """The answer, and how sure it is."""

    at: Instant
    until: Instant
    rows: list[ForecastRow]
    samples: int
    wanted_samples: int
    assumptions: list[Sentence]


@dataclass(frozen=True)
class Future:
    """One drawn future: its runs, and the tasks whose duration had to be assumed."""

    runs: list[RunOutcome]
    assumed: Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Drawing:
    """How futures are drawn: so many, fewer if that takes longer than `max_s` seconds, but one in any case."""

    samples: int = SAMPLES
    seed: int = 1
    assumed_s: float = 60.0
    max_s: float = 60.0
    with_tasks: bool = False
    tasks_of: Collection[str] | None = None
    """With tasks: the independent DAGs of which they are asked for; None: all."""


def draw_futures(
    snapshot: Snapshot,
    settings: SchedulerSettings,
    until: Instant,
    drawing: Drawing,
    timetables: TimetableHost | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Future]:
    """Project the snapshot again and again: the runs that are due before `until`, each to its end."""
    began = clock()
    zones = {dag.dag_id: dag.spec.local_timezone for dag in snapshot.state.dags}
    kept_plans, independent = KeptPlans(), find_independent(snapshot, settings)
    for sample in range(drawing.samples):
        script = DrawnTimes(snapshot.models, snapshot.expected_s, zones, drawing.assumed_s, drawing.seed, sample)
        runs = project_future(
            snapshot,
            settings,
            until,
            script,
            drawing.with_tasks,
            timetables,
            kept_plans,
            independent,
            tasks_of=drawing.tasks_of,
        )
        yield Future(runs, script.assumed)
        if clock() - began > drawing.max_s:
            break


class ForecastCollector:
    """Sees each future, and says of each run and task what all of them say."""

    def __init__(self, *, with_tasks: bool) -> None:
        self._with_tasks = with_tasks
        self._drawn: dict[tuple[_RunKey, str | None], _SampleValues] = {}
        self._assumed: dict[tuple[str, str], None] = {}
        self.samples = 0

    def add(self, future: Future) -> None:
        """One more future."""
        _add_sample(self._drawn, future.runs, with_tasks=self._with_tasks)
        self._assumed.update(dict.fromkeys(future.assumed))
        self.samples += 1

    def build(self, snapshot: Snapshot, until: Instant, drawing: Drawing) -> SampledForecast:
        """The answer, rows by their start."""
        rows = [_build_row(key, each, self.samples) for key, each in self._drawn.items()]
        rows.sort(key=lambda row: (row.start_p50 or row.run_after, row.dag_id, row.run_after, row.task or ""))
        assumptions = list_assumptions(snapshot, self._assumed, drawing.assumed_s)
        return SampledForecast(snapshot.at, until, rows, self.samples, drawing.samples, assumptions)


def forecast(
    snapshot: Snapshot,
    settings: SchedulerSettings,
    until: Instant,
    *,
    samples: int = SAMPLES,
    seed: int = 1,
    assumed_s: float = 60.0,
    max_s: float = 60.0,
    with_tasks: bool = False,
    timetables: TimetableHost | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> SampledForecast:
    """Project the snapshot `samples` times, fewer if that takes longer than `max_s` seconds, but once in any case."""
    drawing = Drawing(samples, seed, assumed_s, max_s, with_tasks)
    collector = ForecastCollector(with_tasks=with_tasks)
    for future in draw_futures(snapshot, settings, until, drawing, timetables, clock):
        collector.add(future)
    return collector.build(snapshot, until, drawing)


def find_independent(snapshot: Snapshot, settings: SchedulerSettings) -> IndependentDags:
    """The DAGs of the snapshot that futures can be drawn of without the engine."""
    state = snapshot.copy_state()
    return IndependentDags(state, snapshot.pools, settings, snapshot.at, snapshot.graphs, snapshot.queued_events)


def project_future(
    snapshot: Snapshot,
    settings: SchedulerSettings,
    until: Instant,
    script: DrawnTimes,
    with_tasks: bool,
    timetables: TimetableHost | None,
    kept_plans: KeptPlans,
    independent: IndependentDags,
    count_attempts: Callable[[], AttemptCounter] | None = None,
    tasks_of: Collection[str] | None = None,
) -> list[RunOutcome]:
    """One future of the snapshot: the runs that are due before `until`. `count_attempts`: makes what bounds their number."""
    slots = 0 if snapshot.workers else settings.limits.parallelism or 1_000
    end = until + RUN_OUT_S * SECOND
    script.now = lambda: snapshot.at

    def project_rest(share: EngineShare) -> tuple[list[RunOutcome], Instant]:
        part = snapshot.leave_out(share.excluded, share.cut_pools(snapshot.pools))
        dags = part.state.dags
        counter = None if count_attempts is None else count_attempts()
        if counter is not None:
            counter.add(share.attempts, share.end)
        if not part.state.runs and not any(dag.active and not dag.paused for dag in dags):
            return [], share.end
        projector = Projector(
            settings=share.cut_settings(settings),
            start=snapshot.at,
            script=script.play,
            pools=(),
            worker_slots=slots,
            timetables=timetables,
            kept_plans=kept_plans,
            draw=script.draw_try,
        )
        script.now = lambda: projector.now
        projector.load(part, script.resume)
        _schedule_deferrals(projector, script)
        collector = OutcomeCollector(projector.engine_state, with_tasks=with_tasks)
        observers = [collector.observe, share.watch(projector.engine_state, dags)]
        if counter is not None:
            observers.append(counter.count)
        projector.observe = _observe_all(observers)
        try:
            projector.run_until(until)
            while projector.now < end and (projector.now < share.end or _has_early_runs(projector, until)):
                projector.run_until(min(end, projector.now + 3600 * SECOND))
            runs = [*collector.runs, *collector.list_unfinished(projector.now, with_waits=False)]
            return [run for run in runs if run.run_after < until], projector.now
        finally:
            projector.engine_state.release()

    worker_slots = sum(worker.slots for worker in snapshot.workers) or slots
    capacity = find_capacity(snapshot.pools, settings, worker_slots)
    return project_divided(
        independent,
        capacity,
        script.draw_try,
        until,
        end,
        project_rest,
        with_tasks=with_tasks if not with_tasks or tasks_of is None else tasks_of,
        count=None if count_attempts is None else count_attempts().add,
    )


def _observe_all(observers: Sequence[Observer]) -> Observer:
    def observe(result: StepResult, now: Instant) -> None:
        for each in observers:
            each(result, now)

    return observe


def _has_early_runs(projector: Projector, until: Instant) -> bool:
    return any(run.is_running and run.record.run_after < until for run in projector.engine_state.runs.values())


def _schedule_deferrals(projector: Projector, script: DrawnTimes) -> None:
    """The ends of deferrals that a trigger of an author decides about: those with a time of their own have a timer already."""
    for run in projector.engine_state.runs.values():
        facts = describe_run(run.dag.record.dag_id, run.record)
        for instances in run.task_instances:
            for ti in instances.values():
                wait = ti.deferral
                if (
                    ti.state is TaskInstanceState.DEFERRED
                    and wait is not None
                    and wait.result is None
                    and wait.due_at is None
                ):
                    began = wait.created_at if ti.started_at is None else ti.started_at
                    rest_s = script.draw_rest(
                        facts, ti.task.task_id, ti.map_index, ti.try_number, (projector.now - began) / SECOND
                    )
                    event = e.DeferralEnded(ti.key(), ti.defer_seq, DeferralResult(outcome="event"))
                    projector.schedule(projector.now + int(rest_s * SECOND), event)


def _add_sample(
    drawn: dict[tuple[_RunKey, str | None], _SampleValues], runs: Iterable[RunOutcome], *, with_tasks: bool
) -> None:
    places: dict[tuple[str, str, Instant], int] = defaultdict(int)
    for run in sorted(runs, key=lambda run: run.run_pk):
        slot = (run.dag_id, run.run_type, run.run_after)
        key: _RunKey = (*slot, places[slot])
        places[slot] += 1
        _find(drawn, key, None, run).add(run.started_at, run.ended_at, is_failed=run.state is DagRunState.FAILED)
        for task in run.tasks if with_tasks else ():
            _find(drawn, key, task.name, run).add(
                task.started_at, _find_end(task), is_failed=task.state is TaskInstanceState.FAILED
            )


def _find(
    drawn: dict[tuple[_RunKey, str | None], _SampleValues], key: _RunKey, task: str | None, run: RunOutcome
) -> _SampleValues:
    values = drawn.get((key, task))
    if values is None:
        values = drawn[key, task] = _SampleValues(run.run_id)
    return values


def _find_end(task: TaskOutcome) -> Instant | None:
    return task.ended_at if task.state in FINISHED_TASK_STATES else None


def _build_row(key: tuple[_RunKey, str | None], drawn: _SampleValues, samples: int) -> ForecastRow:
    (dag_id, run_type, run_after, _), task = key
    starts, ends = sorted(drawn.starts), sorted(drawn.ends)
    return ForecastRow(
        dag_id,
        drawn.run_id,
        run_type,
        run_after,
        task,
        find_quantile(starts, drawn.count, MEDIAN),
        find_quantile(starts, drawn.count, LATE),
        find_quantile(ends, drawn.count, MEDIAN),
        find_quantile(ends, drawn.count, LATE),
        drawn.failed / drawn.count,
        drawn.count / samples,
    )


def find_quantile(ordered: Sequence[Instant], count: int, quantile: float) -> Instant | None:
    """The quantile of `count` values of which those that are missing are later than all."""
    place = min(int(quantile * count), count - 1)
    return ordered[place] if place < len(ordered) else None


def _list_missing_pools(snapshot: Snapshot) -> list[Sentence]:
    """A sentence for each pool that does not exist and that a DAG names whose runs are projected: its tasks do not start."""
    used = {task.pool for dag in snapshot.state.dags if dag.active and not dag.paused for task in dag.spec.tasks}
    missing = sorted(used - {pool.name for pool in snapshot.pools})
    return [
        say("pool_does_not_exist", missing_pool=name, command=Command("pools set", (name, "16"))) for name in missing
    ]


def list_assumptions(snapshot: Snapshot, assumed: Iterable[tuple[str, str]], assumed_s: float) -> list[Sentence]:
    """What a projection of the snapshot assumes. `assumed`: the tasks whose duration is not known."""
    names = [f"{dag_id}.{task_id}" for dag_id, task_id in assumed]
    sentences = [*_list_missing_pools(snapshot), *snapshot.unprojected]
    if snapshot.state.raised_priorities and RAISED_LATER not in sentences:
        sentences.append(RAISED_LATER)
    if names:
        sentences.append(
            say(
                "forecast_durations_are_assumed",
                count=len(names),
                duration=assumed_s,
                names=shorten_names(names),
            )
        )
    if not snapshot.workers:
        sentences.append(say("forecast_without_workers"))
    backfills = sum(not backfill.is_ended for backfill in snapshot.state.backfills)
    if backfills:
        sentences.append(say("forecast_leaves_backfills_out", count=backfills))
    return sentences
