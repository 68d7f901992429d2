"""Runs that wait for runs of other DAGs: from an upstream's end to the downstream's start, and the slots of a year of minutes."""

from __future__ import annotations

import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.deployment import Deployment, deployment, postgres
from bench.figures import median, quantile, show
from gnomon import After
from gnomon.config import load_config
from gnomon.dependencies import upstream_slots
from gnomon.model.instants import SECOND
from gnomon.model.records import TaskRecord
from gnomon.model.states import DagRunState
from gnomon.store import open_database, runs, tasks
from gnomon.timetables import Minutely

PAIRS, WAKES = 4, 200
PAIRS_FILE = f'''
import datetime as dt
import time

from gnomon import DAG, After, task

for n in range({PAIRS}):
    with DAG(f"up_{{n}}", schedule="* * * * * *", start_date=dt.datetime(2026, 1, 1), catchup=False, is_paused_upon_creation=False):
        @task
        def load():
            time.sleep(0.3)

        load()

    with DAG(f"down_{{n}}", schedule="* * * * * *", start_date=dt.datetime(2026, 1, 1), catchup=False, is_paused_upon_creation=False,
             depends_on=[After(f"up_{{n}}")]):
        @task
        def use():
            pass

        use()
'''


def depending() -> None:
    _wakes("SQLite", {})
    with postgres() as options:
        if options is None:
            show("upstream end to downstream start, PostgreSQL", "left out: GNOMON_BENCH_POSTGRES is not set")
        else:
            _wakes("PostgreSQL", options)
    _year()


def _wakes(database: str, options: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-depend-") as folder:
        file = Path(folder) / "pairs.py"
        file.write_text(PAIRS_FILE)
        with deployment([file], **options) as running:
            running.wait_for_dag("down_0")
            time.sleep(WAKES / PAIRS + 5)
            for n in range(PAIRS):
                running.cli("dags", "pause", f"up_{n}")
            gaps = [gap for n in range(PAIRS) for gap in _gaps(running, n)][-WAKES:]
    p50, p95 = (1000 * figure for figure in (median(gaps), quantile(gaps, 0.95)))
    show(f"upstream end to downstream start, {database}", f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, of {len(gaps)}", "p95 <= 100 ms",
         "Airflow's sensor 29 to 33 s")


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
            ended = [run for run in runs.list_runs(tx, dag_id) if run.state is DagRunState.SUCCESS]
            return {run.run_after: tasks.states(tx, run.run_pk)[0] for run in ended}
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
    show("a year of minutes on minutes, 525,600 slots", f"{spent:.1f} s CPU; last month {months[-1] / months[0]:.2f} of the first",
         "< 20 s, flat")


if __name__ == "__main__":
    depending()
