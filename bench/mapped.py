"""Mapped tasks beside tasks that are not mapped, in one deployment and one run: `python -m bench.run mapped`.

A task is mapped over the list that another task returns. Shown for each number of instances: tasks a second and processor time of a task, mapped | not,
and both as ratios (above 1: mapped is better); from the end of the list's task to the first start of an instance; what the scheduler needs.
`python -m bench.mapped 100 1000` for other numbers.

Compared are a no-op `@task` that is mapped, and a DAG with as many PythonOperators with a no-op function. An unmapped `@task` costs its process the same
(`python -m bench.mapped_attempts`). Both have the same number of tasks: with `attempts_per_child` a run of 500 tasks ends before its first processes have
had 100 attempts, so neither its rate nor its processor time has their exits, while a run of 10,000 replaces a hundred of them.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.deployment import Deployment, deployment
from bench.figures import median, show
from bench.processes import cpu_s, memory_kb
from gnomon.ground.config import load_config
from gnomon.model.records import TaskRecord
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs

NUMBERS = (100, 1_000, 10_000)
PAIRS = 3
"""Runs, mapped and not mapped, that alternate."""
WIDE = Path(__file__).parent / "dags" / "wide"
OPTIONS = {
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "64",
    "GNOMON__CORE__PARALLELISM": "8",
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "GNOMON__CORE__MAX_MAP_LENGTH": str(max(NUMBERS)),
}
MODES = {"isolated": {}, "attempts_per_child=100": {"GNOMON__WORKERS__ATTEMPTS_PER_CHILD": "100"}}
FILE = """
from airflow.sdk import DAG, task

for number in {numbers}:
    with DAG(f"mapped_{{number}}", schedule=None):

        @task
        def numbers(count):
            return list(range(count))

        @task
        def noop(i):
            return None

        noop.expand(i=numbers(number))
"""
WIDE_FILE = """
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG

def noop():
    return None

for number in {numbers}:
    with DAG(f"wide_{{number}}", schedule=None):
        for index in range(number):
            PythonOperator(task_id=f"t{{index:05d}}", python_callable=noop)
"""
SAMPLE_S = 0.1
LIMIT_S = 600.0


@dataclass(frozen=True)
class RunFigures:
    """What a run came to."""

    per_second: float
    processor_ms: float
    """Processor time of all processes for each task. Unlike the rate, it hardly depends on what else the machine does."""


@dataclass(frozen=True)
class MappedFigures:
    """What runs of a mapped task came to, beside runs of as many tasks that are not mapped; they alternate."""

    run: RunFigures
    beside: RunFigures
    expand_s: float
    scheduler_ms: float
    """Processor time of the scheduler for each instance."""
    memory_mb: float
    """Largest PSS of the scheduler during the run, less that before it."""


def mapped(numbers: tuple[int, ...] = NUMBERS) -> None:
    """Lines for each way to run tasks; ratios are to the unmapped DAG of the same deployment."""
    for mode, options in MODES.items():
        with deployed(numbers, options) as running:
            plain, of_500 = _compare_500(running)
            _show(
                f"500 tasks, mapped | not, {mode}", of_500, plain, "Airflow 10.5 | 6.6/s" if mode == "isolated" else ""
            )
            for number in numbers:
                found = _measure(running, number)
                _show(
                    f"{number:,} mapped instances, {mode}",
                    found.run,
                    found.beside,
                    f"expanded in {found.expand_s:.2f} s; the scheduler {found.scheduler_ms:.2f} ms, +{found.memory_mb:.0f} MB",
                )


def _show(name: str, mapped_run: RunFigures, plain: RunFigures, beside: str) -> None:
    ratios = (
        f"ratios {mapped_run.per_second / plain.per_second:.2f}, {plain.processor_ms / mapped_run.processor_ms:.2f}"
    )
    show(
        name,
        f"{mapped_run.per_second:.0f} | {plain.per_second:.0f}/s, {mapped_run.processor_ms:.2f} | {plain.processor_ms:.2f} ms, {ratios}",
        "ratios >= 0.9",
        beside,
    )


@contextmanager
def deployed(numbers: tuple[int, ...], options: dict[str, str]) -> Iterator[Deployment]:
    """A deployment with the DAGs that are mapped over an XCom, and the wide ones with 500 tasks."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mapped_numbers.py"
        file.write_text(FILE.format(numbers=list(numbers)))
        wide = Path(folder) / "wide_numbers.py"
        wide.write_text(WIDE_FILE.format(numbers=list(numbers)))
        paths = [file, wide, WIDE / "wide_mapped_500.py", WIDE / "wide_python_500.py"]
        with deployment(paths, **OPTIONS, **options) as running:
            for dag_id in ("wide_mapped_500", "wide_python_500", f"mapped_{numbers[-1]}", f"wide_{numbers[-1]}"):
                running.wait_for_dag(dag_id)
            yield running


def _compare_500(running: Deployment) -> tuple[RunFigures, RunFigures]:
    """The unmapped and the mapped DAG: medians of runs that alternate, after one of each."""
    found: dict[str, list[RunFigures]] = {"wide_python_500": [], "wide_mapped_500": []}
    for pair in range(PAIRS + 1):
        for dag_id, figures in found.items():
            figures.append(_run(running, dag_id, f"r{pair}"))
    return _median(found["wide_python_500"][1:]), _median(found["wide_mapped_500"][1:])


def _measure(running: Deployment, number: int) -> MappedFigures:
    """Pairs of runs in alternating order; medians of each side."""
    found, beside = [], []
    for pair in range(PAIRS):
        first, second = (beside, found) if pair % 2 else (found, beside)
        for side in (first, second):
            side.append(
                _run_mapped(running, number, pair) if side is found else _run(running, f"wide_{number}", f"r{pair}")
            )
    runs = [one.run for one in found]
    return MappedFigures(
        run=_median(runs),
        beside=_median(beside),
        expand_s=median([one.expand_s for one in found]),
        scheduler_ms=median([one.scheduler_ms for one in found]),
        memory_mb=max(one.memory_mb for one in found),
    )


@dataclass(frozen=True)
class MappedRun:
    """One run of a mapped task."""

    run: RunFigures
    expand_s: float
    scheduler_ms: float
    memory_mb: float


def _run_mapped(running: Deployment, number: int, pair: int) -> MappedRun:
    dag_id, pid, run_id = f"mapped_{number}", _scheduler(running), f"r{pair}"
    before_kb, before_s = memory_kb([pid]), cpu_s([pid])
    with _peak_kb(pid) as peak:
        found = _run(running, dag_id, run_id)
    spent = cpu_s([pid]) - before_s
    rows = _rows(running, dag_id, run_id)
    (source,) = (row for row in rows if row.map_index < 0)
    instances = [row for row in rows if row.map_index >= 0]
    assert len(instances) == number, f"{len(instances)} instances"
    first = min(row.started_at or 0 for row in instances)
    return MappedRun(
        run=RunFigures(_rate(instances), found.processor_ms),
        expand_s=(first - (source.ended_at or 0)) / 1e6,
        scheduler_ms=1000 * spent / number,
        memory_mb=(max(peak) - before_kb) / 1024,
    )


def _run(running: Deployment, dag_id: str, run_id: str) -> RunFigures:
    before_s = running.cpu_s()
    running.trigger_and_watch(dag_id, run_id, LIMIT_S)
    spent_s = running.cpu_s() - before_s
    rows = _rows(running, dag_id, run_id)
    return RunFigures(_rate(rows), 1000 * spent_s / len(rows))


def _median(figures: list[RunFigures]) -> RunFigures:
    return RunFigures(median([one.per_second for one in figures]), median([one.processor_ms for one in figures]))


def _rows(running: Deployment, dag_id: str, run_id: str) -> list[TaskRecord]:
    with closing(open_database(load_config(running.environ).database_url, role="bench")) as db, db.read() as tx:
        run = dag_runs.find_stored_run(tx, dag_id, run_id)
        assert run is not None
        return dag_runs.list_task_states(tx, run.run_pk)


def _rate(rows: list[TaskRecord]) -> float:
    """Tasks a second, from the first start to the last end."""
    return len(rows) * 1e6 / (max(row.ended_at or 0 for row in rows) - min(row.started_at or 0 for row in rows))


def _scheduler(running: Deployment) -> int:
    (pid,) = (
        pid for pid in running.processes() if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"gnomon: scheduler")
    )
    return pid


@contextmanager
def _peak_kb(pid: int) -> Iterator[list[int]]:
    """Samples of the memory of the process while the block runs, and one at its end."""
    samples: list[int] = []
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(SAMPLE_S):
            samples.append(memory_kb([pid]))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()
        samples.append(memory_kb([pid]))


if __name__ == "__main__":
    began = time.monotonic()
    mapped(tuple(int(word) for word in sys.argv[1:]) or NUMBERS)
    print(f"{time.monotonic() - began:.0f} s")
