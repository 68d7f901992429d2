"""Short pieces of public DAG files, each with what Airflow does (copies of the shared cases), and their siblings."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pendulum
import pytest

from gnomon.author_code.loading.dialect import TREE
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_decorators import dag as dag_decorator
from gnomon.authoring.sdk.dags.dag_decorators import task_group
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.config import load_config, set_current_config

CASES = Path(__file__).parents[2] / "conformance" / "cases" / "real-code"
START = pendulum.datetime(2026, 1, 1)


@pytest.fixture
def airflow_2(tmp_path: Path) -> None:
    set_current_config(load_config({"GNOMON__CORE__AIRFLOW_DIALECT": "2"}, tmp_path))


def _run(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    runpy.run_path(str(CASES / name))
    return capsys.readouterr().out.splitlines()


def _load(name: str) -> Any:
    from airflow.models import DagBag

    return DagBag(CASES / name, include_examples=False)


def test_conf_reads_files_as_a_configuration_parser_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("conf_read.py", capsys) == ["True True ['core']"]


def test_a_bag_of_the_null_device_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("dagbag_devnull.py", capsys) == ["{}"]


def test_attributes_have_the_values_of_airflow_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("group_tooltip.py", capsys) == [
        "tooltip 'What this group does.'",
        "links 1",
        "display t",
        "dag.start_date 2026-01-01 00:00:00+00:00",
        "callbacks []",
    ]


def test_in_the_dialect_of_airflow_2_callbacks_stay_as_given_and_only_a_text_is_the_start_of_the_dag(
    airflow_2: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("group_tooltip.py", capsys)[3:] == ["dag.start_date None", "callbacks None"]
    assert DAG("d", default_args={"start_date": "2026-01-01"}).start_date == START
    assert BaseOperator(task_id="t", on_failure_callback=print).on_failure_callback is print


def test_a_dag_that_follows_airflow_2_by_itself_has_its_values_in_the_dialect_of_3() -> None:
    with DAG("d", schedule_interval=None, default_args={"start_date": START}) as found:
        task = BaseOperator(task_id="t", on_failure_callback=print)
    assert (found.start_date, task.on_failure_callback, task.start_date) == (None, print, START)


def test_a_date_time_without_offset_is_a_value_of_a_param() -> None:
    bag = _load("param_naive_datetime.py")
    assert (list(bag.dags), bag.import_errors) == (["param_naive_datetime"], {})


@pytest.mark.ordinary
def test_members_that_tasks_of_airflow_2_read_are_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(CASES / "runtime_attributes.py")],
        env={**os.environ, "PYTHONPATH": TREE, "GNOMON_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = done.stdout + done.stderr
    assert "DONE" in said
    lacking = {line.split()[1] for line in said.splitlines() if line.startswith("LACKS")}
    assert lacking == {"task.schedule_interval", "task.global_operator_extra_links"}, (
        "Airflow 2.10.5 lacks these two as well"
    )


def test_the_docstring_of_a_function_describes_its_group_mapped_or_not() -> None:
    @task_group
    def clean(x: int = 0) -> None:
        """What this group does."""
        BaseOperator(task_id="t")

    with DAG("d") as found:
        clean()
        clean.override(group_id="mapped").expand(x=[1, 2])
        clean.override(group_id="told", tooltip="Told").expand(x=[1, 2])
    groups = found.task_group_dict
    assert [(groups[name].tooltip, groups[name].doc_md) for name in ("clean", "mapped")] == [
        ("What this group does.",) * 2
    ] * 2
    assert groups["told"].tooltip == "Told"


def test_all_parameters_of_a_dag_function_become_params() -> None:
    seen: dict[str, Any] = {}

    @dag_decorator(schedule=None)
    def whole(a: int, b: int = 2, *rest: int, c: int = 3, **more: Any) -> None:
        seen.update(more, rest=rest)

    @dag_decorator(schedule=None)
    def plain(a: int, *rest: int) -> None:
        seen["plain"] = rest

    assert whole(1, 5, 7, z=9).params.dump() == {"a": 1, "b": 5, "rest": (7,), "c": 3, "more": {"z": 9}}
    assert set(seen) == {"rest", "more"}, "as Airflow calls it: with the params of *rest and **more by name"
    assert plain(1, 2).params.dump() == {"a": 1, "rest": (2,)}
    assert seen["plain"] == ()


def test_a_zone_is_of_pendulum_and_a_cron_timetable_takes_an_expression() -> None:
    from airflow.sdk import CronDataIntervalTimetable

    assert isinstance(DAG("d", default_args={"start_date": "2026-01-01"}).timezone, pendulum.Timezone)
    assert CronDataIntervalTimetable(expression="@daily", timezone="UTC") == CronDataIntervalTimetable("@daily", "UTC")
    for given in (
        {"timezone": "UTC"},
        {"cron": "@daily", "expression": "@daily", "timezone": "UTC"},
        {"expression": "@daily"},
    ):
        with pytest.raises(TypeError, match=r"\(cron= or expression=\), and a timezone"):
            CronDataIntervalTimetable(**given)


def test_tasks_have_the_class_names_and_display_names_of_airflow() -> None:
    from airflow.decorators import task

    class Own(BaseOperator):
        pass

    with DAG("d") as found:
        task(lambda: 1, task_id="one")()
        task.sensor(lambda: True, task_id="two")()
        task(lambda x: x, task_id="three").expand(x=[1])
        Own(task_id="own", task_display_name="Shown")
    types = {one.task_id: (one.task_type, one.task_display_name) for one in found.tasks}
    assert types == {
        "one": ("_PythonDecoratedOperator", "one"),
        "two": ("DecoratedSensorOperator", "two"),
        "three": ("_PythonDecoratedOperator", "three"),
        "own": ("Own", "Shown"),
    }


def test_links_to_pages_of_gnomon_can_be_read_and_are_not_computed() -> None:
    from airflow.operators.trigger_dagrun import TriggerDagRunLink, TriggerDagRunOperator
    from airflow.sensors.external_task import ExternalDagLink, ExternalTaskMarker, ExternalTaskSensor

    from gnomon.authoring.sdk.tasks.operator_links import describe_links

    with DAG("d") as found:
        TriggerDagRunOperator(task_id="t", trigger_dag_id="o")
        ExternalTaskSensor(task_id="s", external_dag_id="o/p", external_task_id="x")
        ExternalTaskMarker(task_id="m", external_dag_id="o/p", external_task_id="x")
    assert [type(link) for one in found.tasks for link in one.operator_extra_links] == [
        TriggerDagRunLink,
        ExternalDagLink,
        ExternalDagLink,
    ]
    assert [describe_links(one) for one in found.tasks] == [(), (), ()]
    assert ExternalDagLink().get_link(found.get_task("s"), ti_key=None) == "/dags/o%2Fp"
    assert found.get_task("s").external_task_ids == ["x"] and found.get_task("s").allowed_states == ["success"]


def test_libraries_for_other_interpreters_are_imported_when_they_are_used() -> None:
    from airflow.providers.standard.operators.python import _SERIALIZERS

    assert set(_SERIALIZERS) == {"pickle", "cloudpickle", "dill"}
    assert _SERIALIZERS["pickle"].loads(_SERIALIZERS["pickle"].dumps([1])) == [1]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("import airflow.jobs.job", "gnomon db clean"),
        ("import airflow.models.taskfail", "gnomon db clean"),
        ("import airflow.cli.commands", "reference/cli.md"),
        ("from airflow.utils.db import resetdb; resetdb()", "gnomon db migrate"),
        ("from airflow.models import DagRun; DagRun.find()", "dag_run.get_task_instances"),
        ("from airflow.models import DagPickle; DagPickle.id", r"\[housekeeping\] clean_at"),
        ("from airflow.operators.subdag import SubDagOperator; SubDagOperator(task_id='s')", "with TaskGroup"),
        ("from airflow.www.utils import json_render; json_render(1, 2)", "web page of its own"),
    ],
)
def test_what_is_absent_says_what_replaces_it(statement: str, sentence: str) -> None:
    with pytest.raises((ImportError, AttributeError), match=sentence):
        exec(statement, {})


def test_what_operators_use_of_the_web_application_is_there() -> None:
    from airflow.example_dags.libs.helper import print_stuff
    from airflow.www.utils import (
        UIAlert,
        datetime_to_string,
        epoch,
        get_sensitive_variables_fields,
        should_hide_value_for_key,
    )

    assert (datetime_to_string(START), datetime_to_string(None), epoch(START)) == (
        "2026-01-01T00:00:00+00:00",
        None,
        1_767_225_600_000,
    )
    assert should_hide_value_for_key("my_password") and "password" in get_sensitive_variables_fields()
    assert UIAlert("hello") is not None and callable(print_stuff)
