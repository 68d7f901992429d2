"""`gnomon dependencies` shows the waits of sensors and markers beside those of `After`, with the `After` that could take their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entry.cli.conftest import Gnomon

from gnomon.entry.cli.deployment.home import Home

FILE = """
import datetime as dt
from airflow.sdk import DAG, TaskGroup, task
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.sensors.external_task import ExternalTaskMarker, ExternalTaskSensor
from airflow.timetables.interval import CronDataIntervalTimetable

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

with DAG("orders", schedule="0 * * * *", start_date=START):
    load = EmptyOperator(task_id="load")
    load >> ExternalTaskMarker(task_id="mark", external_dag_id="report", external_task_id="write")
    ExternalTaskMarker(task_id="mark_some", external_dag_id="{{ var.value.child }}", external_task_id="write")

with DAG("nights", schedule=CronDataIntervalTimetable("0 1 * * *", "UTC"), start_date=START):
    EmptyOperator(task_id="copy")

with DAG("report", schedule="30 6 * * *", start_date=START):
    write = EmptyOperator(task_id="write")
    ExternalTaskSensor(task_id="orders", external_dag_id="orders", execution_delta=dt.timedelta(minutes=30), timeout=3600) >> write
    ExternalTaskSensor(task_id="nights", external_dag_id="nights", external_task_id="copy", execution_delta=dt.timedelta(days=1), failed_states=["failed"]) >> write

with DAG("parts", schedule="@daily", start_date=START):
    first = EmptyOperator(task_id="first")
    with TaskGroup("g"):
        dynamic = ExternalTaskSensor(task_id="dynamic", external_dag_id="{{ var.value.upstream }}")
        moved = ExternalTaskSensor(task_id="moved", external_dag_id="orders", deferrable=True, external_task_ids=["load", "mark"], execution_date_fn=lambda at: at)
    first >> moved >> EmptyOperator(task_id="last")
    mapped = ExternalTaskSensor.partial(task_id="mapped", allowed_states=["success", "failed"]).expand(external_dag_id=["orders", "gone"])
    pairs = ExternalTaskSensor.partial(task_id="pairs").expand_kwargs([{"external_dag_id": "orders"}, {"external_dag_id": "nights", "external_task_id": "copy"}])

    @task
    def names():
        return ["orders"]

    late = ExternalTaskSensor.partial(task_id="late").expand(external_dag_id=names())
"""


@pytest.fixture
def folder(empty_home: Home) -> Path:
    folder = Path(empty_home.cfg.dags_folder)
    folder.mkdir(parents=True)
    (folder / "waits.py").write_text(FILE)
    return folder


def list_rows(gnomon: Gnomon) -> dict[tuple[str, str | None], list[dict[str, Any]]]:
    """The rows of the graph by the DAG and the task that wait."""
    found: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
    for row in json.loads(gnomon("dependencies", "graph", "-o", "json").out):
        found.setdefault((row["dag_id"], row["task_id"]), []).append(row)
    return found


def test_each_sensor_and_marker_stands_in_the_graph_with_the_after_that_could_take_its_place(
    gnomon: Gnomon, folder: Path
) -> None:
    rows = list_rows(gnomon)
    (orders,) = rows["report", "orders"]
    assert (orders["kind"], orders["upstream_dag_id"], orders["upstream_task_id"]) == ("sensor", "orders", None)
    assert orders["chosen"] == ["by ExternalTaskSensor", "30 min earlier"]
    assert orders["could_be"] == 'depends_on=After("orders", max_wait=timedelta(seconds=3600)) of DAG'
    (nights,) = rows["report", "nights"]
    assert nights["could_be"] == 'depends_on=After("nights", task_id="copy", previous=1, on_failure="cancel") of DAG'
    (marker,) = rows["report", "write"]
    assert (marker["kind"], marker["upstream_dag_id"], marker["upstream_task_id"]) == ("marker", "orders", "mark")
    assert marker["could_be"] == 'depends_on=After("orders", task_id="mark") of task write of DAG report'


def test_sensors_in_groups_mapped_deferrable_and_with_templates_are_shown_as_far_as_the_file_says(
    gnomon: Gnomon, folder: Path
) -> None:
    rows = list_rows(gnomon)
    (dynamic,) = rows["parts", "g.dynamic"]
    assert (dynamic["upstream_dag_id"], dynamic["could_be"], dynamic["unknown"]) == (
        "{{ var.value.upstream }}",
        None,
        False,
    )
    assert "the DAG is known only when the task runs" in dynamic["chosen"]
    assert [(row["upstream_task_id"], row["could_be"]) for row in rows["parts", "g.moved"]] == [
        ("load", 'depends_on=After("orders", task_id="load") of task last'),
        ("mark", 'depends_on=After("orders", task_id="mark") of task last'),
    ]
    assert "at the dates of a function" in rows["parts", "g.moved"][0]["chosen"]
    assert [(row["upstream_dag_id"], row["unknown"]) for row in rows["parts", "mapped"]] == [
        ("orders", False),
        ("gone", True),
    ]
    assert rows["parts", "mapped"][0]["could_be"] is None, "no task needs it"
    assert [(row["upstream_dag_id"], row["upstream_task_id"]) for row in rows["parts", "pairs"]] == [
        ("orders", None),
        ("nights", "copy"),
    ]
    assert [row["upstream_dag_id"] for row in rows["parts", "late"]] == ["(from other tasks)"]
    (templated,) = rows["{{ var.value.child }}", None]
    assert (templated["kind"], templated["upstream_task_id"]) == ("marker", "mark_some")


def test_the_table_the_picture_and_graphviz_have_them_too(gnomon: Gnomon, folder: Path) -> None:
    code, out, err = gnomon("dependencies", "graph")
    assert code == 0
    assert (
        'report.orders could wait without a task: depends_on=After("orders", max_wait=timedelta(seconds=3600)) of DAG'
        in out
    )
    assert "parts.mapped: there is no DAG gone; the sensor waits until its timeout" in err
    assert "by ExternalTaskSensor, 30 min earlier" in gnomon("dependencies", "graph", "-o", "dot").out
    assert "report.orders waits for orders" in gnomon("dependencies", "graph", "-o", "svg").out


def test_the_preview_of_a_day_has_the_slot_with_the_logical_date_that_a_sensor_looks_for(
    gnomon: Gnomon, folder: Path
) -> None:
    told = json.loads(
        gnomon(
            "dependencies",
            "preview",
            str(folder / "waits.py"),
            "--dag-id",
            "report",
            "--day",
            "2026-03-02",
            "-o",
            "json",
        ).out
    )
    by_task = {one["task_id"]: one for one in told["dependencies"]}
    (run,) = by_task["orders"]["runs"]
    assert (run["waits_for"], run["rule"]) == (["2026-03-02T06:00:00.000000+00:00"], "logical_date")
    assert [run["rule"] for run in by_task["nights"]["runs"]] == ["no_such_date"], (
        "06:30 of the day before is no logical date of that DAG"
    )
    assert [run["waits_for"] for run in by_task["write"]["runs"]] == [[]], (
        "the marker names 06:30, and its DAG runs at full hours"
    )
    shown = gnomon("dependencies", "preview", str(folder / "waits.py"), "--dag-id", "parts", "--day", "2026-03-02").out
    assert (
        "parts.g.dynamic waits for {{ var.value.upstream }}, by ExternalTaskSensor, the DAG is known only when the task runs"
        in shown
    )
    assert "its slots are known only when the task runs" in shown
