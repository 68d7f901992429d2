"""Waiting, and going on: what a waiting trigger costs, how late it ends its task, how fast deferred tasks resume.

    python -m bench.run defer                                      # 1,000 and 10,000; 2,000 that resume
    python -m bench.defer_rate [time] [author] [resume] [sqlite] [postgresql] [1000 10000 50000]

PostgreSQL with GNOMON_BENCH_POSTGRES. How late a task ended is what a reader of the store sees, not what its row says.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import psycopg

from bench import defer_dags
from bench.defer_dags import TASKS
from bench.deployment import Deployment, deployment, postgres
from bench.figures import instant, quantile, rate, show
from bench.processes import memory_kb
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config, run_folder
from gnomon.ground.wakeups import Notifier
from gnomon.storage.store import notify_on_commit, open_database
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.dag_records import dag_runs

SIZES = (1_000, 10_000)
RESUMED = 2_000
WARM_RUNS = 1
"""Runs that wait before memory is measured first: the processes are there, their modules loaded."""
BEGIN_S = 25.0
BEGIN_RATE = float(os.environ.get("GNOMON_BENCH_DEFER_BEGIN_RATE", "400"))
"""All are due so long after the start, and one second more for so many triggers."""
CPU_S = 10.0
SPARE_S = 2.0
LOOK_S = 0.02
LIMIT_S = 300.0
ROLES = {"scheduler": "gnomon-schedule", "keeper": "gnomon-triggere", "host": "gnomon: trigger host "}
"""By the name of the process or, of one that author code runs in, by its title."""
OPTIONS = {
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "GNOMON__CORE__MAX_ACTIVE_RUNS_PER_DAG": "1000",
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "1000",
    "GNOMON__CORE__PARALLELISM": "8",
}
GOALS = {"time": "scheduler <= 2, < 1 % at 10,000", "author": "host <= 6, < 1 % at 10,000"}
LAG_GOAL = "p95 < 1 s at 10,000"
AIRFLOW = "Airflow 155-205 KB each; 26 % of a core at 5,000"
AIRFLOW_LAG = "Airflow p50 8-14 s at 1,000; 41 s, max 83 s, at 5,000"


def defer(words: tuple[str, ...] = ()) -> None:
    """One line a database, kind and size. `words` choose; none: all but the largest size."""
    sizes = [int(word) for word in words if word.isdigit()] or list(SIZES)
    kinds = [word for word in words if word in ("time", "author", "resume")] or ["time", "author", "resume"]
    chosen = [word for word in words if word in ("sqlite", "postgresql")] or ["sqlite", "postgresql"]
    for database in chosen:
        for kind in kinds:
            works: list[Callable[[dict[str, str]], None]]
            if kind == "resume":
                works = [lambda options, n=n, d=database: resume(d, n, options) for n in (1, 100)]  # type: ignore[misc]
            else:
                works = [lambda options, n=n, d=database, k=kind: wait(d, k, n, options) for n in sizes]  # type: ignore[misc]
            for work in works:
                with _options(database) as options:
                    if options is None:
                        show(f"{kind}, PostgreSQL", "left out: GNOMON_BENCH_POSTGRES is not set")
                        break
                    work(options)


def _options(database: str) -> contextlib.AbstractContextManager[dict[str, str] | None]:
    return contextlib.nullcontext({}) if database == "sqlite" else postgres()


def wait(database: str, kind: str, count: int, options: dict[str, str]) -> None:
    """`count` triggers wait, and all are due at one instant."""
    name = f"{count:,} {kind} triggers, {database}"
    capacity = {"GNOMON__TRIGGERER__CAPACITY": str(count + TASKS)}
    with deployment([], **OPTIONS, **capacity, **options) as running, Look(running) as look:
        _author_code(running)
        due = time.time() + BEGIN_S + count / BEGIN_RATE
        defer_dags.write(running.home, "waits.py", defer_dags.waiting(kind, due))
        running.wait_for_dag("waits")
        look.create("waits", WARM_RUNS)
        look.until(lambda: look.waiting(kind) == WARM_RUNS * TASKS, due)
        time.sleep(SPARE_S)
        before = memory_by_role(running)
        look.create("waits", count // TASKS - WARM_RUNS, first=WARM_RUNS)
        began = time.time()
        look.until(lambda: look.waiting(kind) == count, due)
        begun_s = time.time() - began
        if look.waiting(kind) != count or due - time.time() < CPU_S + 2 * SPARE_S:
            show(
                name, f"only {look.waiting(kind):,} waited in time: lower GNOMON_BENCH_DEFER_BEGIN_RATE={BEGIN_RATE:g}"
            )
            return
        time.sleep(SPARE_S)
        after = memory_by_role(running)
        cpu, at = running.cpu_s(), time.time()
        time.sleep(min(CPU_S, due - time.time() - SPARE_S))
        idle = 100 * (running.cpu_s() - cpu) / (time.time() - at)
        each = {role: (after[role] - before.get(role, 0)) / (count - WARM_RUNS * TASKS) for role in after}
        cpu_before = cpu_by_role(running, look.server())
        lags = look.lags(count, due)
        cpu_after = cpu_by_role(running, look.server())
        spent = {role: 1e6 * (cpu_after[role] - cpu_before.get(role, 0)) / count for role in cpu_after}
        shown = ", ".join(f"{role} {kb:.2f}" for role, kb in each.items())
        show(name, f"KB each: {shown}; {idle:.2f} % of a core", GOALS[kind], AIRFLOW)
        show(
            f"  due at one instant ({begun_s:.1f} s to begin)",
            f"lag p50 {quantile(lags, 0.5):.2f} s, p95 {quantile(lags, 0.95):.2f} s, "
            f"max {max(lags):.2f} s, {len(lags):,} ended",
            LAG_GOAL,
            AIRFLOW_LAG,
        )
        show("  processor time of one", ", ".join(f"{role} {us:.0f}" for role, us in spent.items()) + " µs")


def resume(database: str, per_child: int, options: dict[str, str]) -> None:
    """Tasks that defer from `execute`, all due at one instant, and go on with a method; beside them the same without a wait."""
    attempts = {"GNOMON__WORKERS__ATTEMPTS_PER_CHILD": str(per_child)}
    with deployment([], **OPTIONS, **attempts, **options) as running, Look(running) as look:
        defer_dags.write(running.home, "resumes.py", defer_dags.RESUMING)
        running.wait_for_dag("defers")
        look.create("plain", 1, first=1_000)  # warms up
        look.until(lambda: look.unfinished() == 0, time.time() + LIMIT_S)
        plain, plain_asked = look.plain_rates(RESUMED // TASKS)
        due = time.time() + BEGIN_S / 2 + 1.5 * RESUMED / plain_asked
        look.create("defers", RESUMED // TASKS, conf={"due": due})
        look.until(lambda: look.waiting("time") == RESUMED, due)
        late = "" if look.waiting("time") == RESUMED else f" (only {look.waiting('time')} waited)"
        look.until(lambda: look.unfinished() == 0, due + LIMIT_S)
        tasks = look.tasks("defers", RESUMED // TASKS)
        resumed = len(tasks) / (max(instant(task["end_date"]) for task in tasks) - due)
        again, again_asked = look.plain_rates(RESUMED // TASKS, first=RESUMED // TASKS)
        executor, asked = (plain + again) / 2, (plain_asked + again_asked) / 2
        good = all(task["state"] == "success" for task in tasks) and len(tasks) == RESUMED
        show(
            f"{RESUMED:,} resume, attempts_per_child={per_child}, {database}",
            f"{resumed:.0f}/s from due on{late}, plain {plain:.0f}/s and {again:.0f}/s, ratio {resumed / executor:.2f}; plain from the "
            f"request on {plain_asked:.0f}/s and {again_asked:.0f}/s, ratio {resumed / asked:.2f}; all well: {good}",
            "ratio >= 0.8",
        )


def _author_code(running: Deployment) -> None:
    (running.home / "plugins").mkdir(exist_ok=True)
    (running.home / "plugins" / "bench_triggers.py").write_text(defer_dags.PLUGIN)


def memory_by_role(running: Deployment) -> dict[str, float]:
    """PSS in KB of the processes that hold triggers."""
    found: dict[str, float] = {}
    for pid, role in _roles(running):
        found[role] = found.get(role, 0) + memory_kb([pid])
    return found


def cpu_by_role(running: Deployment, server: Iterable[int]) -> dict[str, float]:
    """Seconds of processor time of the processes that a trigger passes on its way; `server`: those of PostgreSQL."""
    found: dict[str, float] = {}
    for pid, role in [*_roles(running), *((pid, "postgres") for pid in server)]:
        with contextlib.suppress(OSError):
            ran_ns = sum(
                int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()
            )
            found[role] = found.get(role, 0) + ran_ns / 1e9
    return found


def _roles(running: Deployment) -> Iterator[tuple[int, str]]:
    for pid in running.processes():
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/comm").read_text() + Path(f"/proc/{pid}/cmdline").read_text()
            role = next((role for role, word in ROLES.items() if word in words), None)
            if role is not None:
                yield pid, role


class Look:
    """The database of a deployment: runs are created in it, and what waits and what has ended is counted."""

    def __init__(self, running: Deployment) -> None:
        self._running = running

    def __enter__(self) -> Look:
        cfg = load_config(self._running.environ)
        self._running.wait_until_up()
        self._db = open_database(cfg.database_url, role="bench")
        self._bell = Notifier(run_folder(cfg.home))
        self._ask = _asker(cfg.database_url)
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def create(self, dag_id: str, count: int, first: int = 0, conf: dict[str, object] | None = None) -> None:
        now = SystemClock().now()
        with self._db.write() as tx:
            for i in range(first, first + count):
                dag_runs.create_manual_run(
                    tx,
                    dag_id=dag_id,
                    run_id=f"r{i}",
                    logical_at=None,
                    run_after=now,
                    interval=None,
                    conf=conf or {},
                    by="bench",
                    at=now,
                )
            notify_on_commit(tx)
        self._bell.notify()

    def waiting(self, kind: str) -> int:
        """Triggers that somebody keeps: the owner, or a triggerer."""
        (count,) = self._ask(
            "SELECT count(*) FROM trigger" + (" WHERE triggerer IS NOT NULL" if kind == "author" else "")
        )
        return count

    def server(self) -> list[int]:
        """The processes of PostgreSQL that work for this deployment, as far as they run here."""
        if self._running.environ.get("GNOMON__DATABASE__SQL_ALCHEMY_CONN") is None:
            return []
        return self._ask(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    def unfinished(self) -> int:
        (count,) = self._ask("SELECT count(*) FROM dag_run WHERE ended_at IS NULL")
        return count

    def until(self, holds: Callable[[], bool], deadline: float) -> None:
        while time.time() < deadline and not holds():
            time.sleep(0.1)

    def lags(self, count: int, due: float) -> list[float]:
        """Of each trigger, how long after `due` its task was seen to have ended."""
        lags: list[float] = []
        time.sleep(max(0.0, due - time.time()))
        while len(lags) < count and time.time() < due + LIMIT_S:
            (left,) = self._ask("SELECT count(*) FROM trigger")
            lags += [time.time() - due] * (count - left - len(lags))
            time.sleep(LOOK_S)
        self.until(lambda: self.unfinished() == 0, time.time() + LIMIT_S)
        return lags

    def tasks(self, dag_id: str, count: int, first: int = 0) -> list[dict[str, object]]:
        names = [f"r{i}" for i in range(first, first + count)]
        return [task for name in names for task in self._running.json("tasks", "states", dag_id, name)]

    def plain_rates(self, count: int, first: int = 0) -> tuple[float, float]:
        """Tasks a second of the executor, without any wait: from the first start, and from the request on."""
        asked = time.time()
        self.create("plain", count, first)
        self.until(lambda: self.unfinished() == 0, time.time() + LIMIT_S)
        tasks = self.tasks("plain", count, first)
        return rate(tasks), len(tasks) / (max(instant(task["end_date"]) for task in tasks) - asked)


def _asker(url: str) -> Callable[[str], list[int]]:
    """Answers a query with its first column."""
    if url.startswith("sqlite"):
        file = sqlite3.connect(f"file:{parse_address(url).target}?mode=ro", uri=True)
        return lambda text: [row[0] for row in file.execute(text)]
    server = psycopg.connect(parse_address(url).target, autocommit=True)
    return lambda text: [row[0] for row in server.execute(text.encode())]


if __name__ == "__main__":
    show("work", "figure", "wanted", "beside")
    defer(tuple(sys.argv[1:]))
