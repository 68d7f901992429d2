"""Does finished history slow anything down? Two deployments a database, one of them with 1,000,000 finished task instances.

Chain gap and runs a second are measured in nine interleaved pairs; the medians and their ratio are printed. The history
belongs to the very DAGs that are measured. `python -m bench.run flat`; `python -m bench.flat 100000` for fewer rows.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg

from bench.deployment import Deployment, deployment
from bench.figures import median, show
from bench.store_rate import schemas
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config, run_folder
from gnomon.ground.wakeups import Notifier
from gnomon.model.instants import SECOND
from gnomon.model.records import RunRecord
from gnomon.storage.store import Database, notify_on_commit, open_database
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.dag_records import dag_runs

HISTORY = 1_000_000
PAIRS = 9
CHAINS = 10
SHORT_DAGS = 10
RUNS_EACH = 30
LIMIT_S = 120.0
CHAIN_FILE = Path(__file__).parent / "dags" / "chain" / "chain_30.py"
SHORT_FILE = f"""
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG


def noop():
    return None


for d in range({SHORT_DAGS}):
    with DAG(f"short_{{d:02d}}", schedule=None, max_active_runs={RUNS_EACH}):
        a, b, c, e, f = (PythonOperator(task_id=x, python_callable=noop) for x in "abcef")
        a >> [b, c, e] >> f
"""
OPTIONS = {
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "GNOMON__WORKERS__ATTEMPTS_PER_CHILD": "100",
    "GNOMON__CORE__PARALLELISM": "8",
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "64",
}
_SERIES = "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < {runs})"
_FILL = (
    """INSERT INTO dag_run (dag_pk, group_no, run_id, run_type, run_after, version_pk, state, queued_at, started_at, ended_at)
    {series} SELECT dag_pk, group_no, 'old__' || n, 'manual', n, version_pk, 100, n, n, n + 1
    FROM series CROSS JOIN dag WHERE dag_id LIKE '{dags}'""",
    """INSERT INTO run_tally (dag_pk, state, n) SELECT dag_pk, 100, {runs} FROM dag WHERE dag_id LIKE '{dags}'""",
    """INSERT INTO newest_run (dag_pk, run_pk, run_after, state, started_at, ended_at) SELECT dag_pk, run_pk, run_after, state, started_at, ended_at FROM dag_run JOIN dag USING (dag_pk) WHERE dag_id LIKE '{dags}' AND run_after = {runs}""",
)
_FILL_TASKS = (
    """INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, defer_seq, pool, pool_slots,
           priority, started_at, ended_at, version_pk)
    SELECT run_pk, task_no, -1, 100, 1, 1, 1, 0, 'default_pool', 1, 1, started_at, ended_at, version_pk
    FROM dag_run CROSS JOIN task_name WHERE task_name.dag_pk = dag_run.dag_pk""",
    """INSERT INTO attempt (run_pk, task_no, map_index, seq, attempt, try_number, kind, state, worker, started_at, ended_at,
           exit_code, log)
    SELECT run_pk, task_no, -1, 1, '0197c2a4-6d5e-7000-8000-000000000000', 1, 'task', 'success', 'gone', started_at, ended_at,
           0, 'dag_id=chain_30/run_id=old__/task_id=c0_00/attempt=1.log'
    FROM task_instance""",
)


def flat(history: int = HISTORY) -> None:
    """One line a database and figure: empty, full, and full / empty."""
    with tempfile.TemporaryDirectory() as folder:
        compare("SQLite", [f"sqlite:///{Path(folder) / name}.db" for name in ("empty", "full")], history)
    url = os.environ.get("GNOMON_BENCH_POSTGRES")
    if not url:
        show("flatness, PostgreSQL", "left out: GNOMON_BENCH_POSTGRES is not set")
        return
    with schemas(url) as urls:
        compare("PostgreSQL", urls, history)


def compare(database: str, urls: list[str], history: int) -> None:
    with ExitStack() as stack:
        places = [stack.enter_context(place(url)) for url in urls]
        for found in places:
            found.running.stop()
        fill(urls[1], history)
        for found in places:
            found.running.start()
        gaps: list[list[float]] = [[], []]
        rates: list[list[float]] = [[], []]
        for found in places:
            found.settle()
        for pair in range(PAIRS):
            for which in (0, 1) if pair % 2 == 0 else (1, 0):
                gaps[which].append(places[which].chain_gap_ms())
                rates[which].append(places[which].runs_a_second())
    for name, unit, figures in (("chain gap p50", "ms", gaps), ("short runs", "runs/s", rates)):
        empty, full = median(figures[0]), median(figures[1])
        show(
            f"{name}, {database}, empty | {history:,} finished",
            f"{empty:.1f} | {full:.1f} {unit}, ratio {full / empty:.3f}",
            "0.9 to 1.1",
        )


@contextmanager
def place(url: str) -> Iterator[Place]:
    """A deployment on this database whose DAGs are known."""
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder) / "short_dags.py"
        short.write_text(SHORT_FILE)
        with deployment([CHAIN_FILE, short], **OPTIONS, GNOMON__DATABASE__SQL_ALCHEMY_CONN=url) as running:
            for dag_id in ("chain_30", short_dags()[-1]):
                running.wait_for_dag(dag_id)
            with closing(open_database(url, role="bench")) as db:
                yield Place(running, db)


class Place:
    """A deployment, and its database opened for triggers and looks."""

    def __init__(self, running: Deployment, db: Database) -> None:
        self.running = running
        self._db = db
        self._clock = SystemClock()
        self._bell = Notifier(run_folder(load_config(running.environ).home))
        self._serial = 0

    def settle(self) -> None:
        """Everything is loaded, every zygote warm."""
        self.chain_gap_ms()
        self.runs_a_second()

    def chain_gap_ms(self) -> float:
        """The median of the gaps in some chains, one after the other."""
        gaps: list[float] = []
        for _ in range(CHAINS):
            (run,) = self._run({"chain_30": 1})
            with self._db.read() as tx:
                links = sorted(dag_runs.list_task_states(tx, run.run_pk), key=lambda task: task.task_no)
            gaps += [(b.started_at - a.ended_at) / 1000 for a, b in zip(links, links[1:], strict=False)]  # type: ignore[operator]
        return median(gaps)

    def runs_a_second(self) -> float:
        """From the start of the first of 300 runs to the end of the last."""
        ended = self._run(dict.fromkeys(short_dags(), RUNS_EACH))
        span = max(run.ended_at or 0 for run in ended) - min(run.started_at or 0 for run in ended)
        return len(ended) * SECOND / span

    def _run(self, wanted: dict[str, int]) -> list[RunRecord]:
        made: list[RunRecord] = []
        with self._db.write() as tx:
            for dag_id, count in wanted.items():
                for _ in range(count):
                    self._serial += 1
                    made.append(
                        dag_runs.create_manual_run(
                            tx,
                            dag_id=dag_id,
                            run_id=f"r{self._serial}",
                            logical_at=None,
                            run_after=self._clock.now(),
                            interval=None,
                            conf={},
                            by="bench",
                            at=self._clock.now(),
                        )
                    )
            notify_on_commit(tx)
        self._bell.notify()
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            time.sleep(0.1)
            with self._db.read() as tx:
                found = [run for dag_id, count in wanted.items() for run in dag_runs.list_runs(tx, dag_id, limit=count)]
            if all(run.ended_at is not None for run in found):
                return found
        raise TimeoutError(f"{len(made)} runs did not end; see {self.running.home}/standalone.log")


def short_dags() -> list[str]:
    return [f"short_{d:02d}" for d in range(SHORT_DAGS)]


def fill(url: str, history: int) -> None:
    """So many finished task instances with their runs and attempts: 6 of 10 in the chain, the rest in the short DAGs."""
    with connection(url) as execute:
        for pattern, count in (("chain%", history * 6 // 10 // 30), ("short%", history * 4 // 10 // 5 // SHORT_DAGS)):
            for text in _FILL:
                execute(text.format(series=_SERIES.format(runs=count), runs=count, dags=pattern))
        for text in _FILL_TASKS:
            execute(text)
    settled(url)


@contextmanager
def connection(url: str) -> Iterator[Callable[[str], object]]:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
            yield file.execute
    else:
        with psycopg.connect(target(url)) as server:
            yield lambda text: server.execute(text.encode())


def settled(url: str) -> None:
    """What a bulk of rows leaves to be done is done, so that it is not done while we measure."""
    if not url.startswith("sqlite"):
        with psycopg.connect(target(url), autocommit=True) as server:
            server.execute("VACUUM ANALYZE")
            server.execute("CHECKPOINT")


def target(url: str) -> str:
    return parse_address(url).target


if __name__ == "__main__":
    flat(int(sys.argv[1]) if len(sys.argv) > 1 else HISTORY)
