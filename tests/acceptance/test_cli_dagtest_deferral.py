"""`gnomon dags test` of tasks that defer: times are kept by the scheduler, an author's triggers run beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE_S

BELLS = """
import asyncio

from airflow.triggers.base import BaseTrigger, TaskSuccessEvent, TriggerEvent


class Bell(BaseTrigger):
    def __init__(self, after, ends=False, value=None):
        super().__init__()
        self.after, self.ends, self.value = after, ends, value

    def serialize(self):
        return "bells.Bell", {"after": self.after, "ends": self.ends, "value": self.value}

    async def run(self):
        await asyncio.sleep(self.after)
        if self.ends:
            yield TaskSuccessEvent(xcoms={"return_value": {"v": self.value}})
        else:
            yield TriggerEvent(self.value)
"""
RINGS = """
from airflow import DAG
from airflow.decorators import task
from airflow.models.baseoperator import BaseOperator
from airflow.triggers.base import StartTriggerArgs
from bells import Bell


class Rings(BaseOperator):
    def execute(self, context):
        context["ti"].xcom_push("before", "kept")
        self.defer(trigger=Bell(0.05, value={1, 2}), method_name="done", kwargs={"pair": (1, 2)})

    def done(self, context, event, pair):
        return event, pair, context["ti"].xcom_pull(task_ids="rings", key="before")


class Ends(BaseOperator):
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs("bells.Bell", None, {"after": 0.05, "ends": True, "value": 5})


class Rendered(BaseOperator):
    template_fields = ("value",)
    value = ""
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs("bells.Bell", "done", {"after": 0.05, "value": "{{ ti.task_id }}"})

    def done(self, context, event):
        return event


with DAG("rings", schedule=None):

    @task
    def check(rang, ended, rendered):
        assert rang == ({1, 2}, (1, 2), "kept"), rang
        assert ended == {"v": 5}, ended
        assert rendered == "rendered", rendered

    check(Rings(task_id="rings").output, Ends(task_id="ends").output, Rendered(task_id="rendered").output)
"""
TIMES = """
import datetime as dt

import pendulum
from airflow import DAG
from airflow.models.baseoperator import BaseOperator
from airflow.providers.standard.triggers.temporal import DateTimeTrigger, TimeDeltaTrigger
from airflow.sensors.base import BaseSensorOperator
from airflow.triggers.base import StartTriggerArgs


def note(text):
    with open(f"{__file__}.notes", "a") as notes:
        notes.write(f"{text}\\n")


class Steps(BaseOperator):
    def execute(self, context, event=None, seen=0):
        note(f"steps {seen}")
        if seen == 2:
            assert isinstance(event, pendulum.DateTime) and event <= pendulum.now("UTC"), event
            return seen
        triggers = [DateTimeTrigger(pendulum.now("UTC").add(microseconds=50_000)), TimeDeltaTrigger(dt.timedelta(milliseconds=50))]
        self.defer(trigger=triggers[seen], method_name="execute", kwargs={"seen": seen + 1})


class WaitsSensor(BaseSensorOperator):
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(
        trigger_cls="airflow.providers.standard.triggers.temporal.TimeDeltaTrigger", trigger_kwargs={}, next_method="complete",
    )

    def __init__(self, *, trigger_kwargs, method="complete", **kwargs):
        super().__init__(**kwargs)
        self.start_trigger_args.trigger_kwargs = trigger_kwargs
        self.start_trigger_args.next_method = method

    def complete(self, context, event=None):
        note(f"{self.task_id} completes")
        return str(event)


with DAG("times", schedule=None):
    first = WaitsSensor(task_id="first", trigger_kwargs={"moment": dt.timedelta(milliseconds=50)})
    second = WaitsSensor(task_id="second", trigger_kwargs={"seconds": 0.05, "end_from_trigger": True}, method=None)
    Steps(task_id="steps") >> first >> second
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A short path: sockets are made below it."""
    with tempfile.TemporaryDirectory(prefix="g-") as name:
        for folder in ("dags", "plugins"):
            (Path(name) / "home" / folder).mkdir(parents=True)
        yield Path(name) / "home"


def tried(home: Path, file: Path) -> tuple[dict[str, Any], str]:
    """What `gnomon dags test` says of the file, and the steps that it showed."""
    environ = {**os.environ, "GNOMON_HOME": str(home), "TMPDIR": str(home.parent)}
    command = [sys.executable, "-m", "gnomon", "dags", "test", str(file), "-o", "json"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=PATIENCE_S)
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["state"] == "success", done.stderr
    return found, done.stderr


def test_an_authors_triggers_run_from_the_plugins_of_the_home(home: Path) -> None:
    (home / "plugins" / "bells.py").write_text(BELLS)
    (home / "dags" / "rings.py").write_text(RINGS)
    found, steps = tried(home, home / "dags" / "rings.py")
    assert {task["task_id"]: task["try_number"] for task in found["tasks"]} == {
        "rings": 1,
        "ends": 1,
        "rendered": 1,
        "check": 1,
    }
    lines = steps.splitlines()
    assert not {"ends queued", "ends running"} & set(lines)


def test_times_need_no_triggerer_and_a_task_that_begins_and_ends_with_one_no_process(home: Path) -> None:
    (home / "dags" / "times.py").write_text(TIMES)
    found, steps = tried(home, home / "dags" / "times.py")
    assert [task["state"] for task in found["tasks"]] == ["success"] * 3
    lines = steps.splitlines()
    assert (home / "dags" / "times.py.notes").read_text().splitlines() == [
        "steps 0",
        "steps 1",
        "steps 2",
        "first completes",
    ]
    assert not {"second queued", "second running"} & set(lines)
