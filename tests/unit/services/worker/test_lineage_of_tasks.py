"""Lineage that the hooks of a task report is read by listeners in the process of the task, and not seen by the next task."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.workerworld import WorkerWorld

PLUGIN = """
import os
from airflow.lineage.hook import HookLineageReader, get_hook_lineage_collector
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

class Listener:
    @hookimpl
    def on_task_instance_success(self, previous_state, task_instance):
        print("lineage", os.getpid(), [info.asset.uri for info in get_hook_lineage_collector().collected_assets.inputs])

class Lineage(AirflowPlugin):
    name = "lineage"
    listeners = [Listener()]
    hook_lineage_readers = [HookLineageReader]
"""


def test_a_listener_reads_the_lineage_of_its_task_alone(tmp_path: Path) -> None:
    home = tmp_path / "w"
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "lineage_listens.py").write_text(PLUGIN)
    world = WorkerWorld(home)
    try:
        file = world.dag(
            "hooked",
            "from airflow.lineage.hook import get_hook_lineage_collector\n"
            "get_hook_lineage_collector().add_input_asset(ti, uri=f's3://b/{ti.map_index}')",
        )
        attempts = [
            world.attempt(file, attempts_per_child=2, calls_listeners=True, map_index=index) for index in (7, 8)
        ]
        for attempt in attempts:
            assert world.run(attempt).outcome == "success"
        lines = [world.log_of(attempt).splitlines()[-1].split() for attempt in attempts]
        assert lines[0][1] == lines[1][1], "both ran in one process"
        assert [line[2] for line in lines] == ["['s3://b/7']", "['s3://b/8']"]
    finally:
        world.close()
