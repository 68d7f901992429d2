"""What projections cost, in memory and without a store.

`python -m bench.projection [DAGS] [DAYS] [daily|mixed]` simulates that many DAGs of ten tasks from nothing. `daily`: one crontab each, nothing is shared. `mixed`: crontabs in two
zones, business days, waits for other DAGs and their tasks, and a pool that is full at times. 1,000 DAGs for 365 days are a year of 365,000 runs and 3.65 million task instances.

`python -m bench.projection forecast [DAGS] [RUNS] [TASKS] [SAMPLES]` draws futures of the coming day: DAGs with so many runs of a chain of tasks each, and a history of each task.

`python -m bench.projection changed [DAGS] [RUNS] [TASKS] [SAMPLES] [CHANGED]` draws them once, and then again after the durations of so many DAGs have changed.

Processor seconds and the peak of memory are printed, of a forecast for each tenth of the futures.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from bench.many_days import DAY, FIRST, build_spec
from gnomon.calendars import Weekends
from gnomon.changes.scenarios.task_times import TaskTime
from gnomon.entry.projection.assumed_times import NamedTimes
from gnomon.entry.projection.forecast import Drawing, ForecastCollector, draw_futures
from gnomon.entry.projection.kept_forecast import KeptForecast
from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.simulation import Scenario, simulate
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.model.after import After
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.records import GroupState, PoolRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.upstream_edges import to_dependency_spec
from gnomon.rules.durations.day_class import classify
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import BusinessDays, CronDataIntervalTimetable, CronTriggerTimetable

DURATIONS_S = (60.0, 300.0, 600.0)
NARROW = PoolRecord("narrow", 64, 0)
POOLS = [PoolRecord("default_pool", -1, 0), NARROW]
HISTORY = 30
"""Days of history of each task in a forecast."""


def build_daily(dag_count: int) -> list[DagSpec]:
    """One of 288 minutes of the day for each DAG."""
    kinds = [build_spec(f"{minute} {hour} * * *") for hour in range(24) for minute in range(0, 60, 5)]
    return [msgspec.structs.replace(kinds[n % len(kinds)], dag_id=f"dag_{n:05d}") for n in range(dag_count)]


def build_mixed(dag_count: int) -> list[DagSpec]:
    """The same with other timetables, calendars, waits and a pool, by the last digit of the number."""
    return [_mix(spec, number) for number, spec in enumerate(build_daily(dag_count))]


def _mix(spec: DagSpec, number: int) -> DagSpec:
    kind, cron = number % 10, f"{number % 60} {number % 24} * * *"
    if kind in (4, 5):
        return msgspec.structs.replace(
            spec,
            timetable=reference(CronDataIntervalTimetable(cron, timezone="Europe/Berlin")),
            timezone="Europe/Berlin",
        )
    if kind == 6:
        return msgspec.structs.replace(spec, timetable=reference(BusinessDays(Weekends(), timezone="UTC")))
    if kind == 7:
        edge = After(f"dag_{number - 4:05d}")
        return msgspec.structs.replace(spec, depends_on=(to_dependency_spec(edge),))
    if kind == 8:
        edge = After(f"dag_{number - 6:05d}", task_id="first")
        tasks = [msgspec.structs.replace(task, pool=NARROW.name) for task in spec.tasks]
        tasks[-1] = msgspec.structs.replace(tasks[-1], depends_on=(to_dependency_spec(edge),))
        return msgspec.structs.replace(spec, tasks=tuple(tasks))
    return spec


def project(dag_count: int = 1000, days: int = 365, kind: str = "daily") -> None:
    """Simulate the days, as `gnomon simulate` does, and print what they cost."""
    start = to_instant(FIRST)
    specs = build_mixed(dag_count) if kind == "mixed" else build_daily(dag_count)
    durations = {
        f"{spec.dag_id}.{task.task_id}": TaskTime(DURATIONS_S[(number + place) % len(DURATIONS_S)])
        for number, spec in enumerate(specs)
        for place, task in enumerate(spec.tasks)
    }
    scenario = Scenario(
        [(spec, "/dags/many.py") for spec in specs],
        start,
        start + days * DAY,
        SETTINGS,
        1_000_000,
        NamedTimes(durations),
        {pool.name: pool.slots for pool in POOLS},
    )
    began = time.process_time()
    simulated = simulate(scenario)
    cpu_s = time.process_time() - began
    print(
        f"{days} days: {len(simulated.runs):,} runs, {simulated.attempt_count:,} task instances, {cpu_s:.1f} s of processor, "
        f"{1e6 * cpu_s / simulated.attempt_count:.1f} us each, {_peak_mb():.0f} MB",
        flush=True,
    )


def build_snapshot(dag_count: int, run_count: int, task_count: int) -> Snapshot:
    """DAGs with `run_count` runs a day of a chain of tasks, whose history has `HISTORY` durations each. Nothing runs."""
    start = to_instant(FIRST)
    tasks = tuple(TaskSpec(task_id=f"t{n}", upstream=(f"t{n - 1}",) if n else ()) for n in range(task_count))
    step = max(1, 24 // run_count)
    specs = [
        DagSpec(
            dag_id=f"dag_{number:05d}",
            timetable=reference(
                CronTriggerTimetable(f"{number % 60} {number // 60 % step}-23/{step} * * *", timezone="UTC")
            ),
            tasks=tasks,
            start_at=start,
            max_active_runs=16,
            paused_upon_creation=False,
        )
        for number in range(dag_count)
    ]
    dags = build_records([(spec, "/dags/many.py") for spec in specs], start)
    models = {
        (spec.dag_id, task.task_id): _build_model(start, seed) for seed, spec in enumerate(specs) for task in tasks
    }
    return Snapshot(start, GroupState(dags, [], []), POOLS, [], {}, {}, models, {}, {}, [], {}, [])


def _build_model(start: Instant, seed: int) -> DurationModel:
    model = DurationModel(tries=HISTORY)
    for day in range(HISTORY):
        model.add(classify(to_datetime(start - day * DAY).date(), "scheduled"), 60.0 + (seed * 31 + day * 17) % 240)
    return model


def forecast(dag_count: int = 1000, run_count: int = 10, task_count: int = 5, samples: int = 50) -> None:
    """Draw the futures, and print what they cost so far."""
    snapshot = build_snapshot(dag_count, run_count, task_count)
    until, drawing = snapshot.at + DAY, Drawing(samples, max_s=1e9)
    collector = ForecastCollector(with_tasks=False)
    began, runs = time.process_time(), 0
    for number, future in enumerate(draw_futures(snapshot, SETTINGS, until, drawing), 1):
        collector.add(future)
        runs += len(future.runs)
        if number % max(1, samples // 10) == 0:
            cpu_s = time.process_time() - began
            each_us = 1e6 * cpu_s / (runs * task_count)
            print(
                f"future {number}: {runs:,} runs, {runs * task_count:,} task instances, {cpu_s:.1f} s of processor, "
                f"{each_us:.1f} us each, {_peak_mb():.0f} MB",
                flush=True,
            )
    print(f"{len(collector.build(snapshot, until, drawing).rows):,} rows")


def change(
    dag_count: int = 1000, run_count: int = 10, task_count: int = 5, samples: int = 50, changed: int = 10
) -> None:
    """Draw the futures, change the durations of some DAGs, and print what the next forecast costs, three times."""
    snapshot = build_snapshot(dag_count, run_count, task_count)
    snapshot = replace(snapshot, at=snapshot.at + SECOND)
    until, drawing, kept = snapshot.at + DAY, Drawing(samples, max_s=1e9), KeptForecast()
    for number in range(4):
        models = snapshot.models.copy()
        for dag in snapshot.state.dags[: changed if number else 0]:
            for task in dag.spec.tasks:
                models[dag.dag_id, task.task_id] = _build_model(snapshot.at, number)
        snapshot = replace(snapshot, models=models)
        began = time.process_time()
        answer = kept.draw(snapshot, SETTINGS, until, drawing, None, lambda _drawn: lambda _future: None)
        drawn = "all" if kept.drawn is None else f"{len(kept.drawn):,}"
        cpu_s = time.process_time() - began
        print(
            f"{drawn} DAGs drawn, {len(answer.rows):,} rows, {cpu_s:.2f} s of processor, {_peak_mb():.0f} MB",
            flush=True,
        )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main(arguments: Sequence[str]) -> None:
    """As the docstring of the module says."""
    if arguments[:1] == ["forecast"]:
        forecast(*map(int, arguments[1:]))
    elif arguments[:1] == ["changed"]:
        change(*map(int, arguments[1:]))
    else:
        project(*map(int, arguments[:2]), *arguments[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
