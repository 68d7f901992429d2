"""What DAG files of public repositories use, in small inputs of our own: they load as in Airflow, or are refused by name."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from typing import Any

import pendulum
import pytest

from gnomon.airflow_compat import coverage, internal_reasons, old_names
from gnomon.airflow_compat.coverage_row import CoverageStatus
from gnomon.airflow_compat.migration.repository.file_imports import iterate_refused_uses, read_imports
from gnomon.author_code.loading import dagfile, dialect
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_checks import check_dag
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors.authoring import ParamValidationError

START = pendulum.datetime(2026, 1, 1)


@pytest.fixture(autouse=True)
def names() -> None:
    dialect.enable()


@pytest.fixture
def airflow_2(tmp_path: Path) -> None:
    set_current_config(load_config({"GNOMON__CORE__AIRFLOW_DIALECT": "2"}, tmp_path))


def _get(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def test_each_internal_name_can_be_imported_and_raises_on_use_with_what_replaces_it() -> None:
    for module, members in old_names.read_internal_names().items():
        for name in members:
            row = coverage.find_row(module, name)
            assert row is not None and row.why == internal_reasons.find_reason(module)
            if name != "*" and not name.startswith("airflow"):
                assert _get(module, name) is not None, f"{module}.{name}"


def test_a_module_that_gnomon_lacks_is_refused_with_what_replaces_it() -> None:
    with pytest.raises(
        ModuleNotFoundError, match=r"airflow\.models\.taskmap is not supported yet: the database is not open"
    ):
        importlib.import_module("airflow.models.taskmap")
    with pytest.raises(ModuleNotFoundError, match=r"airflow\.api_connexion.* is not supported yet: .*API"):
        importlib.import_module("airflow.api_connexion.exceptions")


def test_a_module_of_a_package_is_refused_with_the_same_reason_in_both_spellings() -> None:
    with pytest.raises(ImportError, match=r"since Airflow 2, its names are in airflow\.providers\.google"):
        exec("from airflow.contrib.operators import gcs_to_bq", {})


def test_a_name_that_does_not_exist_in_airflow_is_still_refused_as_such() -> None:
    with pytest.raises(ImportError, match=r"airflow\.models\.dag\.NoSuchName does not exist in Gnomon"):
        _get("airflow.models.dag", "NoSuchName")
    with pytest.raises(ModuleNotFoundError, match=r"airflow\.models\.no_such_module does not exist in Gnomon"):
        importlib.import_module("airflow.models.no_such_module")


def test_constants_have_the_value_of_airflow_and_changing_one_changes_no_other_reader() -> None:
    assert _get("airflow.security.permissions", "RESOURCE_DAG_RUN") == "DAG Runs"
    presets = _get("airflow.timetables._cron", "cron_presets")
    presets.clear()
    assert _get("airflow.timetables._cron", "cron_presets")["@daily"] == "0 0 * * *"


def test_no_name_stands_in_two_tables() -> None:
    for module, values in old_names.read_plain_values().items():
        for name in values:
            assert old_names.find_reexport(module, name) is None and not old_names.is_internal(module, name), (
                f"{module}.{name}"
            )
    for module, members in old_names.read_internal_names().items():
        assert not set(members) & set(old_names.read_reexports().get(module, ())), module


def test_names_of_annotations_can_be_subscripted_and_combined() -> None:
    interval, task = _get("airflow.models.dag", "ScheduleInterval"), _get("airflow.decorators.base", "Task")
    assert interval | int and task[[int], str]
    assert isinstance(
        _get("airflow.decorators", "task")(lambda: 1), _get("airflow.decorators.base", "ExpandableFactory")
    )


def test_values_of_a_mapped_task_are_instances_of_the_classes_of_all_versions() -> None:
    present = _get("airflow.sdk.execution_time.lazy_sequence", "LazyXComSequence")
    assert (
        _get("airflow.models.xcom", "LazyXComAccess")
        is _get("airflow.models.xcom", "LazyXComSelectSequence")
        is present
    )


def test_conditions_of_tasks_can_be_imported_as_functions() -> None:
    task, run_if = _get("airflow.decorators", "task"), _get("airflow.decorators.condition", "run_if")

    @run_if(lambda context: False)
    @task
    def never() -> None: ...

    assert callable(never.kwargs["pre_execute"])


def test_spans_are_scaled_as_in_airflow() -> None:
    infer, scale = _get("airflow.utils.dates", "infer_time_unit"), _get("airflow.utils.dates", "scale_time_units")
    assert [infer(spans) for spans in ([], [120], [121], [7201], [172800], [172801])] == [
        "hours",
        "seconds",
        "minutes",
        "hours",
        "hours",
        "days",
    ]
    assert scale([3600.0], "minutes") == [60.0] and scale([3600.0], "seconds") == [3600.0]
    assert _get("airflow.utils.dates", "datetime_to_nano")(START) == int(START.timestamp() * 1e9)


def test_operators_ask_for_renderers_by_name() -> None:
    assert "sql" in _get("airflow.www.utils", "get_attr_renderer")()


def test_the_check_of_a_repository_names_internal_names_where_they_are_used_and_accepts_constants() -> None:
    text = "from airflow.models.dag import DagOwnerAttributes, TAG_MAX_LEN\nfrom airflow.api_connexion.exceptions import NotFound\nprint(DagOwnerAttributes)\n"
    tree = ast.parse(text)
    imports = read_imports(tree, 2)
    assert [(finding.line, "api_connexion" in finding.message) for finding in imports.findings] == [(2, True)]
    assert [(finding.line, "gnomon dags" in finding.message) for finding in iterate_refused_uses(tree, imports)] == [
        (3, True)
    ]


def test_a_group_has_the_relatives_that_a_task_has() -> None:
    with DAG("d", start_date=START):
        before, after = BaseOperator(task_id="before"), BaseOperator(task_id="after")
        with TaskGroup("outer") as outer, TaskGroup("inner") as inner:
            BaseOperator(task_id="t")
        before >> outer >> after
    assert ([task.task_id for task in outer.upstream_list], [task.task_id for task in outer.downstream_list]) == (
        ["before"],
        ["after"],
    )
    assert outer.get_direct_relative_ids(upstream=True) == {"before"} and outer.get_direct_relatives() == [after]
    assert (inner.task_group, inner.has_dag(), inner.get_dag()) == (outer, True, before.dag)


def test_a_file_that_its_own_imports_import_defines_its_dag_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "importing_itself"
    package.mkdir()
    (package / "helper.py").write_text("SCHEDULE = None\n")
    file = package / "__init__.py"
    file.write_text(
        "from airflow import DAG\nfrom importing_itself.helper import SCHEDULE\nwith DAG('once', schedule=SCHEDULE):\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        loaded = dagfile.load_dag_file(file)
    finally:
        for name in ("importing_itself", "importing_itself.helper"):
            sys.modules.pop(name, None)
    assert (list(loaded.dags), loaded.repeated) == (["once"], ())


def test_two_dags_of_one_line_are_still_reported(tmp_path: Path) -> None:
    file = tmp_path / "twice.py"
    file.write_text(
        "from airflow import DAG\nfor _ in range(2):\n    with DAG('twice', schedule=None):\n        pass\n"
    )
    assert dagfile.load_dag_file(file).repeated == ("twice",)


def test_in_airflow_2_a_dag_without_a_start_date_loads_and_has_no_planned_run(airflow_2: None) -> None:
    dag = DAG("d")
    check_dag(dag)
    assert any("no run is planned" in warning for warning in dag.warnings)


def test_in_airflow_3_catchup_needs_a_start_date() -> None:
    with pytest.raises(ValueError, match="catchup=True needs a start_date"):
        check_dag(DAG("d", schedule="@daily", catchup=True))


def test_concurrency_wins_over_max_active_tasks_as_in_airflow_2(airflow_2: None) -> None:
    assert DAG("d", concurrency=3, max_active_tasks=5).max_active_tasks == 3


def test_in_airflow_2_a_param_of_a_task_may_be_any_object_and_that_of_a_dag_may_not(airflow_2: None) -> None:
    hook = object()
    with DAG("d", start_date=START) as dag:
        task = BaseOperator(task_id="t", params={"hook": hook})
    check_dag(dag)
    assert task.params["hook"] is hook
    with pytest.raises(ParamValidationError, match="DAG 'e'.*param 'hook'.*plain JSON"):
        check_dag(DAG("e", start_date=START, params={"hook": hook}))


def test_in_airflow_3_a_param_is_plain_json() -> None:
    with pytest.raises(ParamValidationError, match="plain JSON"):
        BaseOperator(task_id="t", params={"hook": object()})


def test_the_rows_of_internal_names_raise_on_use() -> None:
    row = coverage.find_row("airflow.utils.helpers", "build_airflow_url_with_query")
    assert row is not None and row.status is CoverageStatus.REFUSES
    with pytest.raises(
        AttributeError, match="cannot be used: it is internal to Airflow; what DAG files need is in airflow.sdk"
    ):
        _get("airflow.utils.helpers", "build_airflow_url_with_query")({})
