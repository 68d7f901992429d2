"""`python -m tests.budget.counted_work NAME`: does fixed work on the virtual clock and prints, as JSON, what it took of the scheduler.

The same time passes twice, first without the work: the difference is what the work takes, the first is what idle time takes. All runs in a
process of its own with a fixed hash seed, so that the counts are the same each time, on any machine. What the simulation itself does (scripted
workers, the clock) is not counted.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from msgspec.structs import replace
from tests.databases import create_schema
from tests.keys import CIPHER

import gnomon
from gnomon.entry.simulate import Deployment
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.drivers.sqlite import SqliteConnection
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z"""
MINUTE = 60 * SECOND
PACKAGE = str(Path(gnomon.__file__).parent) + "/"
HARNESS = (f"{PACKAGE}entry/", "<")
"""Files whose calls are not counted: the simulation, and generated code."""


@dataclass(frozen=True)
class Work:
    """Runs of one DAG, each a minute after the one before."""

    spec: DagSpec
    runs: int

    @property
    def tasks(self) -> int:
        """Task instances of all runs."""
        return self.runs * len(self.spec.tasks)


def build_dag(dag_id: str, tasks: Sequence[TaskSpec]) -> DagSpec:
    """A DAG with a run each minute."""
    return DagSpec(
        dag_id=dag_id,
        timetable=reference(CronTriggerTimetable("* * * * *", timezone="UTC")),
        tasks=tuple(tasks),
        start_at=START,
        catchup=True,
        max_active_runs=16,
        max_active_tasks=1000,
        paused_upon_creation=False,
    )


def _task(number: int, *upstream: int, **arguments: Any) -> TaskSpec:
    return replace(TaskSpec(task_id=f"t{number:03}", upstream=tuple(f"t{one:03}" for one in upstream)), **arguments)


WORKS = {
    "wide": Work(build_dag("wide", [_task(number) for number in range(100)]), 2),
    "chain": Work(build_dag("chain", [_task(0), *(_task(number, number - 1) for number in range(1, 30))]), 4),
    "catch-up": Work(build_dag("catch-up", [_task(0), _task(1, 0), _task(2, 0), _task(3, 1, 2), _task(4, 3)]), 40),
    "empty": Work(build_dag("empty", [_task(number, runs_code=False) for number in range(100)]), 2),
}


class StatementCounts:
    """Counts statements, rows and bytes that go to the database."""

    def __init__(self) -> None:
        self.reset()
        self.is_on = False

    def reset(self) -> None:
        """Counts from zero on."""
        self.is_on = True
        self.statements: Counter[str] = Counter()
        self.rows_written = 0
        self.bytes_written = 0

    def install(self) -> None:
        """Counts what each connection is asked from now on."""
        for name, is_write, is_batch in (
            ("rows", False, False),
            ("count", True, False),
            ("send", True, False),
            ("many", True, True),
            ("send_many", True, True),
        ):
            setattr(SqliteConnection, name, self._counted(getattr(SqliteConnection, name), is_write, is_batch))

    def _counted(self, method: Callable[..., Any], is_write: bool, is_batch: bool) -> Callable[..., Any]:
        def call(connection: SqliteConnection, statement: Any, values: Any, *others: Any) -> Any:
            if self.is_on:
                self.statements[statement.name] += 1
                if is_write:
                    rows = list(values) if is_batch else [list(values.values())]
                    self.rows_written += len(rows)
                    self.bytes_written += sum(_size(value) for row in rows for value in row)
            return method(connection, statement, values, *others)

        return call


def _size(value: object) -> int:
    return len(value) if isinstance(value, str | bytes) else 8


class CallCounts:
    """Counts the calls of Python functions of the package, by module and function."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def __enter__(self) -> CallCounts:
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _count(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            file = code.co_filename
            if file.startswith(PACKAGE) and not file.startswith(HARNESS):
                self.calls[f"{file.removeprefix(PACKAGE)}:{code.co_qualname}"] += 1


def count(name: str) -> dict[str, dict[str, int]]:
    """What the work of this name takes in all, and what the same time takes without it ("idle"), each by kind of count."""
    work, statements = WORKS[name], StatementCounts()
    statements.install()
    length = (work.runs + 5) * MINUTE
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/budget.db"
        create_schema(url)
        holder: list[Deployment] = []
        db = open_database(
            url, role="simulation", synchronous="OFF", lease_clock=lambda: _lease_time(holder), cipher=CIPHER
        )
        deployment = Deployment(
            db,
            seed=1,
            start=START,
            script=lambda _attempt, _rng: Play(run_s=0.5),
            limits=EngineLimits(parallelism=1000, max_admissions_per_step=1000),
            worker_slots=1000,
        )
        holder.append(deployment)
        deployment.add_dags([replace(work.spec, dag_id="warm", end_at=START)])
        deployment.run_until(START + 2 * MINUTE)
        idle = _count(deployment, statements, START + 2 * MINUTE + length)
        first = START + 3 * MINUTE + length
        deployment.add_dags([replace(work.spec, start_at=first, end_at=first + (work.runs - 1) * MINUTE)])
        deployment.run_until(first - SECOND)
        busy = _count(deployment, statements, first - SECOND + length)
        with db.read() as tx:
            ended = sum(run.state is DagRunState.SUCCESS for run in dag_runs.list_runs(tx, name))
        db.close()
    assert ended == work.runs, f"{ended} of {work.runs} runs succeeded"
    return {"idle": dict(idle), "work": {key: busy[key] - idle[key] for key in busy if busy[key] != idle[key]}}


def _count(deployment: Deployment, statements: StatementCounts, end: Instant) -> Counter[str]:
    """What passes until `end`: sums, and each function and statement."""
    calls = CallCounts()
    statements.reset()
    with calls:
        deployment.run_until(end)
    statements.is_on = False
    return Counter(
        {
            "Python calls": sum(calls.calls.values()),
            "statements": sum(statements.statements.values()),
            "rows written": statements.rows_written,
            "bytes written": statements.bytes_written,
            **{f"calls of {function}": number for function, number in calls.calls.items()},
            **{f"statement {statement}": number for statement, number in statements.statements.items()},
        }
    )


def _lease_time(holder: Sequence[Deployment]) -> Instant:
    """The database's clock, which nobody sets."""
    return START + int(holder[0].clock.monotonic() * SECOND) if holder else START


if __name__ == "__main__":
    sys.stdout.write(json.dumps(count(sys.argv[1])))
