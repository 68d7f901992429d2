"""What a deferral carries is readable in no file of the home: not while it waits, and not afterwards."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.deferring import HEAD, PLUGIN
from tests.acceptance.product import product

MARKS = {"argument": b"quiet-heron-argument", "kwarg": b"quiet-heron-kwarg", "payload": b"quiet-heron-payload"}
DAG_FILE = HEAD + '''
def mark(kind):
    return "-".join(("quiet", "heron", kind))  # the whole of it stands in no source

class Carries(BaseOperator):
    def execute(self, context):
        self.defer(trigger=Told(seconds=3, payload=mark("argument")), method_name="woke", kwargs={"kept": mark("kwarg")})

    def woke(self, context, kept, event=None):
        assert (kept, event) == (mark("kwarg"), mark("payload"))

from naps import Told

with DAG("carries", **OPEN):
    Carries(task_id="one")
'''
TOLD = PLUGIN + '''

class Told(Nap):
    async def run(self):
        await asyncio.sleep(self.seconds)
        yield TriggerEvent("-".join(("quiet", "heron", "payload")))
'''


def _found_in(home: Path) -> list[str]:
    files = [path for path in home.rglob("*") if path.is_file()]
    assert any(path.name == "gnomon.db" for path in files)
    return [f"{name} in {path.relative_to(home)}" for path in files for name, mark in MARKS.items() if mark in path.read_bytes()]


def test_what_a_deferral_carries_is_in_no_file_of_the_home() -> None:
    with product({"../plugins/naps.py": TOLD, "carries.py": DAG_FILE}) as here:
        here.has_dag("carries")
        run_id = here.do("dags", "trigger", "carries").strip()
        here.until(lambda: here.tasks("carries", run_id)["one"]["state"] == "deferred", "the task waits")
        assert _found_in(here.home) == []
        assert here.ended("carries", run_id)["state"] == "success"
        assert _found_in(here.home) == []
        here.restart()
        assert _found_in(here.home) == []
