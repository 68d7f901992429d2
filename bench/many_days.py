"""Many DAGs for days on a virtual clock: whether the scheduler's memory stays flat, what a day costs, and how the database grows.

`python -m bench.many_days [DAGS] [DAYS]`: each DAG has twelve runs a day of ten tasks, so 10,000 DAGs for 7 days are 8.4 million task instances. The scheduler and
the store are the real ones; workers follow a script. Each night the database is cleaned of what is older than two days, as `gnomon db clean` does.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from gnomon.authoring.sdk import DAG, task
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.entry.app.housekeeping import DEFAULT_TABLES, Housekeeping
from gnomon.entry.simulate.year_simulation import YearSimulation
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, to_instant
from gnomon.model.spec import DagSpec
from gnomon.storage.store import Database, migrations, open_database
from gnomon.storage.store.dag_records import dag_runs
from gnomon.timetables import CronTriggerTimetable

DAY = 86_400 * SECOND
RUNS_A_DAY, TASKS = 12, 10
KEPT_S, KEPT_RUNS = 2 * 86_400.0, 5
FIRST = datetime.fromisoformat("2026-03-02T00:00:00+00:00")


@dataclass
class Day:
    """What one simulated day took."""

    runs: int
    real_s: float
    cpu_s: float
    resident_mb: float
    database_mb: float
    rounds: int
    clean_s: float
    deleted: int


def simulate(folder: Path, dag_count: int, days: int) -> Iterator[Day]:
    """Run the days one after the other."""
    url = f"sqlite:///{folder / 'many.db'}"
    migrations.upgrade_schema(url)
    start = to_instant(FIRST)
    db = open_database(url, role="simulation", synchronous="FULL", lease_clock=lambda: start)
    it = YearSimulation(db, seed=1, start=start, script=_play)
    for number, spec in enumerate(build_specs(dag_count)):
        it.parse(spec, f"version {number}")
    for day in range(1, days + 1):
        began, cpu, rounds = time.perf_counter(), time.process_time(), it.rounds
        it.run_until(start + day * DAY)
        it.forget_started()
        real_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
        began = time.perf_counter()
        cleaned = Housekeeping(db, folder / "logs", it.clock, lambda _: None).run(KEPT_S, KEPT_RUNS, DEFAULT_TABLES)
        yield Day(
            dag_count * RUNS_A_DAY,
            real_s,
            cpu_s,
            _resident_mb(),
            _size_mb(folder),
            it.rounds - rounds,
            time.perf_counter() - began,
            sum(row.deleted for row in cleaned),
        )
    _check(db, dag_count)
    db.close()


def build_specs(count: int) -> Iterator[DagSpec]:
    """DAGs of ten tasks: one, then eight beside one another, then one. Each runs every two hours, at one of 120 minutes."""
    kinds = [build_spec(f"{minute} {hour}-23/2 * * *") for hour in range(2) for minute in range(60)]
    for number in range(count):
        yield msgspec.structs.replace(kinds[number % len(kinds)], dag_id=f"many_{number:05d}")


def build_spec(cron: str) -> DagSpec:
    """A DAG of ten tasks: one, then eight beside one another, then one."""
    with DAG("many", schedule=CronTriggerTimetable(cron, timezone="UTC"), start_date=FIRST, catchup=True) as dag:
        first, last = task(_nothing, task_id="first")(), task(_nothing, task_id="last")()
        first >> [task(_nothing, task_id=f"t{number}")() for number in range(TASKS - 2)] >> last
    return build_dag_spec(dag, "/dags/many.py").spec


def _nothing() -> None: ...


def _play(_: Attempt, rng: random.Random) -> Play:
    return Play(rng.choice((1.0, 5.0, 30.0)))


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def _size_mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.glob("many.db*")) / 1e6


def _check(db: Database, dag_count: int) -> None:
    """Raise AssertionError unless each slot has had its run: the last day is in the database."""
    with db.read() as tx:
        kept = sum(dag_runs.read_total_run_counts(tx).values())
    assert kept >= dag_count * RUNS_A_DAY, f"{kept} runs are kept"


def many_days(dag_count: int = 1_000, days: int = 3) -> None:
    """Print a line for each day."""
    print(f"{dag_count:,} DAGs, {dag_count * RUNS_A_DAY * TASKS:,} task instances a day")
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-") as folder:
        for number, day in enumerate(simulate(Path(folder), dag_count, days), 1):
            tasks = day.runs * TASKS
            print(
                f"day {number}: {day.real_s:.0f} s, {1e6 * day.cpu_s / tasks:.0f} us of processor a task instance, {day.rounds:,} rounds; "
                f"resident {day.resident_mb:.0f} MB; database {day.database_mb:.0f} MB; clean {day.clean_s:.0f} s, {day.deleted:,} rows",
                flush=True,
            )


if __name__ == "__main__":
    many_days(*map(int, sys.argv[1:]))
