"""The coming runs of a deployment: sampled futures from a snapshot, and of each run the quantiles of its start and end."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.drawn_times import DrawnTimes
from gnomon.entry.projection.futures import Futures, KeptParts
from gnomon.entry.projection.projected_dags import RAISED_LATER
from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.entry.projection.unplanned_dags import list_unplanned
from gnomon.model.ids import shorten_names
from gnomon.model.instants import Instant
from gnomon.model.sentences import Command, Sentence, say
from gnomon.model.states import FINISHED_TASK_STATES, DagRunState, TaskInstanceState
from gnomon.services.scheduler.settings import SchedulerSettings

SAMPLES = 50
MEDIAN, LATE = 0.5, 0.9
_RunKey = tuple[str, str, Instant, int]
"""DAG, type, due time, and the place among the runs with these: the runs of one future are matched with those of another by it."""


@dataclass
class _SampleValues:
    """What the samples say of one run or task instance."""

    run_id: str
    queued_at: Instant
    """The earliest of all futures."""
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
    """One drawn future: the runs that are due, the tasks whose duration had to be assumed, and the runs that are due later but begin before all of the others have ended."""

    runs: list[RunOutcome]
    assumed: Iterable[tuple[str, str]]
    later: list[RunOutcome]
    reached: Instant


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
    kept: KeptParts | None = None,
    first: int = 0,
) -> Iterator[Future]:
    """Project the snapshot again and again: the runs that are due before `until`, each to its end. `kept`: what earlier projections leave; raises SlotsRunOut where it does not hold.

    `first`: so many futures there are already.
    """
    began = clock()
    zones = {dag.dag_id: dag.spec.local_timezone for dag in snapshot.state.dags}
    with_tasks = drawing.with_tasks if not drawing.with_tasks or drawing.tasks_of is None else drawing.tasks_of
    futures = Futures(snapshot, settings, until, timetables, with_tasks=with_tasks, kept=kept)
    for sample in range(first, drawing.samples):
        script = DrawnTimes(snapshot.models, snapshot.expected_s, zones, drawing.assumed_s, drawing.seed, sample)
        if kept is not None:
            kept.ends.sample = sample
        future = futures.project(script)
        yield Future(future.list_due(until), script.assumed, future.list_later(until), future.reached)
        if clock() - began > drawing.max_s:
            break


class ForecastCollector:
    """Sees each future, and says of each run and task what all of them say."""

    def __init__(self, *, with_tasks: bool) -> None:
        self._with_tasks = with_tasks
        self._drawn: dict[tuple[_RunKey, str | None], _SampleValues] = {}
        self.assumed: dict[tuple[str, str], None] = {}
        """The tasks whose duration had to be assumed."""
        self.samples = 0

    def add(self, future: Future) -> None:
        """One more future."""
        _add_sample(self._drawn, future.runs, with_tasks=self._with_tasks)
        self.assumed.update(dict.fromkeys(future.assumed))
        self.samples += 1

    def replace(self, dag_ids: Collection[str], drawn: ForecastCollector) -> None:
        """Of these DAGs, what as many futures say that were drawn again."""
        self._drawn = {key: each for key, each in self._drawn.items() if key[0][0] not in dag_ids} | drawn._drawn
        self.assumed = {task: None for task in self.assumed if task[0] not in dag_ids} | drawn.assumed

    def list_rows(self) -> list[ForecastRow]:
        """What the futures say of each run, and of each task if they are asked for."""
        return [_build_row(key, each, self.samples) for key, each in self._drawn.items()]

    def list_spans(self) -> Iterator[tuple[str, Instant | None, Instant | None, Instant]]:
        """Of each run in any future: its DAG, when it starts (None: never), when it has ended (None: it may not have), and when it is created."""
        for ((dag_id, *_), task), values in self._drawn.items():
            if task is None:
                end = max(values.ends) if len(values.ends) == values.count else None
                yield dag_id, min(values.starts, default=None), end, values.queued_at

    def build(self, snapshot: Snapshot, until: Instant, drawing: Drawing) -> SampledForecast:
        """The answer, rows by their start."""
        assumptions = list_assumptions(snapshot, self.assumed, drawing.assumed_s)
        rows = sort_rows(self.list_rows())
        return SampledForecast(snapshot.at, until, rows, self.samples, drawing.samples, assumptions)


def sort_rows(rows: Iterable[ForecastRow]) -> list[ForecastRow]:
    """Rows by their start."""
    return sorted(rows, key=lambda row: (row.start_p50 or row.run_after, row.dag_id, row.run_after, row.task or ""))


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
        values = drawn[key, task] = _SampleValues(run.run_id, run.queued_at)
    elif run.queued_at < values.queued_at:
        values.queued_at = run.queued_at
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
    sentences = [*_list_missing_pools(snapshot), *list_unplanned(snapshot.state.dags), *snapshot.unprojected]
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
