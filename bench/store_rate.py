"""How fast the store takes what a scheduler writes: `python -m bench.store_rate [postgresql URL]`.

A task costs three statements: the row when it is queued, the row when it has ended, its attempt. They are written in
transactions of 500 tasks, as wide work does, and of one, as a chain does; then both again behind finished history.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gnomon.model.ids import group_of
from gnomon.model.records import AttemptRecord, Changes, TaskRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagParsed, DagSpec, FileInputs, ParsedFile, TaskSpec
from gnomon.model.states import TaskInstanceState
from gnomon.store import Database, commit, files, leases, migrations, open_database, runs

WIDTH = 500
ME = "bench"
AT = 1_700_000_000_000_000


def main() -> None:
    """Print tasks a second and the store's share of a task, for each database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("postgresql", nargs="?", help="an empty schema to fill, e.g. postgresql:///test?schema=bench")
    parser.add_argument("--synchronous", default="FULL")
    parser.add_argument("--history", type=int, default=0, help="finished task instances to write first")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(f"sqlite:///{Path(folder) / 'bench.db'}", options)
    if options.postgresql:
        measure(options.postgresql, options)


def measure(url: str, options: argparse.Namespace) -> None:
    """One database's figures."""
    migrations.upgrade(url)
    db = open_database(url, synchronous=options.synchronous)
    work = Work(db)
    for _ in range(options.history // WIDTH):
        work.wide(work.new_run())
    print(f"{db.dialect}, {options.synchronous if db.dialect == 'sqlite' else 'default'}, {options.history} finished before")
    report("  500 tasks a transaction", WIDTH * 20, lambda: [work.wide(work.new_run()) for _ in range(20)])
    run = work.new_run()
    report("  one task a transaction ", WIDTH, lambda: [work.single(run, n) for n in range(WIDTH)])
    report("  runs made              ", 200, lambda: [work.new_run() for _ in range(200)])
    with db.read() as tx:
        started = time.perf_counter()
        for _ in range(50):
            tx.all("load.unfinished_runs", groups=list(range(64)))
        print(f"  read unfinished runs    {(time.perf_counter() - started) / 50 * 1000:8.3f} ms")
    db.close()


def report(label: str, count: int, work: Callable[[], object]) -> None:
    """Time it and print it."""
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    print(f"{label} {count / seconds:9.0f} a second, {seconds / count * 1000:.4f} ms each")


class Work:
    """One DAG of 500 tasks, and what becomes of its runs."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._serial = 0
        spec = DagSpec(
            dag_id="bench", timetable=TimetableRef(path="gnomon.timetables.Null"),
            tasks=tuple(TaskSpec(task_id=f"task_{n}") for n in range(WIDTH)),
        )
        parsed = ParsedFile(path="/bench.py", inputs=FileInputs(input_hash="1"), dags=(DagParsed(spec=spec, spec_hash="1"),))
        with db.write() as tx:
            files.record_parsed(tx, parsed, at=AT, paused_by_default=False)
            leases.register_scheduler(tx, ME, "bench")
            leases.claim_groups(tx, ME, [group_of("bench")])

    def new_run(self) -> int:
        """A queued run."""
        self._serial += 1
        with self._db.write() as tx:
            return runs.create_manual(
                tx, dag_id="bench", run_id=f"manual__{self._serial}", logical_at=None, run_after=AT + self._serial,
                interval=None, conf={}, by="bench", at=AT,
            ).run_pk

    def wide(self, run_pk: int) -> None:
        """All tasks are queued in one transaction, and end in another."""
        self._write(Changes(tasks=[queued(run_pk, n) for n in range(WIDTH)]))
        self._write(
            Changes(tasks=[ended(run_pk, n) for n in range(WIDTH)], attempts=[attempt(run_pk, n) for n in range(WIDTH)])
        )

    def single(self, run_pk: int, n: int) -> None:
        """A hop of a chain: one task ends and the next is queued, in one transaction."""
        tasks = [ended(run_pk, n)] + ([queued(run_pk, n + 1)] if n + 1 < WIDTH else [])
        self._write(Changes(tasks=tasks, attempts=[attempt(run_pk, n)], pool_used={"default_pool": 0}))

    def _write(self, changes: Changes) -> None:
        with self._db.owner(ME) as tx:
            commit.apply(tx, changes)


def queued(run_pk: int, n: int) -> TaskRecord:
    """The row of a task that was handed to a worker."""
    return TaskRecord(
        run_pk, n, -1, TaskInstanceState.QUEUED, 1, 1, 1, f"0197c2a4-6d5e-7000-8000-{n:012x}", "worker-1", 0, "default_pool"
    )


def ended(run_pk: int, n: int) -> TaskRecord:
    """The row of a task that has succeeded."""
    return TaskRecord(
        run_pk, n, -1, TaskInstanceState.SUCCESS, 1, 1, 1, None, None, 0, "default_pool", started_at=AT, ended_at=AT + 1
    )


def attempt(run_pk: int, n: int) -> AttemptRecord:
    """The attempt that succeeded."""
    return AttemptRecord(
        run_pk, n, -1, 1, f"0197c2a4-6d5e-7000-8000-{n:012x}", 1, "task", "success", None, "worker-1", AT, AT + 1, 0,
        f"dag_id=bench/run_id={run_pk}/task_id=task_{n}/attempt=1.log",
    )


if __name__ == "__main__":
    main()
