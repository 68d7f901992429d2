"""What a deferral carries is readable in no file of the home: not while it waits, and not afterwards.

Not so what a person is to read: the first line of an error is the reason of its task, its traceback is in the task's log, and
in nothing else.
"""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.deferring import HEAD, PLUGIN
from tests.acceptance.product import product

MARKS = {kind: f"quiet-heron-{kind}".encode() for kind in ("argument", "kwarg", "payload", "later", "traceback")}
DAG_FILE = (
    HEAD
    + """
def mark(kind):
    return "-".join(("quiet", "heron", kind))  # the whole of it stands in no source

class Carries(BaseOperator):
    def execute(self, context):
        self.defer(trigger=Told(seconds=3, payload=mark("argument")), method_name="woke", kwargs={"kept": mark("kwarg")})

    def woke(self, context, kept, event=None):
        assert (kept, event) == (mark("kwarg"), mark("payload"))
        self.defer(trigger=Told(seconds=0, payload=mark("later")), method_name="woke_again", kwargs={"kept": [mark("later")]})

    def woke_again(self, context, kept, event=None):
        assert (kept, event) == ([mark("later")], mark("payload"))

class Breaks(BaseOperator):
    def execute(self, context):
        self.defer(trigger=Broken(seconds=0, payload=mark("argument")), method_name="woke", kwargs={"kept": mark("kwarg")})

    def woke(self, context, kept, event=None):
        pass

class Hears(Breaks):
    def resume_execution(self, next_method, next_kwargs, context):
        return super().resume_execution(next_method, next_kwargs, context)

from naps import Broken, Told

with DAG("carries", **OPEN):
    Carries(task_id="one")

with DAG("breaks", **OPEN):
    Breaks(task_id="deaf")
    Hears(task_id="hears")
"""
)
TOLD = (
    PLUGIN
    + """
import os

class Told(Nap):
    async def run(self):
        while self.seconds and not os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
            await asyncio.sleep(0.05)
        yield TriggerEvent("-".join(("quiet", "heron", "payload")))


class Broken(Nap):
    async def run(self):
        raise ValueError("the far end hung up\\n" + "-".join(("quiet", "heron", "traceback")))
        yield
"""
)


def _found_in(home: Path) -> list[str]:
    files = [path for path in home.rglob("*") if path.is_file()]
    assert any(path.name == "gnomon.db" for path in files)
    return [
        f"{name} in {path.relative_to(home)}"
        for path in files
        for name, mark in MARKS.items()
        if mark in path.read_bytes()
    ]


def _in_logs(home: Path) -> set[str]:
    """The traceback, in the logs of the tasks that failed by it."""
    logs = [*home.glob("logs/dag_id=breaks/**/*.log"), home / "standalone.log"]
    return {f"traceback in {path.relative_to(home)}" for path in logs}


def test_what_a_deferral_carries_is_in_no_file_of_the_home() -> None:
    with product({"../plugins/naps.py": TOLD, "carries.py": DAG_FILE}) as here:
        here.has_dag("carries")
        run_id = here.do("dags", "trigger", "carries").strip()
        here.until(lambda: here.tasks("carries", run_id)["one"]["state"] == "deferred", "the task waits")
        assert _found_in(here.home) == []
        (here.home / "go").touch()
        assert here.ended("carries", run_id)["state"] == "success"
        broken = here.run("breaks")["run_id"]
        for task in ("deaf", "hears"):
            assert "the far end hung up" in here.do("explain", "breaks", broken, task)
            assert MARKS["traceback"].decode() in here.task_log("breaks", broken, task)
        assert set(_found_in(here.home)) <= _in_logs(here.home)
        here.restart()
        assert set(_found_in(here.home)) <= _in_logs(here.home)
