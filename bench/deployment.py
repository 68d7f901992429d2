"""A real `gnomon standalone` in an empty home, driven as its user would drive it, measured from its own records."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from bench.processes import cpu_s, family, memory_kb
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config, run_folder
from gnomon.ground.wakeups import Notifier
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.storage.store import notify_on_commit, open_database
from gnomon.storage.store.dag_records import dag_runs

HERE = Path(__file__).parent
GNOMON = [sys.executable, "-m", "gnomon"]
POLL_S = 0.05

DATABASE_OPTION = "GNOMON__DATABASE__SQL_ALCHEMY_CONN"


class Deployment:
    """One running standalone: its home, its options, its process."""

    def __init__(self, home: Path, environ: dict[str, str]) -> None:
        self.home = home
        self.environ = environ
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.home / "standalone.log").open("ab") as log:
            self.process = subprocess.Popen([*GNOMON, "standalone"], env=self.environ, stdout=log, stderr=log)

    def wait_until_up(self, timeout_s: float = 60) -> None:
        """The database is there."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            with contextlib.suppress(RuntimeError):
                self.json("dags", "list")
                return
            time.sleep(POLL_S)
        raise TimeoutError(f"nothing answers; see {self.home}/standalone.log")

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(20)

    def cli(self, *words: str) -> str:
        done = subprocess.run([*GNOMON, *words], check=False, env=self.environ, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"gnomon {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def json(self, *words: str) -> list[dict[str, object]]:
        return json.loads(self.cli(*words, "-o", "json"))

    def wait_for_dag(self, dag_id: str, timeout_s: float = 60) -> None:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            with contextlib.suppress(RuntimeError):
                if any(dag["dag_id"] == dag_id for dag in self.json("dags", "list")):
                    return
            time.sleep(POLL_S)
        raise TimeoutError(f"{dag_id} did not appear; see {self.home}/standalone.log")

    def run_to_end(self, dag_id: str, run_id: str, timeout_s: float = 300) -> list[dict[str, object]]:
        """Trigger a run, wait for its end, return its task instances."""
        self.cli("dags", "trigger", dag_id, "--run-id", run_id)
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            run = next((r for r in self.json("runs", "list", dag_id) if r["run_id"] == run_id), None)
            if run is not None and run["state"] in ("success", "failed"):
                return self.json("tasks", "states", dag_id, run_id)
            time.sleep(1.0)
        raise TimeoutError(f"{dag_id} {run_id} did not end")

    def trigger_and_watch(self, dag_id: str, run_id: str, timeout_s: float = 60) -> float:
        """Seconds from the commit of a new run to the moment at which its end can be read from the store."""
        cfg = load_config(self.environ)
        clock = SystemClock()
        db = open_database(cfg.database_url, role="bench")
        try:
            with db.write() as tx:
                dag_runs.create_manual_run(
                    tx,
                    dag_id=dag_id,
                    run_id=run_id,
                    logical_at=None,
                    run_after=clock.now(),
                    interval=None,
                    conf={},
                    by="bench",
                    at=clock.now(),
                )
                notify_on_commit(tx)
            began = time.perf_counter()
            Notifier(run_folder(cfg.home)).notify()
            while time.perf_counter() - began < timeout_s:
                with db.read() as tx:
                    run = dag_runs.find_stored_run(tx, dag_id, run_id)
                if run is not None and run.ended_at is not None:
                    return time.perf_counter() - began
                time.sleep(0.0005)
            raise TimeoutError(f"{dag_id} {run_id} did not end")
        finally:
            db.close()

    def wait_for_ended_runs(self, count: int, timeout_s: float = 300) -> None:
        """Until that many runs of all DAGs have ended. Reads the store: a command takes a quarter of a second of the processors that are measured."""
        db = open_database(load_config(self.environ).database_url, role="bench")
        deadline = time.monotonic() + timeout_s
        try:
            while time.monotonic() < deadline:
                with db.read() as tx:
                    ended = sum(
                        number
                        for state, number in dag_runs.read_total_run_counts(tx).items()
                        if state in FINISHED_RUN_STATES
                    )
                if ended >= count:
                    return
                time.sleep(POLL_S)
            raise TimeoutError(f"{count} runs did not end; see {self.home}/standalone.log")
        finally:
            db.close()

    def processes(self) -> list[int]:
        """The standalone process and all its descendants."""
        assert self.process is not None
        return family(self.process.pid)

    def memory_mb(self) -> float:
        """PSS of all processes."""
        return memory_kb(self.processes()) / 1024

    def cpu_s(self) -> float:
        """CPU seconds of all living processes and of their reaped children."""
        return cpu_s(self.processes())


@contextlib.contextmanager
def deployment(dags: list[Path], **options: str) -> Iterator[Deployment]:
    """A standalone over these DAG files; `options` are environment variables, for example GNOMON__CORE__PARALLELISM."""
    home = Path(tempfile.mkdtemp(prefix="gnomon-bench-"))
    (home / "dags").mkdir()
    for path in dags:
        shutil.copy(path, home / "dags" / path.name)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    left_out = ("GNOMON", "AIRFLOW", "PYTHONDONTWRITEBYTECODE")
    environ = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    environ |= {
        "GNOMON_HOME": str(home),
        "GNOMON__API__PORT": str(port),
        "GNOMON__WORKERS__SHUTDOWN_GRACE": "0",
        **options,
    }
    running = Deployment(home, environ)
    running.start()
    try:
        yield running
    finally:
        running.stop()
        atexit.register(shutil.rmtree, home, ignore_errors=True)  # not now: ext4 makes files slowly while others go


@contextlib.contextmanager
def postgres() -> Iterator[dict[str, str] | None]:
    """The option that puts a deployment on a database of its own at `GNOMON_BENCH_POSTGRES`; None when that is not set.

    The variable names any database of the server, for example postgresql:///postgres?host=/var/run/postgresql
    """
    import psycopg

    url = os.environ.get("GNOMON_BENCH_POSTGRES")
    if url is None:
        yield None
        return
    name = f"gnomon_bench_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {name}")
    parts = urlsplit(url)
    try:
        query = f"?{parts.query}" if parts.query else ""
        yield {DATABASE_OPTION: f"{parts.scheme}://{parts.netloc}/{name}{query}"}
    finally:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
