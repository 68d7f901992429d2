"""Partition mappers and windows of authors in a running product: from a plugin and from a DAG file, good ones and bad ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.acceptance.product import Product, Row, product

CALL_S = 6.0
"""What one call of author code may take."""
PLUGIN = '''
import ctypes
import time
from airflow.partition_mappers.base import PartitionMapper
from airflow.partition_mappers.window import Window
from airflow.plugins_manager import AirflowPlugin

class Region(PartitionMapper):
    """`emea::ch` to `CH`."""

    def __init__(self, mood="well", *, max_downstream_keys=None):
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.mood = mood

    def to_downstream(self, key):
        if self.mood == "hang":
            while True:
                time.sleep(0.01)
        if self.mood == "crash":
            ctypes.string_at(0)
        if key.endswith("mars"):
            raise LookupError("no such region")
        return key.partition("::")[2].upper() if "::" in key else []

    def serialize(self):
        return {"mood": self.mood}

    @classmethod
    def deserialize(cls, data):
        return cls(**data)

class Shifts(Window):
    def to_upstream(self, decoded_downstream):
        return [f"{decoded_downstream}/early", f"{decoded_downstream}/late"]

class RegionPlugin(AirflowPlugin):
    name = "region"
    partition_mappers = [Region]
    windows = [Shifts]
'''
DAGS = '''
from airflow.sdk import DAG, Asset, PartitionedAssetTimetable, PartitionedAtRuntime, PartitionMapper, RollupMapper, task
from region import Region, Shifts

sales = Asset("sales")

class Day(PartitionMapper):
    """`eu::d1/early` to `eu::d1`."""

    def to_downstream(self, key):
        return key.partition("/")[0]

with DAG("source", schedule=PartitionedAtRuntime()):
    @task(outlets=[sales])
    def load():
        pass
    load()

def consumer(dag_id, mapper):
    with DAG(dag_id, schedule=PartitionedAssetTimetable(assets=sales, default_partition_mapper=mapper)):
        @task
        def show(partition_key=None):
            print("the key is", partition_key)
        show()
'''
MOODY = "from dags import consumer, Region\nfrom airflow.sdk import DAG\n\nconsumer({dag_id!r}, Region({mood!r}))\n"


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    files = {
        "../plugins/region.py": PLUGIN,
        "dags.py": f"{DAGS}\nconsumer('well', Region())\nconsumer('shifts', RollupMapper(upstream_mapper=Day(), window=Shifts()))\n",
        **{f"{mood}.py": MOODY.format(dag_id=mood, mood=mood) for mood in ("hang", "crash")},
        "local.py": f"{DAGS.replace('source', 'source2')}\ndef make():\n    class Inner(Region):\n        pass\n    return Inner()\n\nconsumer('local', make())\n",
    }
    environ = {
        "GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": f"{CALL_S:g}",
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    }
    with product(files, environ) as made:
        for dag_id in ("source", "well", "shifts", "hang", "crash"):
            made.has_dag(dag_id)
        for key in ("emea::ch", "emea::mars", "d1/early"):
            made.do("dags", "trigger", "source", "--partition-key", key)
        yield made


def error_of(running: Product, dag_id: str) -> str:
    return next((row["error"] or "" for row in running.rows("dags", "list") if row["dag_id"] == dag_id), "")


def partitions(running: Product, dag_id: str) -> list[Row]:
    return [row for row in running.rows("runs", "list", dag_id) if row["run_type"] == "asset_triggered"]


def keys(running: Product, dag_id: str) -> list[str]:
    return sorted(row["partition_key"] for row in partitions(running, dag_id) if row["state"] == "success")


def test_mappers_run_their_dags_and_bad_ones_are_told_on_theirs_alone(running: Product) -> None:
    running.until(lambda: "CH" in keys(running, "well"), "the partition of the plugin's mapper")
    (run,) = [row for row in partitions(running, "well") if row["partition_key"] == "CH"]
    assert "the key is CH" in running.task_log("well", run["run_id"], "show")
    running.until(
        lambda: "raised LookupError: no such region" in error_of(running, "well"), "the key that fails is told"
    )
    line = PLUGIN.splitlines().index('            raise LookupError("no such region")') + 1
    assert f"region.py, line {line}" in error_of(running, "well") and "for the key 'emea::mars'" in error_of(
        running, "well"
    )
    running.until(
        lambda: "Region.to_downstream did not answer within 6 s (it was at" in error_of(running, "hang"),
        "the one that hangs is told",
    )
    assert error_of(running, "hang").endswith("fix the partition mapper")
    running.until(lambda: "crashed with signal 11" in error_of(running, "crash"), "the one that crashes is told")
    assert error_of(running, "shifts") == "" and error_of(running, "source") == ""


def test_a_window_of_an_author_waits_for_its_keys_and_is_explained(running: Product) -> None:
    running.until(
        lambda: "partition 'd1' still lacks 1 of 2 keys of asset sales: d1/late" in running.do("explain", "shifts"),
        "the roll-up waits",
    )
    running.do("dags", "trigger", "source", "--partition-key", "d1/late")
    running.until(lambda: "d1" in keys(running, "shifts"), "the roll-up")
    running.until(lambda: "did not answer within" in error_of(running, "hang"), "the one that hangs is told")
    running.until(
        lambda: "4 events in its queue wait for its partition mapper Region" in running.do("explain", "hang"),
        "its events wait",
    )


def test_events_wait_for_a_bad_mapper_until_it_is_corrected(running: Product) -> None:
    running.until(lambda: bool(error_of(running, "hang")) and bool(error_of(running, "crash")), "the bad ones are told")
    assert partitions(running, "hang") == [] == partitions(running, "crash")
    running.write("hang.py", MOODY.format(dag_id="hang", mood="well"))
    running.until(lambda: "CH" in keys(running, "hang"), "the corrected one")
    running.until(lambda: "raised LookupError" in error_of(running, "hang"), "the key that fails is told")
    plugin = running.home / "plugins" / "region.py"
    plugin.write_text(
        PLUGIN.replace('if self.mood == "crash":', "if False:").replace(
            'raise LookupError("no such region")', "return []"
        )
    )
    running.until(lambda: "CH" in keys(running, "crash"), "the corrected class")
    running.until(lambda: error_of(running, "crash") == "" == error_of(running, "well"), "their errors are gone")
    running.until(lambda: "CH" in keys(running, "well"), "the partition of the well one")
    assert [row["partition_key"] for row in partitions(running, "well")].count("CH") == 1


def test_what_no_other_process_could_use_is_refused_with_its_line(running: Product) -> None:
    told = running.do("dags", "errors")
    assert "local.py" in told and "which is defined inside a function" in told
    (row,) = [row for row in running.rows("plugins", "list") if row["name"] == "region"]
    assert {"partition_mappers", "windows"} <= set(row["brings"])
