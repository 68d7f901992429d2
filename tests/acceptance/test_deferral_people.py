"""What people do to a deferred task, and what its trigger hears of it: written by the trigger to a file outside the store."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from tests.acceptance.deferring import HEAD, PLUGIN
from tests.acceptance.product import Product, product

DAG_FILE = HEAD + '''
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
'''
TASKS = ("plugin", "timer")
PAUSED_S = 4
"""What both wait for; long enough to pause the DAG meanwhile."""


class People:
    """One product, and the notes of each DAG's trigger."""

    def __init__(self, here: Product) -> None:
        self.here = here

    def write(self, name: str, seconds: float) -> str:
        """The file of that DAG as it is written down."""
        text = DAG_FILE.replace("NAME", name).replace("NOTES", str(self.here.home / f"{name}.notes")).replace("SECONDS", str(seconds))
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
        self.here.until(lambda: self.states(name, run_id) == ["deferred"] * 2 and self.notes(name) == ["run"], f"both tasks of {name} wait")
        return run_id

    def states(self, name: str, run_id: str) -> list[str]:
        """Of the two tasks."""
        found = self.here.tasks(name, run_id)
        return [found[task]["state"] for task in TASKS]

    def heard(self, name: str, *words: str) -> None:
        """The trigger hears exactly this, after its `run`."""
        self.here.until(lambda: self.notes(name)[1:] == list(words), f"the trigger of {name} hears {words}, not {self.notes(name)}", 15)


@pytest.fixture(scope="module")
def people() -> Iterator[People]:
    with product({"../plugins/naps.py": PLUGIN}) as here:
        yield People(here)


def test_a_cleared_task_waits_anew_and_its_trigger_is_killed(people: People) -> None:
    run_id = people.waiting("clear")
    people.here.do("tasks", "clear", "clear", run_id, *TASKS)
    people.here.until(lambda: sorted(people.notes("clear")) == ["cleanup", "on_kill", "run", "run"], "the trigger begins anew", 20)
    assert people.notes("clear").index("on_kill") < people.notes("clear").index("cleanup")
    people.here.until(lambda: people.states("clear", run_id) == ["deferred"] * 2, "both wait again")


@pytest.mark.parametrize("state", ["success", "failed"])
def test_a_marked_task_has_that_state_and_its_trigger_is_killed(people: People, state: str) -> None:
    run_id = people.waiting(state)
    people.here.do("tasks", "mark", state, run_id, *TASKS, "--state", state)
    people.heard(state, "on_kill", "cleanup")
    assert people.states(state, run_id) == [state] * 2
    assert people.here.ended(state, run_id)["state"] == state


def test_the_trigger_of_a_paused_dag_rests_and_begins_anew_and_an_overdue_timer_fires_on_unpausing(people: People) -> None:
    run_id = people.waiting("pause", PAUSED_S)
    people.here.do("dags", "pause", "pause")
    overdue_at = time.monotonic() + PAUSED_S
    people.heard("pause", "cleanup")
    people.here.until(lambda: time.monotonic() > overdue_at, "the timer is overdue")
    assert people.states("pause", run_id) == ["deferred"] * 2
    people.here.do("dags", "unpause", "pause")
    assert people.here.ended("pause", run_id)["state"] == "success"
    people.heard("pause", "cleanup", "run", "cleanup")


def test_the_trigger_of_a_deleted_dag_is_killed(people: People) -> None:
    people.waiting("delete")
    (people.here.dags / "delete.py").unlink()
    people.here.do("dags", "delete", "delete", "--yes")
    people.heard("delete", "on_kill", "cleanup")


def test_a_changed_file_leaves_the_wait_as_it_was_and_the_task_goes_on_in_the_new_file(people: People) -> None:
    run_id = people.waiting("change", 4)
    text = people.write("change", 4)
    people.here.write("change.py", text.replace("OLD METHOD", "NEW METHOD"))
    assert people.here.ended("change", run_id)["state"] == "success"
    people.heard("change", "cleanup")
    for task_id in TASKS:
        assert "NEW METHOD" in people.here.task_log("change", run_id, task_id)
