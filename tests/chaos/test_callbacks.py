"""Kill -9 of scheduler and worker while a callback of a run is called: the run's end stays, and the callback is called again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.acceptance.product import product
from tests.chaos.processes import kill, roles

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FLOW = """
import os, time
from airflow.sdk import DAG, task

def slow(context):
    with open(os.environ["JOURNAL"], "a") as journal:
        journal.write(context["run_id"] + "\\n")
    while not os.path.exists(os.environ["GO"]):
        time.sleep(0.05)

with DAG("killed", on_success_callback=slow, is_paused_upon_creation=False):
    @task
    def works(): pass
    works()
"""


def test_a_callback_is_owed_until_a_worker_has_reported_its_end(tmp_path: Path) -> None:
    journal, go = tmp_path / "journal", tmp_path / "go"
    journal.touch()
    with product({"flow.py": FLOW}, {"JOURNAL": str(journal), "GO": str(go)}) as it:
        it.has_dag("killed")
        run_id = it.do("dags", "trigger", "killed").strip()
        it.until(lambda: journal.read_text() == f"{run_id}\n", "the callback is called")
        assert it.ended("killed", run_id)["state"] == "success"
        for role in ("worker", "scheduler"):
            for pid in roles(it.home)[role]:
                kill(pid)
        it.until(lambda: journal.read_text() == f"{run_id}\n" * 2, "the callback is called again")
        go.touch()

        def callbacks() -> list[dict[str, object]]:
            found: list[dict[str, object]] = json.loads(it.do("runs", "show", "killed", run_id, "-o", "json"))[
                "callbacks"
            ]
            return found

        it.until(lambda: callbacks()[0]["state"] == "success", "the callback has ended")
        assert [row["tries"] for row in callbacks()] == [2]
        assert [row["state"] for row in it.rows("runs", "list", "killed")] == ["success"]
