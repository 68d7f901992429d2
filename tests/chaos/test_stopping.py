"""SIGTERM, Ctrl-C, and the death of one service: who ends, who goes on, and what becomes of running tasks."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator

import pytest
from tests.chaos import journal
from tests.chaos.home import Home, home
from tests.chaos.processes import kill, of_home, until

from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
DAGS = (
    journal.HEAD
    + '''
from airflow.sdk import BaseOperator

class Holds(BaseOperator):
    """Its first try waits until it is killed; the next one succeeds at once."""
    def execute(self, context):
        self.ti = context["ti"]
        note("start", self.ti)
        if self.ti.try_number == 1 and not os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
            for _ in range(6000):
                time.sleep(0.1)
                if os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
                    break
        note("end", self.ti)
    def on_kill(self):
        note("killed", self.ti)

class Stubborn(Holds):
    def execute(self, context):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().execute(context)

with DAG("retried", schedule="@once", start_date=BEGIN, is_paused_upon_creation=False):
    Holds(task_id="t", retries=1, retry_delay=dt.timedelta(0))
with DAG("not_retried", schedule="@once", start_date=BEGIN, is_paused_upon_creation=False):
    Holds(task_id="t")
'''
)
STUBBORN = """
with DAG("stubborn", schedule="@once", start_date=BEGIN, is_paused_upon_creation=False):
    Stubborn(task_id="t", retries=1, retry_delay=dt.timedelta(0))
"""


@pytest.fixture
def holding() -> Iterator[Home]:
    """A standalone in which a task of each DAG runs."""
    with home() as here:
        here.dag_file("holding", DAGS)
        here.start()
        until(lambda: len(journal.starts(here)) == 2, "both tasks")
        yield here


def _states(here: Home) -> dict[str, tuple[DagRunState, S | None, int, str | None]]:
    found = {}
    for dag_id, run in here.runs():
        row = here.records([run.run_pk])[0][run.run_pk][0]
        found[dag_id] = (run.state, row.state, row.try_number, row.reason)
    return found


@pytest.mark.parametrize(
    ("number", "group"), [(signal.SIGTERM, False), (signal.SIGINT, True)], ids=["SIGTERM alone", "Ctrl-C to the group"]
)
def test_tasks_are_told_to_end_and_go_on_by_the_rules_after_a_restart(holding: Home, number: int, group: bool) -> None:
    took = holding.stop(number, group=group)
    print(f"gone after {took:.1f} s")
    assert sorted(note.dag_id for note in journal.read(holding) if note.what == "killed") == ["not_retried", "retried"]
    assert not list(holding.folder.glob("run/worker-*"))
    holding.start()
    until(lambda: not holding.unfinished(), "the end of both runs")
    states = _states(holding)
    assert states["retried"][:3] == (DagRunState.SUCCESS, S.SUCCESS, 2)
    assert states["not_retried"][:3] == (DagRunState.FAILED, S.FAILED, 1)
    assert "the worker was stopped" in str(states["not_retried"][3])
    assert journal.audit(holding, retries=1) == []
    holding.stop()


@pytest.mark.soak
def test_a_task_that_ignores_sigterm_does_not_hold_up_the_end() -> None:
    with home() as here:
        here.dag_file("holding", DAGS + STUBBORN)
        here.start()
        until(lambda: len(journal.starts(here)) == 3, "all tasks")
        print(f"gone after {here.stop():.1f} s")


@pytest.mark.soak
@pytest.mark.parametrize("role", ["worker", "scheduler", "dag-processor", "api-server"])
def test_a_frozen_service_does_not_hold_up_the_end(holding: Home, role: str) -> None:
    kill(holding.one(role), signal.SIGSTOP)
    print(f"gone after {holding.stop():.1f} s with a frozen {role}")


def test_a_killed_scheduler_leaves_running_tasks_alone_and_their_results_are_taken(holding: Home) -> None:
    worker, scheduler = holding.one("worker"), holding.one("scheduler")
    children = set(holding.pids("task child"))
    kill(scheduler)
    (holding.folder / "go").touch()
    until(
        lambda: len([note for note in journal.read(holding) if note.what == "end"]) == 2,
        "the ends, without a scheduler",
    )
    began = time.monotonic()
    until(lambda: not holding.unfinished(), "the end of both runs")
    print(f"the results were taken {time.monotonic() - began:.1f} s after the tasks had ended")
    assert holding.events("scheduler_succeeded") and not holding.events("scheduler_fenced"), (
        "it waited for a time to live"
    )
    good = (DagRunState.SUCCESS, S.SUCCESS, 1)
    assert {dag: state[:3] for dag, state in _states(holding).items()} == {"retried": good, "not_retried": good}
    assert holding.pids("worker") == [worker]
    assert holding.one("scheduler") != scheduler
    assert len(children) >= 2
    assert journal.audit(holding, retries=0) == []


def test_a_killed_worker_is_replaced_and_its_tasks_are_retried_at_once(holding: Home) -> None:
    killed = time.time()
    kill(holding.one("worker"))
    until(lambda: not holding.unfinished(), "the end of both runs")
    second = next(note for note in journal.starts(holding, "retried") if note.try_number == 2)
    print(f"the second try began {second.at - killed:.1f} s after the worker was killed")
    assert holding.events("worker_died") and not holding.events("worker_lost"), "it waited for a time to live"
    states = _states(holding)
    assert states["retried"][:3] == (DagRunState.SUCCESS, S.SUCCESS, 2)
    assert states["not_retried"][:3] == (DagRunState.FAILED, S.FAILED, 1)
    assert str(states["not_retried"][3]).startswith("lost: ")
    assert journal.audit(holding, retries=1) == []


def test_a_worker_that_is_told_to_end_is_given_nothing_new(holding: Home) -> None:
    """Its tasks are lost and retried at once, while it still waits for the others: the next try must go elsewhere."""
    told = time.time()
    kill(holding.one("worker"), signal.SIGTERM)
    until(lambda: not holding.unfinished(), "the end of both runs")
    states = _states(holding)
    assert states["retried"][:3] == (DagRunState.SUCCESS, S.SUCCESS, 2)
    assert states["not_retried"][1:] == (S.FAILED, 1, "the worker was stopped (SIGTERM)")
    attempts = holding.records([run.run_pk for _, run in holding.runs("retried")])[1]
    assert len({attempt.worker for attempt in attempts}) == 2, "the worker that was told to end was given the next try"
    print(f"the second try began {journal.starts(holding, 'retried')[1].at - told:.1f} s after the worker was told")
    assert journal.audit(holding, retries=1) == []


def test_a_worker_whose_supervisor_is_killed_does_not_drain() -> None:
    with home(options={"GNOMON__WORKERS__SHUTDOWN_GRACE": "6000"}) as here:
        here.dag_file("holding", DAGS)
        here.start()
        until(lambda: len(journal.starts(here)) == 2, "both tasks")
        assert here.process is not None
        here.process.kill()
        here.bury()
        until(lambda: not of_home(here.folder), "the end of every service")


def test_a_killed_supervisor_takes_everything_with_it(holding: Home) -> None:
    before = set(of_home(holding.folder))
    assert holding.process is not None
    holding.process.kill()
    holding.bury()
    began = time.monotonic()
    until(lambda: not of_home(holding.folder), "the end of every service")
    print(f"{len(before)} processes were gone {time.monotonic() - began:.1f} s after the supervisor was killed")
    holding.start()
    until(lambda: not holding.unfinished(), "the end of both runs")
    assert journal.audit(holding, retries=1) == []
