"""What people do to a deferred task, and what its trigger hears of it: written by the trigger to a file outside the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from tests.acceptance.deferring import HEAD, PLUGIN
from tests.acceptance.product import Product, product

DAG_FILE = (
    HEAD
    + """
class Waits(BaseOperator):
    def __init__(self, *, trigger, **kwargs):
        super().__init__(**kwargs)
        self.trigger = trigger

    def execute(self, context):
        self.defer(trigger=self.trigger, method_name="woke")

    def woke(self, context, event=None):
        print("OLD METHOD")

with DAG("NAME", **OPEN):
    Waits(task_id="plugin", trigger=Nap(seconds=SECONDS, notes="NOTES"))
    Waits(task_id="timer", trigger=TimeDeltaTrigger(timedelta(seconds=SECONDS)))
"""
)
ENDED = (
    HEAD
    + """
class Waits(BaseOperator):
    def __init__(self, *, wait_at_most=None, **kwargs):
        super().__init__(**kwargs)
        self.wait_at_most = wait_at_most

    def execute(self, context):
        ti = context["ti"]
        notes = f"{os.environ['GNOMON_HOME']}/{ti.dag_id}.{ti.task_id}.{ti.try_number}.notes"
        self.defer(trigger=Nap(seconds=600, notes=notes), method_name="woke", timeout=self.wait_at_most)

    def woke(self, context, event=None):
        pass

import os

with DAG("timed_out", **OPEN):
    often = {"retries": 50, "retry_delay": 0}  # until a triggerer was quick enough to run its trigger first
    Waits(task_id="wait", wait_at_most=1.5, **often)
    Waits(task_id="try", execution_timeout=timedelta(seconds=1.5), **often)
    Waits(task_id="told", wait_at_most=1.5, on_retry_callback=lambda context: None, **often)

with DAG("killed", **OPEN):
    Waits(task_id="wait")
"""
)
TASKS = ("plugin", "timer")
KILLED = ["run", "on_kill", "cleanup"]
PARSED = '"event": "dag_file_parsed"'
WAITS_S = (5, 20, 80)
"""What both wait for: the first of them that is long enough to do something meanwhile, on a machine that may be busy."""


class People:
    """One product, and the notes of each DAG's trigger."""

    def __init__(self, here: Product) -> None:
        self.here = here

    def write(self, name: str, seconds: float) -> str:
        """The file of that DAG as it is written down."""
        text = (
            DAG_FILE.replace("NAME", name)
            .replace("NOTES", str(self.here.home / f"{name}.notes"))
            .replace("SECONDS", str(seconds))
        )
        self.here.write(f"{name}.py", text)
        return text

    def notes(self, name: str) -> list[str]:
        """What its trigger was told, in order."""
        path = self.here.home / f"{name}.notes"
        return path.read_text().split() if path.exists() else []

    def waiting(self, name: str, seconds: float = 600) -> str:
        """A run of that DAG in which both tasks wait and the trigger runs."""
        self.write(name, seconds)
        self.here.has_dag(name)
        run_id = self.here.do("dags", "trigger", name).strip()
        self.here.until(
            lambda: self.states(name, run_id) == ["deferred"] * 2 and self.notes(name) == ["run"],
            f"both tasks of {name} wait",
        )
        return run_id

    def reached(self, name: str, act: Callable[[str], object]) -> tuple[str, str, int]:
        """A DAG on which `act_randomly` was done while both tasks of a run waited, the run, and what they wait for, in seconds."""
        for seconds in WAITS_S:
            dag_id = f"{name}_{seconds}"
            self.write(dag_id, seconds)
            self.here.has_dag(dag_id)
            ends_at = time.monotonic() + seconds
            run_id = self.here.do("dags", "trigger", dag_id).strip()
            while time.monotonic() < ends_at and not (
                self.states(dag_id, run_id) == ["deferred"] * 2 and self.notes(dag_id)
            ):
                pass
            act(dag_id)
            if time.monotonic() < ends_at - 1:
                return dag_id, run_id, seconds
        raise AssertionError(f"it took longer than {WAITS_S[-1]} s")

    def change(self, name: str) -> None:
        """The DAG's file has another method, and the store knows it."""
        text = (self.here.dags / f"{name}.py").read_text()
        self.here.write(f"{name}.py", text.replace("OLD METHOD", "NEW METHOD"))
        self.here.until(
            lambda: (
                len([line for line in self.here.log().splitlines() if PARSED in line and f"/{name}.py" in line]) >= 2
            ),
            "it is parsed",
        )

    def states(self, name: str, run_id: str) -> list[str]:
        """Of the two tasks."""
        found = self.here.tasks(name, run_id)
        return [found[task]["state"] for task in TASKS]

    def heard(self, name: str, *words: str) -> None:
        """The trigger hears exactly this, after its `run`."""
        self.here.until(
            lambda: self.notes(name)[1:] == list(words), f"the trigger of {name} hears {words}, not {self.notes(name)}"
        )


@pytest.fixture(scope="module")
def people() -> Iterator[People]:
    with product({"../plugins/naps.py": PLUGIN}) as here:
        yield People(here)


def test_a_cleared_task_waits_anew_and_its_trigger_is_killed(people: People) -> None:
    run_id = people.waiting("clear")
    people.here.do("tasks", "clear", "clear", run_id, *TASKS)
    people.here.until(
        lambda: sorted(people.notes("clear")) == ["cleanup", "on_kill", "run", "run"], "the trigger begins anew"
    )
    assert people.notes("clear").index("on_kill") < people.notes("clear").index("cleanup")
    people.here.until(lambda: people.states("clear", run_id) == ["deferred"] * 2, "both wait again")


@pytest.mark.parametrize("state", ["success", "failed"])
def test_a_marked_task_has_that_state_and_its_trigger_is_killed(people: People, state: str) -> None:
    run_id = people.waiting(state)
    people.here.do("tasks", "mark", state, run_id, *TASKS, "--state", state)
    people.heard(state, "on_kill", "cleanup")
    assert people.states(state, run_id) == [state] * 2
    assert people.here.ended(state, run_id)["state"] == state


def test_the_trigger_of_a_paused_dag_rests_and_begins_anew_and_an_overdue_timer_fires_on_unpausing(
    people: People,
) -> None:
    name, run_id, seconds = people.reached("paused", lambda dag_id: people.here.do("dags", "pause", dag_id))
    overdue_at = time.monotonic() + seconds
    people.heard(name, "cleanup")
    people.here.until(lambda: time.monotonic() > overdue_at, "the timer is overdue")
    assert people.states(name, run_id) == ["deferred"] * 2
    people.here.do("dags", "unpause", name)
    assert people.here.ended(name, run_id)["state"] == "success"
    people.heard(name, "cleanup", "run", "cleanup")


def test_the_trigger_of_a_deleted_dag_is_killed(people: People) -> None:
    people.waiting("delete")
    (people.here.dags / "delete.py").unlink()
    people.here.do("dags", "delete", "delete", "--yes")
    told = (
        ["run", "on_kill", "cleanup"],
        ["run", "cleanup", "on_kill", "cleanup"],
    )  # or it rested already, as its file was gone
    people.here.until(lambda: people.notes("delete") in told, "the trigger is killed")


@pytest.fixture(scope="module")
def ended(people: People) -> Product:
    people.here.write("ended.py", ENDED)
    people.here.has_dag("timed_out")
    return people.here


def _heard(here: Product, task: str) -> list[list[str]]:
    """What the trigger of each try was told, in order."""
    return [path.read_text().split() for path in sorted(here.home.glob(f"{task}.*.notes"))]


def test_the_trigger_of_a_wait_that_took_too_long_is_killed(ended: Product) -> None:
    run_id = ended.do("dags", "trigger", "timed_out").strip()
    for task in ("wait", "try", "told"):
        ended.until(
            lambda task=task: KILLED in _heard(ended, f"timed_out.{task}"), f"{task} hears on_kill, then cleanup"
        )
    ended.do("runs", "mark", "timed_out", run_id, "--state", "failed")
    ended.until(
        lambda: all(one[-2:] == KILLED[1:] for one in _heard(ended, "timed_out.*")), "every trigger was told the same"
    )


def test_the_trigger_of_a_run_that_is_ended_is_killed(ended: Product) -> None:
    run_id = ended.do("dags", "trigger", "killed").strip()
    ended.until(lambda: _heard(ended, "killed.wait") == [["run"]], "its trigger runs")
    ended.do("runs", "mark", "killed", run_id, "--state", "failed")
    ended.until(lambda: _heard(ended, "killed.wait") == [KILLED], "it hears on_kill, then cleanup")


def test_a_changed_file_leaves_the_wait_as_it_was_and_the_task_goes_on_in_the_new_file(people: People) -> None:
    name, run_id, _ = people.reached("change", people.change)
    assert people.here.ended(name, run_id)["state"] == "success"
    people.heard(name, "cleanup")
    for task_id in TASKS:
        assert "NEW METHOD" in people.here.task_log(name, run_id, task_id)
