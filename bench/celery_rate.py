"""Tasks through Celery beside tasks of a local worker: the gap in a chain, isolated tasks a second, and the processor time of a task in each service.

    python -m bench.run celery

Each broker that answers is measured: GNOMON_BENCH_REDIS and GNOMON_BENCH_RABBITMQ, by default those of this machine. The database is PostgreSQL when
GNOMON_BENCH_POSTGRES is set, else SQLite. The local rate is measured before and after each broker in the same run, on the same database.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from bench.deployment import GNOMON, Deployment, deployment, postgres
from bench.figures import hops, median, quantile, rate, show
from bench.processes import cpu_s, family

DAGS = Path(__file__).parent / "dags"
FILES = [DAGS / "chain" / "chain_30.py", DAGS / "wide" / "wide_python_500.py"]
TASKS = 500
SLOTS = 8
REPEATS = 3
UP_S = 60.0
BROKERS = {
    "Redis": os.environ.get("GNOMON_BENCH_REDIS", "redis://127.0.0.1:6379/8"),
    "RabbitMQ": os.environ.get("GNOMON_BENCH_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//"),
}
MESSAGES_AHEAD = 8
"""Attempts beyond the slots of the worker whose messages wait at the broker, as where [core] parallelism is larger than the slots of one worker: a slot that
becomes free needs no round trip to the scheduler. A local worker has no such queue."""
OPTIONS = {
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "64",
    "GNOMON__CORE__PARALLELISM": str(SLOTS),
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
}
Costs = dict[str, float]


def celery() -> None:
    for name, url in BROKERS.items():
        reason = find_fault(url)
        if reason:
            show(f"Celery, {name}", f"left out: {reason}")
        else:
            _measure(name, url)


def _measure(name: str, broker_url: str) -> None:
    before = _measure_local()
    with postgres() as database, through_celery(broker_url, database or {}) as running:
        database_name = "SQLite" if database is None else "PostgreSQL"
        running.run_to_end("wide_python_500", "warm")
        gaps = [gap for number in range(REPEATS) for gap in hops(running.run_to_end("chain_30", f"r{number}"))]
        show(
            f"chain_30 through {name}, {database_name}: end to next start",
            f"p50 {median(gaps) * 1000:.1f} ms, p95 {quantile(gaps, 0.95) * 1000:.1f} ms",
            "p50 < 40 ms",
            "local 6 ms",
        )
        spent = read_costs(running, broker_url, (database or {}).get("GNOMON__DATABASE__SQL_ALCHEMY_CONN"))
        rates = [rate(running.run_to_end("wide_python_500", f"r{number}")) for number in range(REPEATS)]
        costs = {
            part: (after - spent.get(part, 0.0)) * 1000 / (REPEATS * TASKS)
            for part, after in read_costs(
                running, broker_url, (database or {}).get("GNOMON__DATABASE__SQL_ALCHEMY_CONN")
            ).items()
        }
    after = _measure_local()
    local, local_cost = (before[0] + after[0]) / 2, (before[1] + after[1]) / 2
    show(
        f"500 Python tasks through {name}, isolated",
        f"{max(rates):.0f}/s, {max(rates) / local:.2f} of local ({local:.0f}/s)",
        "0.8 of local",
    )
    total = sum(costs.values())
    show(
        f"processor time of one of these through {name}",
        f"{total:.2f} ms; local {local_cost:.2f} ms, {local_cost / total:.2f} of it",
        "0.8 of it",
    )
    show("of which", ", ".join(f"{part} {cost:.2f} ms" for part, cost in costs.items()))


def _measure_local() -> tuple[float, float]:
    """Isolated tasks a second of a local worker on the same database, and the processor time of one in all processes of the standalone, in milliseconds.

    On PostgreSQL without that of the server.
    """
    with postgres() as database, deployment(FILES, **OPTIONS, **(database or {})) as running:
        running.wait_for_dag("wide_python_500")
        running.run_to_end("wide_python_500", "warm")
        spent = running.cpu_s()
        rates = [rate(running.run_to_end("wide_python_500", f"r{number}")) for number in range(REPEATS)]
        return max(rates), (running.cpu_s() - spent) * 1000 / (REPEATS * TASKS)


class CeleryDeployment:
    """A standalone with the CeleryExecutor, and one worker."""

    def __init__(self, running: Deployment, worker: subprocess.Popen[bytes]) -> None:
        self.running, self.worker = running, worker

    def run_to_end(self, dag_id: str, run_id: str) -> list[dict[str, object]]:
        return self.running.run_to_end(dag_id, run_id)

    def service_pids(self, role: str) -> list[int]:
        """The processes of the standalone with that title."""
        found = []
        for pid in self.running.processes():
            with suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(f"gnomon: {role}".encode()):
                    found.append(pid)
        return found


@contextmanager
def through_celery(broker_url: str, options: Mapping[str, str]) -> Iterator[CeleryDeployment]:
    """A standalone without a worker, and a Celery worker in a home of its own, on a queue of its own."""
    queue = f"gnomon-bench-{uuid.uuid4().hex[:12]}"
    ahead = {"GNOMON__CORE__PARALLELISM": str(SLOTS + MESSAGES_AHEAD)}
    with deployment(
        FILES,
        **OPTIONS | ahead,
        **options,
        GNOMON__CORE__EXECUTOR="CeleryExecutor",
        GNOMON__CELERY__BROKER_URL=broker_url,
        GNOMON__OPERATORS__DEFAULT_QUEUE=queue,
    ) as running:
        running.wait_for_dag("wide_python_500")
        home = Path(tempfile.mkdtemp(prefix="gnomon-bench-worker-"))
        environ = {key: value for key, value in running.environ.items() if "DATABASE" not in key} | {
            "GNOMON_HOME": str(home),
            "GNOMON__CORE__DAGS_FOLDER": str(running.home / "dags"),
            "GNOMON__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{running.environ['GNOMON__API__PORT']}/execution",
        }
        with (home / "worker.log").open("ab") as log:
            worker = subprocess.Popen(
                [*GNOMON, "celery", "worker", "-q", queue, "-c", str(SLOTS)], env=environ, stdout=log, stderr=log
            )
        try:
            yield CeleryDeployment(running, worker)
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(UP_S)
            shutil.rmtree(home, ignore_errors=True)
            delete_queue(broker_url, queue)


def read_costs(running: CeleryDeployment, broker_url: str, database_url: str | None) -> Costs:
    """Processor seconds so far by part."""
    parts: dict[str, Callable[[], float]] = {
        "scheduler": lambda: cpu_s(running.service_pids("scheduler")),
        "api-server": lambda: cpu_s(running.service_pids("api-server")),
        "worker": lambda: cpu_s(family(running.worker.pid)),
        "broker": lambda: read_broker_cpu(broker_url),
    }
    if database_url is not None:
        parts["PostgreSQL"] = lambda: read_sessions_cpu(database_url)
    return {part: read() for part, read in parts.items()}


def read_broker_cpu(url: str) -> float:
    """Of the whole server, whoever else uses it. RabbitMQ: the process of this machine."""
    if url.startswith("redis"):
        import redis

        with redis.Redis.from_url(url) as client:
            found = client.info("cpu")
        return float(found["used_cpu_user"]) + float(found["used_cpu_sys"])
    return cpu_s(pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _read_name(pid) == "beam.smp")


def _read_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def read_sessions_cpu(url: str) -> float:
    """Of the sessions of this database on this machine; the server's own processes (WAL, checkpoints) are not counted."""
    import psycopg

    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    return cpu_s(pid for (pid,) in rows)


def find_fault(url: str) -> str:
    """Why this broker cannot be used; empty when it answers."""
    try:
        from kombu import Connection
    except ImportError:
        return "the package celery is not installed"
    try:
        with Connection(url, connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except Exception as error:  # each transport has exceptions of its own
        return f"no broker answers at {urlsplit(url).hostname}: {type(error).__name__}"
    return ""


def delete_queue(url: str, name: str) -> None:
    from kombu import Connection

    deadline = time.monotonic() + UP_S
    while time.monotonic() < deadline:
        with suppress(Exception), Connection(url) as connection:  # each transport has exceptions of its own
            connection.default_channel.queue_delete(name)
            return
        time.sleep(0.5)
