"""A worker of the LocalExecutor stands still until its attempts were given up, and goes on: what they did meanwhile is not reported."""

from __future__ import annotations

import signal
import sys
import time

import pytest
from tests.chaos import journal
from tests.chaos.home import Home, home
from tests.chaos.processes import kill, until
from tests.databases import BOTH
from tests.postgres import own_schema

from gnomon.model.executors import WORKER_TTL_S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
DAGS = (
    journal.HEAD
    + """
with DAG("holds", schedule="@once", start_date=BEGIN, is_paused_upon_creation=False):
    @task(retries=1, retry_delay=dt.timedelta(0))
    def hold(ti=None):
        note("start", ti)
        while not os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
            time.sleep(0.1)
        note("end", ti)
        return ti.try_number
    hold()
"""
)


@pytest.mark.soak
@pytest.mark.parametrize("database", BOTH)
def test_a_worker_that_goes_on_after_its_attempts_were_given_up_does_not_report_them(database: str) -> None:
    if database == "sqlite":
        with home() as here:
            _freeze(here)
    else:
        with own_schema() as url, home(url) as here:
            _freeze(here)


def _freeze(here: Home) -> None:
    here.dag_file("holds", DAGS)
    here.start()
    until(lambda: len(journal.starts(here)) == 1, "the task runs")
    time.sleep(WORKER_TTL_S + 2.0)  # a scheduler that has just begun declares no worker lost
    worker = here.one("worker")
    kill(worker, signal.SIGSTOP)
    until(lambda: here.events("worker_lost"), "the worker is declared lost")
    [run] = [run for _, run in here.runs()]
    until(lambda: here.records([run.run_pk])[1], "the attempt is given up")
    (here.folder / "go").touch()
    until(
        lambda: [note.what for note in journal.read(here)] == ["start", "end"],
        "the process of the attempt, which does not stand still, has ended its work",
    )
    kill(worker, signal.SIGCONT)
    until(lambda: not here.unfinished("holds"), "the end of the run")
    tasks, attempts = here.records([run.run_pk])
    assert [(attempt.try_number, attempt.state) for attempt in attempts] == [(1, "lost"), (2, "success")]
    assert [(note.what, note.try_number) for note in journal.read(here)] == [
        ("start", 1),
        ("end", 1),
        ("start", 2),
        ("end", 2),
    ]
    assert [(str(row.state), row.try_number) for row in tasks[run.run_pk]] == [("success", 2)]
    assert here.cli("xcom", "get", "holds", run.run_id, "hold").stdout.strip() == "2"
    assert here.events("incarnation_given_up"), "the worker knows that it was declared lost"
    here.stop()
