"""How often the forecast is right: `python -m bench.calibration [DAGS] [DAYS] [SEED]`, about three minutes for 200 DAGs and 60 days.

A synthetic deployment whose distributions are known: heavy and light tails, Mondays, month ends, growing jobs, files that arrive, tries that fail,
waits between DAGs, a pool. The projector plays the world; from the twentieth day on, each midnight, the coming day is drawn from what was recorded
before, and each end is compared with what comes. Beside it the way of other products: the mean of each task's last ten durations, summed along the
longest path.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from statistics import mean, median

from gnomon.entry.projection.drawn_times import DrawnTimes
from gnomon.entry.projection.projected_dags import RunningDag, build_running_dags
from gnomon.entry.projection.projector import Projector
from gnomon.entry.projection.recorded_models import build_model
from gnomon.entry.projection.run_outcomes import OutcomeCollector, RunOutcome
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.entry.testing.scripted import Play
from gnomon.model.after import After
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.records import PoolRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.model.upstream_edges import to_dependency_spec
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store.dag_records.task_durations import RUNS_READ, RecordedTask
from gnomon.timetables import CronTriggerTimetable

DAY = 86_400 * SECOND
FIRST = to_instant(datetime(2026, 1, 1, tzinfo=UTC))
KNOWN_DAYS = 20
SAMPLES = 50
BINS = 10
DEFAULTS = (200, 60, 1)
TaskPath = tuple[str, str]


@dataclass
class Truth:
    """How long a task really takes."""

    base_s: float
    sigma: float
    growth: float
    monday: float
    month_end: float
    is_heavy: bool
    arrival_s: float | None
    """Of a sensor: when the file comes, after the slot."""
    failure: float

    def draw(self, day: datetime, rng: random.Random) -> float:
        """Seconds of a try on that day."""
        span_s = self.base_s * math.exp(self.growth * (day - datetime(2026, 1, 1, tzinfo=UTC)).days)
        span_s *= self.monday if day.weekday() == 0 else 1.0
        span_s *= self.month_end if (day.day >= 28 and to_datetime(to_instant(day) + DAY).day == 1) else 1.0
        return span_s * (rng.paretovariate(3.0) if self.is_heavy else math.exp(rng.gauss(0.0, self.sigma)))


def list_dags(world: World, start: Instant) -> list[RunningDag]:
    """The deployment as if all slots before were over."""
    return build_running_dags([(spec, f"{spec.dag_id}.py") for spec in world.specs], start)


class World:
    """The deployment, and the script of what happens."""

    def __init__(self, dag_count: int, seed: int) -> None:
        self._seed = seed
        rng = random.Random(seed)
        self.truths: dict[TaskPath, Truth] = {}
        self.specs = [self._build(f"dag_{number:03}", number, rng) for number in range(dag_count)]
        self.clock: Callable[[], Instant] = lambda: FIRST

    def _build(self, dag_id: str, number: int, rng: random.Random) -> DagSpec:
        tasks: list[TaskSpec] = []
        for place in range(rng.randint(2, 6)):
            task_id = f"t{place}"
            is_sensor = place == 0 and rng.random() < 0.2
            self.truths[dag_id, task_id] = Truth(
                math.exp(rng.uniform(math.log(20), math.log(1500))),
                rng.choice([0.05, 0.15, 0.3]),
                rng.choice([0.0, 0.0, 0.0, 0.005]),
                rng.choice([1.0, 1.0, 1.5]),
                rng.choice([1.0, 1.0, 1.0, 2.0]),
                rng.random() < 0.2,
                rng.uniform(600, 7200) if is_sensor else None,
                rng.choice([0.0, 0.0, 0.05]),
            )
            upstream = tuple({f"t{rng.randrange(place)}" for _ in range(rng.randint(1, 2))}) if place else ()
            pool = "etl" if rng.random() < 0.3 else "default_pool"
            tasks.append(
                TaskSpec(
                    task_id=task_id, upstream=upstream, is_sensor=is_sensor, pool=pool, retries=1, retry_delay_s=60.0
                )
            )
        after = rng.randrange(number) if number and rng.random() < 0.3 else None
        cron = f"{rng.randrange(60)} {rng.randrange(20)} * * *"
        return DagSpec(
            dag_id=dag_id,
            timetable=reference(CronTriggerTimetable(cron, timezone="UTC")),
            tasks=tuple(tasks),
            start_at=FIRST,
            catchup=True,
            paused_upon_creation=False,
            depends_on=() if after is None else (to_dependency_spec(After(f"dag_{after:03}")),),
        )

    def play(self, attempt: Attempt) -> Play:
        """What really happens: a function of seed and try."""
        run = attempt.run
        rng = random.Random(f"{self._seed} {run.dag_id} {run.run_after} {attempt.task_id} {attempt.try_number}")
        truth = self.truths[run.dag_id, attempt.task_id]
        if truth.arrival_s is not None:
            arrives_s = truth.arrival_s + rng.gauss(0.0, 300.0)
            return Play(max(5.0, arrives_s - (self.clock() - run.run_after) / SECOND))
        span_s = truth.draw(to_datetime(run.run_after), rng)
        return Play(span_s, outcome="failed" if rng.random() < truth.failure else "success")


def project(
    world: World, dags: Sequence[RunningDag], start: Instant, end: Instant, script: Callable[[Attempt], Play], rest: int
) -> list[RunOutcome]:
    """The runs that are due from `start` on and before `end`, each to its end within `rest`."""
    projector = Projector(
        settings=SETTINGS,
        start=start,
        script=script,
        pools=[PoolRecord("default_pool", -1, 0), PoolRecord("etl", max(4, len(world.specs) // 12), 0)],
        worker_slots=1_000_000,
    )
    world.clock = lambda: projector.now
    collector = OutcomeCollector(projector.engine_state, with_tasks=True)
    projector.observe = collector.observe
    if isinstance(owner := getattr(script, "__self__", None), DrawnTimes):
        owner.now = lambda: projector.now
    projector.add_dags([replace(dag.record) for dag in dags], {dag.record.dag_pk: dag.past_slots for dag in dags})
    projector.run_until(end + rest)
    return [run for run in collector.runs if start <= run.run_after < end]


@dataclass
class Score:
    """What came, beside what was said."""

    below_p50: int = 0
    below_p90: int = 0
    count: int = 0
    error_s: list[float] = field(default_factory=list)
    mean_error_s: list[float] = field(default_factory=list)
    alarms: list[tuple[float, bool, bool]] = field(default_factory=list)
    """Of a promised end: the probability of a breach, whether it broke, and whether the sum of means is late."""


def add_means(
    slots: dict[str, Instant], specs: dict[str, DagSpec], known: dict[TaskPath, list[RecordedTask]]
) -> dict[str, Instant]:
    """By DAG the end of the run of this day: it begins at its slot, or at the end of the DAG that it waits for, and takes the sum of its means."""
    ends: dict[str, Instant] = {}
    for dag_id in sorted(slots):  # a DAG waits for one with a smaller number
        others = [ends.get(dependency.dag_id, 0) for dependency in specs[dag_id].depends_on]
        ends[dag_id] = max([slots[dag_id], *others]) + int(sum_means(specs[dag_id], known) * SECOND)
    return ends


def sum_means(spec: DagSpec, known: dict[TaskPath, list[RecordedTask]]) -> float:
    """The mean of each task's last ten durations, summed along the longest path."""
    ends: dict[str, float] = {}
    for task in spec.tasks:
        rows = [row for row in known[spec.dag_id, task.task_id] if row.state is TaskInstanceState.SUCCESS][:10]
        span_s = mean((row.ended_at - row.started_at) / SECOND for row in rows) if rows else 60.0
        ends[task.task_id] = span_s + max((ends[upstream] for upstream in task.upstream), default=0.0)
    return max(ends.values())


def record(known: dict[TaskPath, list[RecordedTask]], runs: Sequence[RunOutcome]) -> None:
    """Add what is over to the history, newest first."""
    for run in sorted(runs, key=lambda run: run.run_after):
        for number, task in enumerate(run.tasks):
            if task.started_at is None or task.ended_at is None or task.state is None:
                continue
            row = RecordedTask(
                number,
                run.run_type,
                run.run_after,
                task.state,
                task.try_number,
                task.started_at,
                task.ended_at,
                None,
                0,
                1,
            )
            rows = known[run.dag_id, task.task_id]
            rows.insert(0, row)
            del rows[RUNS_READ:]


def compare(world: World, days: int) -> Score:
    """Play all days, predict each from the twentieth on."""
    actual = project(world, list_dags(world, FIRST), FIRST, FIRST + days * DAY, world.play, 2 * DAY)
    score, promises = Score(), random.Random(5)
    known: dict[TaskPath, list[RecordedTask]] = defaultdict(list)
    by_day: dict[int, list[RunOutcome]] = defaultdict(list)
    for run in actual:
        by_day[(run.run_after - FIRST) // DAY].append(run)
    specs = {spec.dag_id: spec for spec in world.specs}
    sensors = {(spec.dag_id, task.task_id) for spec in world.specs for task in spec.tasks if task.is_sensor}
    for day in range(days):
        start = FIRST + day * DAY
        if day >= KNOWN_DAYS:
            models: dict[TaskPath, DurationModel] = {
                key: build_model(rows, UTC, is_sensor=key in sensors) for key, rows in known.items()
            }
            ends: dict[str, list[Instant]] = defaultdict(list)
            dags = list_dags(world, start)
            for sample in range(SAMPLES):
                script = DrawnTimes(models, {}, dict.fromkeys(specs, "UTC"), 60.0, day, sample)
                for run in project(world, dags, start, start + DAY, script.play, DAY):
                    if run.state is DagRunState.SUCCESS and run.ended_at is not None:
                        ends[run.dag_id].append(run.ended_at)
            by_means = add_means({run.dag_id: run.run_after for run in by_day[day]}, specs, known)
            for run in by_day[day]:
                if run.state is DagRunState.SUCCESS and run.ended_at is not None and ends[run.dag_id]:
                    _judge(score, run.ended_at, sorted(ends[run.dag_id]), by_means[run.dag_id], promises)
        record(known, by_day[day])
    return score


def _judge(
    score: Score, ended_at: Instant, ends: Sequence[Instant], by_means: Instant, promises: random.Random
) -> None:
    p50, p90 = ends[len(ends) // 2], ends[min(len(ends) * 9 // 10, len(ends) - 1)]
    score.count += 1
    score.below_p50 += ended_at <= p50
    score.below_p90 += ended_at <= p90
    score.error_s.append(abs(ended_at - p50) / SECOND)
    score.mean_error_s.append(abs(ended_at - by_means) / SECOND)
    due_at = ends[promises.randrange(len(ends))] + int(promises.gauss(0.0, 60.0) * SECOND)
    breach = sum(end > due_at for end in ends) / len(ends)
    score.alarms.append((breach, ended_at > due_at, by_means > due_at))


def show(score: Score) -> None:
    """Print the tables."""
    print(f"runs compared: {score.count}")
    print(f"ended below P50: {score.below_p50 / score.count:.1%}   below P90: {score.below_p90 / score.count:.1%}")
    print(f"median error: forecast {median(score.error_s):.0f} s, sum of means {median(score.mean_error_s):.0f} s")
    print(f"mean error:   forecast {mean(score.error_s):.0f} s, sum of means {mean(score.mean_error_s):.0f} s")
    print("predicted breach   promises   broken")
    for number in range(BINS):
        inside = [broke for breach, broke, _ in score.alarms if min(int(breach * BINS), BINS - 1) == number]
        if inside:
            print(f"{number / BINS:5.0%} to {(number + 1) / BINS:4.0%}   {len(inside):10}   {mean(inside):6.0%}")
    for name, is_alarm in (
        ("forecast, above 50 %", lambda each: each[0] > 0.5),
        ("sum of means", lambda each: each[2]),
    ):
        told = [each for each in score.alarms if is_alarm(each)]
        broken = [each for each in score.alarms if each[1]]
        right = sum(each[1] for each in told)
        print(
            f"{name}: {len(told)} alarms, {len(told) - right} false, {len(broken) - right} of {len(broken)} breaches missed"
        )


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    dags, days, seed = [*numbers, *DEFAULTS[len(numbers) :]]
    began = time.perf_counter()
    show(compare(World(dags, seed), days))
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
