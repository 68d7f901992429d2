"""Deferred tasks in a running product: the triggerer starts when something waits, and what a person sees of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
PLUGIN = """
import asyncio, logging, os, time
from airflow.triggers.base import BaseTrigger, TriggerEvent

class Door(BaseTrigger):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def serialize(self):
        return "doors.Door", {"path": self.path}

    async def run(self):
        logging.getLogger(__name__).info("watching %s for %s", self.path, self.task_instance.task_id)
        while not os.path.exists(self.path):
            await asyncio.sleep(0.05)
        yield TriggerEvent({"open": VERSION})

class Holds(Door):
    def serialize(self):
        return "doors.Holds", {"path": self.path}

    async def run(self):
        for _ in range(3):
            time.sleep(1)
        yield TriggerEvent({"open": VERSION})

VERSION = 1
"""
DAG = """
import os
from airflow.sdk import DAG, BaseOperator
from doors import Door, Holds

class Waits(BaseOperator):
    def execute(self, context):
        self.defer(trigger=Door(os.path.join(os.environ["GNOMON_HOME"], self.task_id)), method_name="go_on")

    def go_on(self, context, event):
        print("went on with", event)
        return event["open"]

class HeldUp(Waits):
    def execute(self, context):
        self.defer(trigger=Holds("nowhere"), method_name="go_on")

with DAG("held"):
    HeldUp(task_id="up")

with DAG("waits"):
    Waits(task_id="door")

with DAG("changes"):
    Waits(task_id="gate")

with DAG("marked"):
    Waits(task_id="hatch")
"""


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    with product(
        {"../plugins/doors.py": PLUGIN, "flows.py": DAG},
        {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False"},
        interpreter=True,
    ) as one:
        one.has_dag("waits")
        assert not list((one.home / "run").glob("triggerers/*.pid")), "nothing waits for a triggerer yet"
        yield one


def test_a_deferred_task_waits_on_a_triggerer_that_was_started_for_it_and_goes_on(running: Product) -> None:
    running.do("dags", "trigger", "waits", "--run-id", "r")
    running.until(lambda: "its trigger runs on triggerer" in running.do("explain", "waits", "r", "door"), "it waits")
    explained = running.do("explain", "waits", "r", "door")
    assert "deferred since" in explained and "doors.Door" in explained
    (running.home / "door").touch()
    assert running.ended("waits", "r")["state"] == "success"
    log = running.task_log("waits", "r", "door")
    assert "went on with {'open': " in log
    assert f"watching {running.home}/door for door" in log


def test_a_reload_takes_a_changed_trigger_and_loses_none(running: Product) -> None:
    running.do("dags", "trigger", "changes", "--run-id", "r")
    running.until(lambda: "its trigger runs on triggerer" in running.do("explain", "changes", "r", "gate"), "it waits")
    plugin = running.home / "plugins" / "doors.py"
    plugin.write_text(PLUGIN.replace("VERSION = 1", "VERSION = 22"))
    assert running.do("triggerer", "reload") == "1 triggerer restarts all triggers with the current code\n"
    log = running.home / "logs" / "dag_id=changes" / "run_id=r" / "task_id=gate.attempt=1.trigger.log"
    running.until(lambda: log.exists() and log.read_text().count("watching") == 2, "it begins anew")
    (running.home / "gate").touch()
    assert running.ended("changes", "r")["state"] == "success"
    assert "went on with {'open': 22}" in running.task_log("changes", "r", "gate")


def test_a_trigger_that_blocked_is_named_in_explain_and_in_the_log(running: Product) -> None:
    running.do("dags", "trigger", "held", "--run-id", "r")
    assert running.ended("held", "r")["state"] == "success"
    running.until(
        lambda: "its trigger blocked all other triggers" in running.do("explain", "held", "r", "up"), "explain says so"
    )
    assert "time.sleep(1)" in running.do("explain", "held", "r", "up")
    assert '"event": "loop_blocked", "trigger": "doors.Holds", "task": "held r up"' in running.log()


def test_a_host_knows_no_database_and_ends_with_its_keeper(running: Product) -> None:
    running.do("dags", "trigger", "marked", "--run-id", "r")
    running.until(lambda: bool(hosts_of(running)), "a host")
    for host in hosts_of(running):
        environ = Path(f"/proc/{host}/environ").read_bytes()
        assert b"SQL_ALCHEMY" not in environ
        opened = [os.path.realpath(one) for one in Path(f"/proc/{host}/fd").iterdir()]
        assert not [name for name in opened if "gnomon.db" in name]
    running.do("runs", "mark", "marked", "r", "--state", "failed")
    running.until(lambda: not running_triggers(running), "its trigger is ended")


def test_a_restart_starts_no_triggerer_when_nothing_waits_and_one_when_something_does(running: Product) -> None:
    present = running.home / "run" / "triggerers"
    before = running.log().count("groups_loaded")
    running.restart()
    running.until(lambda: running.log().count("groups_loaded") > before, "its scheduler has looked")
    assert not list(present.glob("*.pid"))
    running.do("dags", "trigger", "marked", "--run-id", "again")
    running.until(lambda: bool(list(present.glob("*.pid"))), "a triggerer")
    running.restart()
    running.until(lambda: bool(list(present.glob("*.pid"))), "a triggerer for what waits since before")
    running.until(
        lambda: "runs on triggerer" in running.cli("explain", "marked", "again", "hatch").out, "its trigger runs"
    )


def hosts_of(one: Product) -> list[int]:
    """The host processes of this home."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().rstrip(b"\0") == f"gnomon: trigger host [{one.home}]".encode():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def running_triggers(one: Product) -> bool:
    return "runs on triggerer" in one.cli("explain", "marked", "r", "hatch").out
