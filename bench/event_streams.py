"""Open event streams of one api-server: memory and lag. `python -m bench.event_streams [--streams 2000] [postgresql:///test]`

Forty streams watch each of fifty DAGs, as pages do. A writer commits a new run of one DAG every 50 ms; the lag is the time from the end of
its commit until a client has the event. The clients are in this process, so the lag contains their own work.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import quantile, show
from bench.processes import memory_kb
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import run_folder
from gnomon.ground.config.loader import load_config
from gnomon.ground.wakeups import change_notifier
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec
from gnomon.storage.store import Database, Transaction, migrations, open_database
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.parsed_files import dag_files

DAGS = 50
COMMITS = 200
PAUSE_S = 0.05
SETTLE_S = 2.0
_DAG, _OWN_DAG = "/api/v2/dags/d0", "/api/gnomon/v1/dags/d0"
_RUN, _OWN_RUN = f"{_DAG}/dagRuns/first", f"{_OWN_DAG}/dagRuns/first"
PAGES = (
    "/health",
    "/openapi.json",
    "/api/v2/version",
    "/api/v2/dags?limit=50&order_by=-last_run_start_date",
    "/api/v2/dagTags",
    "/api/v2/dagStats",
    "/api/v2/importErrors",
    "/api/v2/dagWarnings",
    "/api/v2/dags/~/dagRuns?limit=50&order_by=-run_after",
    "/api/v2/dags/~/dagRuns/~/taskInstances?limit=50",
    "/api/v2/assets",
    "/api/v2/pools",
    "/api/v2/variables",
    "/api/v2/connections",
    "/api/v2/eventLogs",
    "/api/v2/jobs",
    "/api/v2/plugins",
    "/api/v2/monitor/health",
    _DAG,
    f"{_DAG}/details",
    f"{_DAG}/tasks",
    f"{_DAG}/dagVersions",
    f"{_DAG}/dagRuns",
    _RUN,
    f"{_RUN}/taskInstances",
    f"{_RUN}/taskInstances/t",
    "/api/gnomon/v1/work",
    "/api/gnomon/v1/services",
    "/api/gnomon/v1/failures",
    "/api/gnomon/v1/timeline",
    "/api/gnomon/v1/pools/use",
    "/api/gnomon/v1/limits",
    "/api/gnomon/v1/dependencies/graph",
    f"{_OWN_DAG}/grid",
    f"{_OWN_DAG}/structure",
    f"{_OWN_DAG}/explain",
    f"{_OWN_DAG}/nextRuns",
    f"{_OWN_DAG}/settings",
    f"{_OWN_RUN}/timeline",
    f"{_OWN_RUN}/tasks",
    f"{_OWN_RUN}/explain",
)
"""What is read before the streams begin, so that what the server keeps of them is counted."""
ALL_AT_ONCE = 100
"""Connections that are opened at the same time."""


def main() -> None:
    """Print the memory of the api-server with and without streams, and the lag."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("postgresql", nargs="?", help="an empty database of PostgreSQL; without it a SQLite file")
    parser.add_argument("--streams", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gnomon-streams-") as folder:
        environ = {"GNOMON_HOME": folder, "GNOMON__API__AUTH": "none"}
        if options.postgresql:
            environ["GNOMON__DATABASE__SQL_ALCHEMY_CONN"] = options.postgresql
        cfg = load_config(environ, Path(folder))
        migrations.upgrade_schema(cfg.database_url)
        db = open_database(cfg.database_url, announce_changes=change_notifier(run_folder(cfg.home)).notify)
        create_dags(db)
        port = find_port()
        server = subprocess.Popen(
            [sys.executable, "-m", "gnomon", "api-server", "--port", str(port)], env={**os.environ, **environ}
        )
        try:
            asyncio.run(measure(db, server.pid, port, options.streams))
        finally:
            server.terminate()
            began = time.perf_counter()
            server.wait(30)
            show("end of the api-server", f"{time.perf_counter() - began:.2f} s", "", "")
            db.close()


def create_dags(db: Database) -> None:
    """DAGs with one task."""
    dags = [
        ParsedDag(
            spec=DagSpec(
                dag_id=f"d{n}",
                timetable=TimetableRef(builtin=True, path="simple.NullTimetable", data={}, summary="none"),
                tasks=(TaskSpec(task_id="t"),),
            ),
            spec_hash=str(n),
        )
        for n in range(DAGS)
    ]
    with db.write() as tx:
        dag_files.record_parsed(
            tx,
            ParsedFile(path="/d.py", inputs=FileInputs(input_hash="h"), dags=tuple(dags)),
            at=SystemClock().now(),
            paused_by_default=True,
        )
        create_run(tx, "d0", "first")


def create_run(tx: Transaction, dag_id: str, run_id: str) -> None:
    """A run that somebody asked for."""
    now = SystemClock().now()
    dag_runs.create_manual_run(
        tx, dag_id=dag_id, run_id=run_id, logical_at=None, run_after=now, interval=None, conf={}, by="bench", at=now
    )


def find_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def measure(db: Database, pid: int, port: int, streams: int) -> None:
    """Open the streams, write, and print."""
    await wait_until_up(port)
    await read_pages(port)
    before = memory_kb([pid]) / 1024
    committed: dict[str, float] = {}
    lags: list[float] = []
    readers = []
    opened = 0
    for start in range(0, streams, ALL_AT_ONCE):
        readers += await asyncio.gather(
            *(open_stream(port, f"d{n % DAGS}") for n in range(start, min(start + ALL_AT_ONCE, streams)))
        )
        opened = len(readers)
    tasks = [asyncio.create_task(follow(reader, committed, lags)) for reader, _ in readers]
    await asyncio.sleep(SETTLE_S)
    idle = memory_kb([pid]) / 1024
    await asyncio.to_thread(write, db, committed)
    await asyncio.sleep(SETTLE_S)
    busy = memory_kb([pid]) / 1024
    show("PSS of the api-server without a stream", f"{before:.1f} MB", "", "")
    show(f"PSS with {opened} streams", f"{idle:.1f} MB; {busy:.1f} MB after {COMMITS} commits", "< 100 MB", "")
    show("memory of a stream", f"{1024 * (busy - before) / opened:.1f} KB", "", "")
    expected = COMMITS * (opened // DAGS)
    show("events", f"{len(lags)} received of {expected}", f"{expected}", "")
    show(
        "lag from commit to client",
        f"p50 {1000 * quantile(lags, 0.5):.1f} ms, p95 {1000 * quantile(lags, 0.95):.1f} ms",
        "",
        "",
    )
    for task in tasks:
        task.cancel()
    for _, writer in readers:
        writer.close()


def write(db: Database, committed: dict[str, float]) -> None:
    """Commit runs."""
    for n in range(COMMITS):
        with db.write() as tx:
            create_run(tx, f"d{n % DAGS}", f"r{n}")
        committed[f"r{n}"] = time.perf_counter()
        time.sleep(PAUSE_S)


async def wait_until_up(port: int) -> None:
    """The server answers."""
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            await asyncio.sleep(PAUSE_S)
    raise TimeoutError("the api-server does not answer")


async def read_pages(port: int) -> None:
    """The requests of a user who looks at the pages of the product: the server prepares an operation at its first request."""
    for path in PAGES:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        status = int((await reader.readline()).split()[1])
        if status != 200:
            raise ValueError(f"{path} was answered with {status}")
        await reader.read()
        writer.close()


async def open_stream(port: int, dag_id: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A stream that is ready."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/gnomon/v1/events?dag_id={dag_id} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await reader.readuntil(b"event: ready\ndata: {}\n\n")
    return reader, writer


async def follow(reader: asyncio.StreamReader, committed: dict[str, float], lags: list[float]) -> None:
    """Note the lag of each event."""
    while line := await reader.readline():
        if line.startswith(b"data: "):
            now = time.perf_counter()
            run_id = json.loads(line[6:])["run_id"]
            lags.append(now - committed.get(run_id, now))


if __name__ == "__main__":
    main()
