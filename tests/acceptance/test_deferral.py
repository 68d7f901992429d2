"""Deferral through one real standalone: what the public guide shows, how waits fail, what comes back, and who waits for whom."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.acceptance.deferring import BAD_START, FAILING, GUIDE, HEAD, PLUGIN, TYPES
from tests.acceptance.product import Product, Row, product

WAITING = 100
SLOTS = 8
CROWD = (
    HEAD
    + f"""
from pathlib import Path
from airflow.providers.standard.sensors.filesystem import FileSensor

with DAG("deferred", **OPEN):
    for n in range({WAITING}):
        FileSensor(task_id=f"wait_{{n}}", filepath=str(Path(__file__).parent.parent / "go"), deferrable=True, poke_interval=1)

with DAG("poking", **OPEN):
    for n in range({WAITING}):
        FileSensor(task_id=f"wait_{{n}}", filepath=str(Path(__file__).parent.parent / "go"), poke_interval=0.2)

with DAG("other", **OPEN):
    @task
    def at_once(): print("HERE")
    at_once()
"""
)


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    files = {
        "../plugins/naps.py": PLUGIN,
        "guide.py": GUIDE,
        "types.py": TYPES,
        "failing.py": FAILING,
        "bad_start.py": BAD_START,
    }
    with product(files) as here:
        for dag_id in ("guide", "ends", "types", "failing"):
            here.has_dag(dag_id)
        yield here


def test_the_operators_of_the_guide_wait_and_go_on_with_what_was_handed_over(running: Product) -> None:
    row = running.run("guide")
    states = {name: task["state"] for name, task in running.tasks("guide", row["run_id"]).items()}
    assert row["state"] == "success", states
    assert set(states.values()) == {"success"}, states


def test_an_event_that_ends_its_task_needs_no_worker_and_leaves_retries_as_they_are(running: Product) -> None:
    run_id = running.run("ends")["run_id"]
    found = {name: (task["state"], task["try_number"]) for name, task in running.tasks("ends", run_id).items()}
    assert found == {"failed": ("failed", 1), "skipped": ("skipped", 1), "tried_twice": ("failed", 2)}
    assert "its trigger naps.Ends ended it as failed" in running.do("explain", "ends", run_id, "failed")
    assert "it has not been started" in running.cli("tasks", "logs", "ends", run_id, "skipped").err


def test_values_of_every_type_come_back_as_they_went(running: Product) -> None:
    row = running.run("types")
    assert row["state"] == "success", running.task_log("types", row["run_id"], "all")


@pytest.fixture(scope="module")
def failed(running: Product) -> tuple[str, dict[str, Row]]:
    run_id = running.run("failing")["run_id"]
    return run_id, running.tasks("failing", run_id)


@pytest.mark.parametrize(
    ("task_id", "state", "tries", "said"),
    [
        ("timeout", "failed", 1, "its wait for naps.Nap took longer than its timeout of 0.3 s"),
        ("timer_timeout", "failed", 1, "temporal.TimeDeltaTrigger took longer than its timeout of 0.3 s"),
        ("sensor_timeout", "failed", 1, "its wait for naps.Nap took longer than its timeout of 0.3 s"),
        ("soft", "skipped", 1, "skipped because soft_fail or never_fail is set: its wait for naps.Nap took longer"),
        ("deadline", "failed", 1, "execution_timeout: the try took longer than 1.5 s, its wait included"),
        ("raises", "failed", 1, "its trigger naps.Raises failed: ConnectionError: the far end hung up"),
        (
            "silent",
            "failed",
            1,
            "its trigger naps.Silent failed: the trigger ended without an event; yield a TriggerEvent",
        ),
        (
            "wrong",
            "failed",
            1,
            "its trigger naps.Wrong failed: the trigger yielded {'not': 'an event'} (a dict), which is not an event",
        ),
        ("plain_event", "failed", 1, "its trigger naps.Nap sent an event that does not end the task"),
        ("retried", "failed", 2, "its trigger naps.Raises failed: ConnectionError"),
        (
            "no_method",
            "failed",
            1,
            "with the next method nowhere(), which Defers does not have; write `def nowhere(self, context, event=None)`",
        ),
        ("deaf", "failed", 1, "with the next method deaf(), which does not take `event`"),
        ("local", "failed", 1, "its trigger Local is defined in"),
        ("unstorable", "failed", 1, "the kwargs cannot be stored: a object at ['lock'] has no JSON form"),
        (
            "unstorable_argument",
            "failed",
            1,
            "the arguments of Nap cannot be stored: a object at ['payload'] has no JSON form",
        ),
        (
            "unknown_argument",
            "failed",
            1,
            "got an unexpected keyword argument 'more'; write `def woke(self, context, more, event=None)`",
        ),
        ("function", "failed", 1, "a function cannot resume after a deferral"),
    ],
)
def test_a_wait_that_cannot_go_on_fails_its_task_in_words(
    running: Product, failed: tuple[str, dict[str, Row]], task_id: str, state: str, tries: int, said: str
) -> None:
    run_id, tasks = failed
    assert (tasks[task_id]["state"], tasks[task_id]["try_number"]) == (state, tries)
    assert said in running.do("explain", "failing", run_id, task_id)
    assert "WOKE" not in running.task_log("failing", run_id, task_id)


@pytest.mark.parametrize("task_id", ["raises", "retried"])
def test_the_traceback_of_a_trigger_that_raised_is_in_the_log_of_its_task(
    running: Product, failed: tuple[str, dict[str, Row]], task_id: str
) -> None:
    log = running.task_log("failing", failed[0], task_id)
    assert "Traceback (most recent call last)" in log
    assert 'raise ConnectionError("the far end hung up")' in log


def test_wrong_arguments_of_a_task_that_starts_from_its_trigger_are_found_when_the_file_is_parsed(
    running: Product,
) -> None:
    said = running.do("dags", "errors")
    assert "bad_start.py" in said
    assert "naps.Nap(seconds=0.2, payload=None, notes=None) cannot be made with minutes=" in said


def _all_in(here: Product, dag_id: str, run_id: str, state: str, least: int) -> bool:
    return sum(task["state"] == state for task in here.tasks(dag_id, run_id).values()) >= least


def _waits_for_a_slot(here: Product, run_id: str) -> bool:
    said = here.cli("explain", "other", run_id, "at_once").out
    return f"[core] parallelism={SLOTS} is reached" in said or "every slot of every worker is taken" in said


def test_waiting_sensors_hold_no_worker_slot_deferred_and_all_of_them_in_poke_mode() -> None:
    with product({"../plugins/naps.py": PLUGIN, "crowd.py": CROWD}, {"GNOMON__CORE__PARALLELISM": str(SLOTS)}) as here:
        here.has_dag("deferred")
        waiting = here.do("dags", "trigger", "deferred").strip()
        here.until(lambda: _all_in(here, "deferred", waiting, "deferred", WAITING), f"{WAITING} sensors wait")
        assert here.run("other")["state"] == "success"
        assert _all_in(here, "deferred", waiting, "deferred", WAITING), "none of them had to end for it"
        poking = here.do("dags", "trigger", "poking").strip()
        here.until(lambda: _all_in(here, "poking", poking, "running", SLOTS), f"{SLOTS} sensors poke")
        behind = here.do("dags", "trigger", "other").strip()
        here.until(lambda: _waits_for_a_slot(here, behind), "the other one waits for a slot")
        assert here.tasks("other", behind)["at_once"]["state"] in ("scheduled", "queued")
        (here.home / "go").touch()
        for dag_id, run_id in (("deferred", waiting), ("poking", poking), ("other", behind)):
            assert here.ended(dag_id, run_id)["state"] == "success"
