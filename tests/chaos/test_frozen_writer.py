"""A process frozen inside a write transaction of a running installation: everybody else writes again within 5 s."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from tests.chaos import journal
from tests.chaos.home import BUSY, Home, home
from tests.chaos.processes import until
from tests.postgres import own_schema

from gnomon.storage.store.admin import pools

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
WRITES_AGAIN_S = 5.0
"""Issue 2, point 5; four of them are the time to live of the write lock."""
FROZEN = """
import os, signal, sys
from gnomon.storage.store import open_database
db = open_database(sys.argv[1])
with db.write() as tx:
    tx.run("commit.pool_slots", name="default_pool", n=1)
    for table in ("scheduler", "worker"):
        tx._connection.execute_raw(f"UPDATE {table} SET beat_at = beat_at")
    print("inside", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""
"""Holds what every other writer needs: the pool that tasks take slots of, and the beats."""
DAGS = (
    journal.HEAD
    + """
with DAG("steady", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=2, is_paused_upon_creation=False):
    @task
    def one(ti=None): work(ti, 0.2)
    one()
"""
)


@pytest.fixture(params=["sqlite", "postgresql"])
def busy(request: pytest.FixtureRequest) -> Iterator[Home]:
    if request.param == "sqlite":
        with home() as here:
            yield from _busy(here)
    else:
        with own_schema() as url, home(url) as here:
            yield from _busy(here)


def _busy(here: Home) -> Iterator[Home]:
    here.dag_file("steady", DAGS)
    here.start()
    until(lambda: len(journal.starts(here)) >= 3, "tasks that run")
    yield here


def test_everybody_writes_again_within_five_seconds(busy: Home, caplog: pytest.LogCaptureFixture) -> None:
    frozen = subprocess.Popen([sys.executable, "-c", FROZEN, busy.url], stdout=subprocess.PIPE)
    assert frozen.stdout is not None
    try:
        assert frozen.stdout.readline() == b"inside\n"
        os.waitid(os.P_PID, frozen.pid, os.WSTOPPED | os.WNOWAIT)
        began, since = time.monotonic(), time.time()
        with busy.store() as database, database.write() as tx:
            pools.set_pool(tx, "another", 1)
        another_s = time.monotonic() - began
        until(lambda: any(note.at > since + 0.5 for note in journal.starts(busy)), "a task that starts afterwards")
        tasks_s = next(note.at for note in journal.starts(busy) if note.at > since + 0.5) - since
        print(f"another process wrote after {another_s:.1f} s, the next task began after {tasks_s:.1f} s")
        assert another_s < BUSY * WRITES_AGAIN_S
        assert tasks_s < BUSY * (WRITES_AGAIN_S + 2)
    finally:
        frozen.kill()
        frozen.wait()
        frozen.stdout.close()
    if busy.url.startswith("sqlite"):
        assert frozen.returncode == -signal.SIGKILL
        killed_here = any("writer_killed" in record.getMessage() for record in caplog.records)
        assert busy.events("writer_killed") or killed_here, "any of those that wait may be the one that kills it"
    busy.finish("steady", DAGS)
    assert journal.audit(busy, retries=0) == []
    with busy.store() as database, database.read() as tx:
        assert pools.find_pool(tx, "default_pool").used == 0, "what the frozen process wrote is gone"  # type: ignore[union-attr]
    assert "Traceback" not in busy.said(), busy.said()
