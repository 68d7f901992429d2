"""The modules of the standard provider beside its operators, and the plugins among Airflow's examples."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from gnomon.authoring.operators.openlineage_parent import safe_inject_openlineage_properties_into_dagrun_conf
from gnomon.authoring.operators.trigger_dag_run import TriggerDagRunOperator
from gnomon.model.errors.authoring import AirflowSensorTimeout, TaskDeferralError
from gnomon.operators import PythonSensor

PARENT = {
    "parentRunId": "run(ti)",
    "parentJobName": "job(ti)",
    "rootParentRunId": "root-run(ti)",
    "rootParentJobName": "root-job(ti)",
    "rootParentJobNamespace": "root-space(ti)",
    "parentJobNamespace": "space",
}


def _module(name: str) -> Any:
    return import_module(name)


def test_the_description_of_the_provider_names_modules_that_can_be_imported() -> None:
    info = _module("airflow.providers.standard.get_provider_info").get_provider_info()
    assert info["package-name"] == "apache-airflow-providers-standard"
    modules = [
        name
        for kind in ("operators", "sensors", "hooks", "triggers")
        for row in info[kind]
        for name in row["python-modules"]
    ]
    assert (
        "airflow.providers.standard.operators.bash" in modules
        and "airflow.providers.standard.sensors.external_task" in modules
    )
    for name in modules:
        import_module(name)
    for row in info["task-decorators"]:
        path, _, name = row["class-name"].rpartition(".")
        assert isinstance(getattr(import_module(path), name), type)


def test_the_version_flags_are_those_of_the_newest_airflow() -> None:
    compat = _module("airflow.providers.standard.version_compat")
    assert compat.get_base_airflow_version_tuple() >= (3, 3, 0)
    assert compat.AIRFLOW_V_3_0_PLUS and compat.AIRFLOW_V_3_3_PLUS and not compat.is_arg_set(compat.NOTSET)


@pytest.mark.parametrize(
    ("states", "count"),
    [
        ({"r": {"a": "success", "b": "success"}, "s": {"a": "success", "b": "failed"}, "t": {"a": "skipped"}}, 2),
        ({"r": {}}, 0),
        ({}, 0),
    ],
)
def test_runs_whose_tasks_are_all_in_the_states_are_counted(states: dict[str, dict[str, str]], count: int) -> None:
    helper = _module("airflow.providers.standard.utils.sensor_helper")
    assert helper._get_count_by_matched_states(run_id_task_state_map=states, states=["success", "skipped"]) == count


@pytest.fixture
def openlineage(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The OpenLineage provider as far as it is used; the dict says whether it is disabled."""
    given: dict[str, Any] = {"disabled": False}
    root = "airflow.providers.openlineage"
    macros = {
        "lineage_run_id": "run",
        "lineage_job_name": "job",
        "lineage_root_run_id": "root-run",
        "lineage_root_job_name": "root-job",
        "lineage_root_job_namespace": "root-space",
    }
    modules: dict[str, dict[str, Any]] = {
        root: {},
        f"{root}.conf": {"is_disabled": lambda: given["disabled"]},
        f"{root}.plugins": {},
        f"{root}.plugins.listener": {"get_openlineage_listener": lambda: object()},
        f"{root}.plugins.macros": {
            "lineage_job_namespace": lambda: "space",
            **{name: (lambda ti, text=text: f"{text}({ti})") for name, text in macros.items()},
        },
    }
    for name, values in modules.items():
        made = ModuleType(name)
        made.__dict__.update(values)
        monkeypatch.setitem(sys.modules, name, made)
    return given


@pytest.mark.parametrize(
    ("conf", "expected"),
    [
        (None, {"openlineage": PARENT}),
        ({"a": 1}, {"a": 1, "openlineage": PARENT}),
        ({"openlineage": {"more": 1}}, {"openlineage": {**PARENT, "more": 1}}),
        ({"openlineage": {"parentRunId": "mine"}}, {"openlineage": {"parentRunId": "mine"}}),
        ({"openlineage": "text"}, {"openlineage": "text"}),
    ],
)
def test_the_conf_of_a_triggered_run_names_its_parent(openlineage: dict[str, Any], conf: Any, expected: object) -> None:
    assert safe_inject_openlineage_properties_into_dagrun_conf(conf, "ti") == expected
    assert safe_inject_openlineage_properties_into_dagrun_conf(conf, None) == conf
    openlineage["disabled"] = True
    assert safe_inject_openlineage_properties_into_dagrun_conf(conf, "ti") == conf


@pytest.mark.parametrize(("inject", "expected"), [(True, {"openlineage": PARENT}), (False, {})])
def test_the_argument_of_the_operator_acts(openlineage: dict[str, Any], inject: bool, expected: object) -> None:
    operator = TriggerDagRunOperator(task_id="t", trigger_dag_id="d", openlineage_inject_parent_info=inject)
    assert operator._conf({"ti": "ti"}) == expected


def test_without_the_provider_and_with_one_that_fails_the_conf_stays(
    openlineage: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr(sys.modules["airflow.providers.openlineage.plugins.macros"], "lineage_root_job_namespace")
    assert safe_inject_openlineage_properties_into_dagrun_conf({"a": 1}, "ti") == {"a": 1}
    assert (
        "does not name its parent task for OpenLineage: AttributeError" in caplog.text
        and "2.8.0 or newer is needed" in caplog.text
    )
    for name in [name for name in sys.modules if name.startswith("airflow.providers.openlineage")]:
        monkeypatch.delitem(sys.modules, name)
    assert safe_inject_openlineage_properties_into_dagrun_conf({"a": 1}, "ti") == {"a": 1}


def test_the_example_plugins_work(caplog: pytest.LogCaptureFixture) -> None:
    plugins = "airflow.example_dags.plugins"
    window = _module(f"{plugins}.business_day_window").BusinessDayWindow()
    days = window.to_upstream(datetime(2024, 6, 1, tzinfo=UTC))
    assert (len(days), days[0].day, days[-1].day) == (20, 3, 28)
    with pytest.raises(ValueError, match="first day of a month, not 2024-06-02"):
        window.to_upstream(datetime(2024, 6, 2, tzinfo=UTC))
    mappers = _module(f"{plugins}.custom_partition_mapper")
    mapper = mappers.PrefixStripMapper.deserialize(mappers.PrefixStripMapper("eu").serialize())
    assert [mapper.to_downstream(key) for key in ("eu::sales", "us::sales")] == ["sales", "us::sales"]
    timetable = _module(f"{plugins}.custom_partition_timetable").ScheduledRuntimePartitionTimetable(
        "0 0 * * *", timezone="UTC"
    )
    assert timetable.partitioned_at_runtime and timetable.can_be_scheduled and not timetable.partitioned
    (listener,) = _module(f"{plugins}.listener_plugin").MetadataCollectionPlugin.listeners
    with caplog.at_level(logging.INFO):
        listener.on_task_instance_running("queued", type("Ti", (), {"task_id": "t", "dag_id": "d"}))
    assert "Task t of DAG d is running; its state before: queued" in caplog.text


def test_the_reasons_of_a_deferral_without_an_event_have_airflows_names() -> None:
    trigger = _module("airflow.models.trigger")
    sensor = PythonSensor(task_id="t", python_callable=bool)
    for reason, error in (
        (trigger.TriggerFailureReason.TRIGGER_TIMEOUT, AirflowSensorTimeout),
        (trigger.TriggerFailureReason.TRIGGER_FAILURE, TaskDeferralError),
    ):
        with pytest.raises(error):
            sensor.resume_execution(trigger.TRIGGER_FAIL_REPR, {"error": reason}, {})
