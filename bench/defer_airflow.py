"""The triggers of `bench.defer_rate` in Apache Airflow on this machine: its `standalone`, on PostgreSQL.

    python -m bench.defer_airflow [time] [author] [1000] [5000]

The same DAG of 100 tasks, which its timetable runs as often as it takes, and the same trigger of an author. Airflow comes into
a virtual environment of its own (bench.airflow_env); GNOMON_BENCH_POSTGRES names the server.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg

from bench import defer_dags
from bench.airflow_env import LeftOut, airflow_python, install
from bench.defer_dags import TASKS
from bench.deployment import postgres
from bench.figures import quantile, show
from bench.processes import cpu_s, family, memory_kb

DRIVERS = ("psycopg2-binary", "asyncpg")
SIZES = (1_000, 5_000)
UP_S, BEGIN_S, BEGIN_RATE = 240.0, 90.0, 9.0
"""All are due so long after the DAG's file, and one second more for so many triggers: Airflow reads the DAG anew for each."""
CALM, CALM_S = 0.5, 3.0
"""The triggerer has begun them all when it has not used more of a core than this for so long."""
CPU_S, SPARE_S, LOOK_S, LIMIT_S = 10.0, 5.0, 0.1, 900.0
ENDED = "SELECT count(*) FROM task_instance WHERE dag_id = 'waits' AND end_date IS NOT NULL"
HELD = "SELECT count(*) FROM trigger WHERE triggerer_id IS NOT NULL"


def defer_airflow(words: tuple[str, ...] = ()) -> None:
    """One line a kind and size. `words` choose; none: all."""
    sizes = [int(word) for word in words if word.isdigit()] or list(SIZES)
    kinds = [word for word in words if word in ("time", "author")] or ["time", "author"]
    try:
        with postgres() as options:
            if options is None:
                raise LeftOut("GNOMON_BENCH_POSTGRES is not set")
        python = airflow_python()
        install(python, *DRIVERS)
        for kind in kinds:
            for count in sizes:
                with postgres() as options:
                    assert options is not None
                    wait(python, kind, count, *options.values())
    except LeftOut as reason:
        show("triggers in Airflow", f"left out: {reason}")


def wait(python: Path, kind: str, count: int, url: str) -> None:
    """`count` triggers wait, and all are due at one instant."""
    name = f"Airflow: {count:,} {kind} triggers, postgresql"
    home = Path(tempfile.mkdtemp(prefix="airflow-bench-"))
    for folder in ("dags", "plugins"):
        (home / folder).mkdir()
    (home / "plugins" / "bench_triggers.py").write_text(defer_dags.PLUGIN)
    with _standalone(python, home, url, capacity=2 * count) as pid, psycopg.connect(url, autocommit=True) as db:

        def asked(text: str) -> int:
            try:
                row = db.execute(text.encode()).fetchone()
            except psycopg.errors.UndefinedTable:
                return 0
            return 0 if row is None else int(row[0])

        _until(lambda: asked("SELECT count(*) FROM job WHERE job_type = 'TriggererJob'") > 0, time.time() + UP_S)
        due = time.time() + BEGIN_S + count / BEGIN_RATE
        defer_dags.write(home, "warm.py", defer_dags.waiting(kind, due, "warm", runs=1))
        _until(lambda: asked(HELD) == TASKS, due)
        time.sleep(SPARE_S)
        before = memory_kb(_triggerer(pid))
        began = time.time()
        defer_dags.write(home, "waits.py", defer_dags.waiting(kind, due, "waits", runs=count // TASKS))
        _until(lambda: asked(HELD) == count + TASKS and _is_calm(_triggerer(pid)), due)
        begun_s = time.time() - began
        if due - time.time() < CPU_S + 2 * SPARE_S:
            show(name, f"only {asked(HELD):,} waited in time; see {home}/standalone.log")
            return
        time.sleep(SPARE_S)
        triggerer, everything = _triggerer(pid), family(pid)
        each = (memory_kb(triggerer) - before) / count
        cpu, all_cpu, at = cpu_s(triggerer), cpu_s(everything), time.time()
        time.sleep(CPU_S)
        spent_s = time.time() - at
        idle, all_idle = 100 * (cpu_s(triggerer) - cpu) / spent_s, 100 * (cpu_s(everything) - all_cpu) / spent_s
        time.sleep(max(0.0, due - time.time()))
        lags: list[float] = []
        while len(lags) < count and time.time() < due + LIMIT_S:
            lags += [time.time() - due] * (asked(ENDED) - len(lags))
            time.sleep(LOOK_S)
        show(name, f"KB each: triggerer {each:.0f}; {idle:.1f} % of a core, all of Airflow {all_idle:.1f} %")
        show(
            f"  due at one instant ({begun_s:.1f} s to begin)",
            f"lag p50 {quantile(lags, 0.5):.2f} s, p95 {quantile(lags, 0.95):.2f} s, "
            f"max {max(lags):.2f} s, {len(lags):,} ended",
        )


@contextlib.contextmanager
def _standalone(python: Path, home: Path, url: str, capacity: int) -> Iterator[int]:
    """`airflow standalone` over this home; the id of its process."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("GNOMON", "AIRFLOW", "PYTHON"))}
    environ |= {
        "AIRFLOW_HOME": str(home),
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url.replace("://", "+psycopg2://", 1),
        "AIRFLOW__CORE__MAX_ACTIVE_RUNS_PER_DAG": "1000",
        "AIRFLOW__CORE__MAX_ACTIVE_TASKS_PER_DAG": "10000",
        "AIRFLOW__TRIGGERER__CAPACITY": str(capacity),
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "2",
    }
    with (home / "standalone.log").open("ab") as log:
        process = subprocess.Popen(
            [str(python.parent / "airflow"), "standalone"],
            env=environ,
            cwd=home,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process.pid
        shutil.rmtree(home, ignore_errors=True)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        for pid in family(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _triggerer(pid: int) -> list[int]:
    """The triggerer of a standalone, with the process that its triggers run in."""
    found = []
    for member in family(pid):
        with contextlib.suppress(OSError):
            if "triggerer" in Path(f"/proc/{member}/cmdline").read_text():
                found += [child for child in family(member) if child not in found]
    return found


def _is_calm(pids: list[int]) -> bool:
    before = cpu_s(pids)
    time.sleep(CALM_S)
    return cpu_s(pids) - before < CALM * CALM_S


def _until(holds: Callable[[], bool], deadline: float) -> None:
    while time.time() < deadline and not holds():
        time.sleep(0.5)


if __name__ == "__main__":
    show("work", "figure")
    defer_airflow(tuple(sys.argv[1:]))
