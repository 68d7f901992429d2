"""Runs that wait for runs of other DAGs: from an upstream's end to the downstream's start, and what finding slots costs."""

from __future__ import annotations

import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.deployment import Deployment, deployment, postgres
from bench.figures import median, quantile, show
from gnomon import After
from gnomon.dependencies import upstream_slots
from gnomon.entry.simulate.year_simulation import YearSimulation
from gnomon.ground.config import load_config
from gnomon.model.instants import SECOND
from gnomon.model.records import TaskRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import to_dependency_spec
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store import migrations, open_database
from gnomon.storage.store.dag_records import dag_runs
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable, Daily, Hourly, Minutely, Timetable

PAIRS, WAKES = 4, 200
FEW, MANY, HOURS, REPEATS = 100, 1000, 6, 5
FINE: tuple[tuple[str, Timetable, int], ...] = (
    ("second", CronTriggerTimetable("* * * * * *", timezone="UTC"), 1),
    ("minute", CronTriggerTimetable("* * * * *", timezone="UTC"), 60),
    ("hour", Hourly(), 3600),
    ("day", Daily("12:00"), 86_400),
)
"""Name, timetable, and seconds between its slots."""
START = 1_772_409_600 * SECOND
"""2026-03-02 00:00 UTC."""
NOON, SLOTS = START + 12 * 3600 * SECOND, 30
PAIRS_FILE = f"""
import datetime as dt
import time

from gnomon import DAG, After, task

HOURS = dt.timedelta(hours={WAKES // PAIRS})
START = dt.datetime.now(dt.UTC).replace(minute=0, second=0, microsecond=0) - HOURS
ALWAYS = {{"schedule": "0 * * * *", "start_date": START, "catchup": True, "is_paused_upon_creation": False}}

for n in range({PAIRS}):
    with DAG(f"up_{{n}}", max_active_runs=1, **ALWAYS):
        @task
        def load():
            time.sleep(0.3)

        load()

    with DAG(f"down_{{n}}", depends_on=[After(f"up_{{n}}")], **ALWAYS):
        @task
        def use():
            pass

        use()
"""


def depending() -> None:
    _wakes("SQLite", {})
    with postgres() as options:
        if options is None:
            show("upstream end to downstream start, PostgreSQL", "left out: GNOMON_BENCH_POSTGRES is not set")
        else:
            _wakes("PostgreSQL", options)
    _year()
    _fine()
    _flat()


def _wakes(database: str, options: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-depend-") as folder:
        file = Path(folder) / "pairs.py"
        file.write_text(PAIRS_FILE)
        with deployment([file], **options) as running:
            running.wait_for_dag("down_0")
            time.sleep(WAKES / PAIRS * 0.4 + 10)
            gaps = [gap for n in range(PAIRS) for gap in _gaps(running, n)][-WAKES:]
    p50, p95 = (1000 * figure for figure in (median(gaps), quantile(gaps, 0.95)))
    show(
        f"upstream end to downstream start, {database}",
        f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, of {len(gaps)}",
        "p95 <= 100 ms",
        "Airflow's sensor 29 to 33 s",
    )


def _gaps(running: Deployment, n: int) -> list[float]:
    """Seconds from the end of each upstream run's task to the start of the downstream one's that waited for it."""
    ups, downs = _tasks(running, f"up_{n}"), _tasks(running, f"down_{n}")
    return [
        (downs[slot].started_at - ups[slot].ended_at) / SECOND
        for slot in sorted(downs.keys() & ups.keys())
        if downs[slot].started_at is not None and ups[slot].ended_at is not None
    ]


def _tasks(running: Deployment, dag_id: str) -> dict[int, TaskRecord]:
    """The one task of each run that succeeded, by the run's planned time."""
    db = open_database(load_config(running.environ).database_url, role="bench")
    try:
        with db.read() as tx:
            ended = [run for run in dag_runs.list_runs(tx, dag_id) if run.state is DagRunState.SUCCESS]
            return {run.run_after: dag_runs.list_task_states(tx, run.run_pk)[0] for run in ended}
    finally:
        db.close()


def _year() -> None:
    """A minute DAG on a minute DAG, each slot of a year in turn."""
    after, every_minute = After("up"), Minutely()
    start, minute = datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=1)
    months = []
    began = time.process_time()
    for month in range(12):
        at = time.process_time()
        for n in range(month * 43_800, (month + 1) * 43_800):
            upstream_slots(after, downstream=every_minute, upstream=every_minute, at=start + n * minute)
        months.append(time.process_time() - at)
    spent = time.process_time() - began
    show(
        "a year of minutes on minutes, 525,600 slots",
        f"{spent:.1f} s CPU; last month {months[-1] / months[0]:.2f} of the first",
        "< 20 s, flat",
    )


def _flat() -> None:
    """What an upstream's end costs where few DAGs wait and where many do: chains and fans, hours of virtual time."""
    ratios, costs = [], []
    for _ in range(REPEATS):
        few, many = _cost_of_an_end(FEW, MANY // FEW), _cost_of_an_end(MANY, 1)
        costs.append((few, many))
        ratios.append(many / few)
    few, many = (1e6 * median([pair[i] for pair in costs]) for i in (0, 1))
    show(
        f"one upstream end, {FEW} and {MANY} DAGs",
        f"{few:.0f} us, {many:.0f} us CPU; {median(ratios):.2f} (median of {REPEATS} pairs)",
        "within 20 %",
    )


def _cost_of_an_end(dag_count: int, repeats: int) -> float:
    """Seconds of CPU for each run that ends and is waited for, with everything that a run costs besides."""
    costs = [_cost_of_runs([_fan(number) for number in range(dag_count)], HOURS * 3600) for _ in range(repeats)]
    return sum(spent for spent, _ in costs) / sum(ends for _, ends in costs)


def _cost_of_runs(specs: list[DagSpec], seconds: int, start: int = START) -> tuple[float, int]:
    """Seconds of CPU of a scheduler over so much virtual time, and the runs that were made."""
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-flat-") as folder:
        url = f"sqlite:///{folder}/flat.db"
        migrations.upgrade_schema(url)
        db = open_database(url, role="bench", synchronous="OFF", lease_clock=lambda: start)
        it = YearSimulation(db, seed=1, start=start, script=lambda _, rng: Play(run_s=rng.choice((0.0, 1.0, 60.0))))
        for spec in specs:
            it.parse(spec, "1")
        it.run_until(start + 1)
        began = time.process_time()
        it.run_until(start + seconds * SECOND)
        spent = time.process_time() - began
        with db.read() as tx:
            made = sum(dag_runs.read_total_run_counts(tx).values())
        db.close()
    return spent, made


def _fine() -> None:
    """What a run costs where pairs of DAGs are due every second, minute, hour, day: four pairs in turn, from noon on."""
    told = []
    for name, timetable, seconds in FINE:
        spent, made = _cost_of_runs(
            [spec for number in range(PAIRS) for spec in _pair(number, timetable)], seconds * SLOTS, NOON
        )
        told.append(f"{name} {1000 * spent / made:.2f}")
    show(f"a run of {PAIRS} pairs in turn, {SLOTS} slots each", f"{', '.join(told)} ms CPU", "alike")


def _pair(number: int, timetable: Timetable) -> list[DagSpec]:
    common = {"timetable": reference(timetable), "tasks": (TaskSpec(task_id="t"),), "start_at": NOON, "catchup": True}
    up, down = f"u{number}", f"d{number}"
    return [DagSpec(dag_id=up, **common), DagSpec(dag_id=down, depends_on=(to_dependency_spec(After(up)),), **common)]


def _fan(number: int) -> DagSpec:
    """Of ten DAGs the first waits for none, the second for the first, and so on to the fifth; five wait for the first."""
    first, place = number - number % 10, number % 10
    up = [] if place == 0 else [first + place - 1 if place < 5 else first]
    return DagSpec(
        dag_id=f"d{number:04d}",
        timetable=reference(Hourly()),
        tasks=(TaskSpec(task_id="t"),),
        start_at=START,
        catchup=True,
        overlap="allow",
        depends_on=tuple(to_dependency_spec(After(f"d{n:04d}")) for n in up),
    )


if __name__ == "__main__":
    depending()
