"""The environment variables of an attempt are those of this attempt: not of the one before in its process, nor of the warm-up of its zygote."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec.structs import replace
from tests.conformance.workerworld import WorkerWorld

HEAD = """
def read():
    return {name: value for name, value in os.environ.items() if "_CTX_" in name or name == "TRACEPARENT"}

AT_IMPORT = read()
"""


def test_a_file_is_imported_without_the_variables_of_an_attempt(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path / "w")
    try:
        result = world.run(world.attempt(world.dag("imported", "return AT_IMPORT", HEAD)))
        assert json.loads(result.xcoms[0].value) == {}
    finally:
        world.close()


def test_a_reused_process_has_no_variable_of_the_attempt_before(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path / "w", environ={"AIRFLOW_CTX_DAG_EMAIL": "from outside"})
    try:
        file = world.dag("reused", "return [os.getpid(), read()]", HEAD)
        first = world.attempt(file, attempts_per_child=2)
        second = replace(
            world.attempt(file, attempts_per_child=2), run=replace(first.run, logical_at=None, run_id="r2")
        )
        (pid, before), (same_pid, after) = (
            json.loads(world.run(attempt).xcoms[0].value) for attempt in (first, second)
        )
        assert pid == same_pid, "both ran in one process"
        assert before["AIRFLOW_CTX_LOGICAL_DATE"] == "1970-01-01T00:00:00+00:00"
        assert "AIRFLOW_CTX_LOGICAL_DATE" not in after
        assert (before["AIRFLOW_CTX_DAG_RUN_ID"], after["AIRFLOW_CTX_DAG_RUN_ID"]) == ("r", "r2")
        assert after["AIRFLOW_CTX_DAG_EMAIL"] == "from outside"
    finally:
        world.close()
