"""Every process stands still for longer than the time to live of a worker, as on a machine that sleeps: running tasks go on afterwards."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator

import pytest
from tests.chaos import journal
from tests.chaos.home import Home, home
from tests.chaos.processes import kill, of_home, until
from tests.databases import BOTH
from tests.postgres import own_schema

from gnomon.model.executors import WORKER_TTL_S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FROZEN_S = WORKER_TTL_S + 6.0
DAGS = (
    journal.HEAD
    + """
with DAG("holds", schedule="@once", start_date=BEGIN, is_paused_upon_creation=False):
    @task
    def hold(n, ti=None):
        note("start", ti)
        while not os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
            time.sleep(0.1)
        note("end", ti)
    hold.expand(n=[1, 2, 3])
"""
)


@pytest.fixture(params=BOTH)
def holding(request: pytest.FixtureRequest) -> Iterator[Home]:
    """A standalone in which three tasks run, and which has been healthy for longer than the time to live of a worker."""
    if request.param == "sqlite":
        with home() as here:
            yield from _hold(here)
    else:
        with own_schema() as url, home(url) as here:
            yield from _hold(here)


def _hold(here: Home) -> Iterator[Home]:
    here.dag_file("holds", DAGS)
    here.start()
    until(lambda: len(journal.starts(here)) == 3, "the tasks run")
    time.sleep(WORKER_TTL_S + 2.0)
    yield here


@pytest.mark.soak
@pytest.mark.parametrize("first", ["scheduler", "any"])
def test_tasks_of_a_machine_that_slept_are_not_lost(holding: Home, first: str) -> None:
    """The scheduler may be the first process that goes on: it sees a worker without heartbeats for longer than its time to live."""
    pids = sorted(of_home(holding.folder))
    for pid in pids:
        kill(pid, signal.SIGSTOP)
    time.sleep(FROZEN_S)
    if first == "scheduler":
        kill(holding.one("scheduler"), signal.SIGCONT)
        time.sleep(2.0)
    for pid in pids:
        kill(pid, signal.SIGCONT)
    time.sleep(3.0)
    (holding.folder / "go").touch()
    until(lambda: not holding.unfinished("holds"), "the end of the run")
    assert journal.audit(holding, retries=0) == []
    attempts = holding.records([run.run_pk for _, run in holding.runs()])[1]
    assert [attempt.state for attempt in attempts] == ["success"] * 3, [attempt.reason for attempt in attempts]
    assert not holding.events("worker_lost")
    holding.stop()
