"""How fast the store takes what a scheduler writes: `python -m bench.store_rate [postgresql:///test] [--history 1000000]`.

A task costs three statements: the row when it is queued, the row when it has ended, its attempt. They are written in
transactions of 500 tasks, as wide work does, and of one, as a chain does; then both again behind finished history.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg

from gnomon.model.ids import group_of
from gnomon.model.records import AttemptRecord, Changes, RunRecord, TaskRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.storage.store import Database, migrations, open_database
from gnomon.storage.store.coordination import leases, mailbox
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.parsed_files import dag_files

WIDTH = 500
CHAIN = 100
ROUNDS = 5
ME = "bench"
AT = 1_700_000_000_000_000


def main() -> None:
    """Print the store's share of a task for each database; with --history beside that behind finished rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("postgresql", nargs="?", help="a database to make two schemas in, e.g. postgresql:///test")
    parser.add_argument("--synchronous", default="FULL", help="of SQLite")
    parser.add_argument("--history", type=int, default=0, help="compare with this many finished task instances")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare([f"sqlite:///{Path(folder) / name}.db" for name in ("empty", "full")], options)
    if options.postgresql:
        with schemas(options.postgresql) as urls:
            compare(urls, options)


def compare(urls: list[str], options: argparse.Namespace) -> None:
    """Interleaved rounds on an empty store and, when asked for, on one with history; the medians."""
    works = []
    for url in urls if options.history else urls[:1]:
        migrations.upgrade_schema(url)
        works.append(Work(open_database(url, synchronous=options.synchronous)))
    for _ in range(options.history // WIDTH):
        works[1].wide(works[1].new_run())
    if options.history:
        settle(works[1].db)
    figures: dict[str, list[list[float]]] = {}
    for _ in range(ROUNDS):
        for place, work in enumerate(works):
            for label, seconds in work.measure().items():
                figures.setdefault(label, [[] for _ in works])[place].append(seconds)
    print(
        f"{works[0].db.dialect}: milliseconds, empty" + (f" and behind {options.history:,}" if options.history else "")
    )
    for label, places in figures.items():
        print(f"  {label:28}" + "".join(f"{statistics.median(values) * 1000:10.4f}" for values in places))
    for work in works:
        work.db.close()


def settle(db: Database) -> None:
    """What a bulk of rows leaves to be done is done, so that it is not done while we measure."""
    if db.dialect == "postgresql":
        with psycopg.connect(db.url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE dag_run, task_instance, attempt")
            connection.execute("CHECKPOINT")


@contextmanager
def schemas(url: str) -> Iterator[list[str]]:
    """Two empty schemas, dropped afterwards."""
    names = ["gnomon_bench_empty", "gnomon_bench_full"]
    with psycopg.connect(url, autocommit=True) as connection:
        for name in names:
            connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE".encode())
            connection.execute(f"CREATE SCHEMA {name}".encode())
        try:
            yield [f"{url}{'&' if '?' in url else '?'}schema={name}" for name in names]
        finally:
            for name in names:
                connection.execute(f"DROP SCHEMA {name} CASCADE".encode())


class Work:
    """One DAG of 500 tasks, and what becomes of its runs."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self._serial = 0
        self._runs: dict[int, RunRecord] = {}
        spec = DagSpec(
            dag_id="bench",
            timetable=TimetableRef(path="gnomon.timetables.Null"),
            tasks=tuple(TaskSpec(task_id=f"task_{n}") for n in range(WIDTH)),
        )
        parsed = ParsedFile(
            path="/bench.py", inputs=FileInputs(input_hash="1"), dags=(ParsedDag(spec=spec, spec_hash="1"),)
        )
        with db.write() as tx:
            dag_files.record_parsed(tx, parsed, at=AT, paused_by_default=False)
            leases.register_scheduler(tx, ME, "bench")
            leases.claim_groups(tx, ME, [group_of("bench")])

    def measure(self) -> dict[str, float]:
        """Seconds for one of each, by what it is."""
        wide = [self.new_run() for _ in range(4)]
        figures = {"a task, 500 a transaction": timed(lambda: [self.wide(run) for run in wide]) / (4 * WIDTH)}
        chain = self.new_run()
        figures["a hop of a chain"] = timed(lambda: [self.single(chain, n) for n in range(CHAIN)]) / CHAIN
        figures["a run made"] = timed(lambda: [self.end(self.new_run()) for _ in range(CHAIN)]) / CHAIN
        self.end(chain)
        figures["unfinished runs read"] = timed(self.read)
        return figures

    def read(self) -> None:
        """What a take-over asks first."""
        with self.db.read() as tx:
            tx.all("group_state.unfinished_runs", groups=list(range(64)))

    def end(self, run_pk: int) -> None:
        """The run has succeeded."""
        run = self._runs.pop(run_pk)
        self._write(Changes(runs=[replace(run, state=DagRunState.SUCCESS, ended_at=AT + 2)]))

    def new_run(self) -> int:
        """A queued run."""
        self._serial += 1
        with self.db.write() as tx:
            run = dag_runs.create_manual_run(
                tx,
                dag_id="bench",
                run_id=f"manual__{self._serial}",
                logical_at=None,
                run_after=AT + self._serial,
                interval=None,
                conf={},
                by="bench",
                at=AT,
            )
            tx.many("mailbox.remove", [(letter.mail_pk,) for letter in mailbox.read_messages(tx, range(64), 10)])
        self._runs[run.run_pk] = run
        return run.run_pk

    def wide(self, run_pk: int) -> None:
        """All tasks are queued in one transaction, and end in another, with the run."""
        self._write(Changes(tasks=[queued(run_pk, n) for n in range(WIDTH)]))
        self._write(
            Changes(tasks=[ended(run_pk, n) for n in range(WIDTH)], attempts=[attempt(run_pk, n) for n in range(WIDTH)])
        )
        self.end(run_pk)

    def single(self, run_pk: int, n: int) -> None:
        """A hop of a chain: one task ends and the next is queued, in one transaction."""
        tasks = [ended(run_pk, n)] + ([queued(run_pk, n + 1)] if n + 1 < WIDTH else [])
        self._write(Changes(tasks=tasks, attempts=[attempt(run_pk, n)], pool_used={"default_pool": 0}))

    def _write(self, changes: Changes) -> None:
        with self.db.scheduler_write(ME) as tx:
            commit.apply_changes(tx, changes)


def timed(work: Callable[[], object]) -> float:
    """Seconds that it took."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def queued(run_pk: int, n: int) -> TaskRecord:
    """The row of a task that was handed to a worker."""
    return TaskRecord(
        run_pk,
        n,
        -1,
        TaskInstanceState.QUEUED,
        1,
        1,
        1,
        f"0197c2a4-6d5e-7000-8000-{n:012x}",
        "worker-1",
        0,
        "default_pool",
    )


def ended(run_pk: int, n: int) -> TaskRecord:
    """The row of a task that has succeeded."""
    return TaskRecord(
        run_pk, n, -1, TaskInstanceState.SUCCESS, 1, 1, 1, None, None, 0, "default_pool", started_at=AT, ended_at=AT + 1
    )


def attempt(run_pk: int, n: int) -> AttemptRecord:
    """The attempt that succeeded."""
    return AttemptRecord(
        run_pk,
        n,
        -1,
        1,
        f"0197c2a4-6d5e-7000-8000-{n:012x}",
        1,
        "task",
        "success",
        None,
        "worker-1",
        AT,
        AT + 1,
        0,
        f"dag_id=bench/run_id={run_pk}/task_id=task_{n}/attempt=1.log",
    )


if __name__ == "__main__":
    main()
