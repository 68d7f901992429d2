"""The dialect of a DAG: which arguments decide, which defaults follow, and what the DAG says about it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon import timetables
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.ground.config import load_config, set_current_config

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def configure(tmp_path: Path) -> Iterator[Callable[..., None]]:
    yield lambda **values: set_current_config(
        load_config({f"GNOMON__{name.upper()}": str(value) for name, value in values.items()}, tmp_path)
    )
    set_current_config(None)


@pytest.mark.parametrize(
    "given",
    [
        {"schedule_interval": "@daily"},
        {"timetable": None},
        {"concurrency": 3},
        {"fail_stop": True},
        {"default_view": "grid"},
        {"orientation": "LR"},
        {"full_filepath": "x"},
    ],
)
def test_an_argument_that_only_airflow_2_takes_makes_the_dag_one_of_airflow_2(given: dict[str, Any]) -> None:
    dag = DAG("d", start_date=START, **given)
    assert (dag.airflow_dialect.number, dag.airflow_dialect.arguments) == (2, tuple(given))
    spec = build_dag_spec(dag, "f.py").spec
    assert (spec.airflow_dialect, spec.airflow_dialect_reason) == (2, f"its argument {next(iter(given))}=")
    assert spec.catchup is True


@pytest.mark.parametrize(
    "given", [{"schedule": "@daily"}, {"sla_miss_callback": None}, {"max_active_tasks": 3}, {"fail_fast": True}, {}]
)
def test_other_arguments_leave_the_dag_to_the_option(given: dict[str, Any]) -> None:
    dag = DAG("d", start_date=START, **given)
    assert (dag.airflow_dialect.number, dag.airflow_dialect.reason, dag.catchup) == (3, None, False)
    assert not any("Airflow 2" in sentence for sentence in dag.warnings)


@pytest.mark.parametrize(
    ("schedule", "old", "new"),
    [
        ("0 6 * * *", timetables.CronDataIntervalTimetable, timetables.CronTriggerTimetable),
        ("@weekly", timetables.CronDataIntervalTimetable, timetables.CronTriggerTimetable),
        (dt.timedelta(hours=2), timetables.DeltaDataIntervalTimetable, timetables.DeltaTriggerTimetable),
        ("@once", timetables.OnceTimetable, timetables.OnceTimetable),
        ("@continuous", timetables.ContinuousTimetable, timetables.ContinuousTimetable),
        (None, timetables.NullTimetable, timetables.NullTimetable),
    ],
)
def test_each_kind_of_schedule_means_what_it_means_in_its_dialect(schedule: Any, old: type, new: type) -> None:
    assert type(DAG("d", start_date=START, schedule_interval=schedule, max_active_runs=1).timetable) is old
    assert type(DAG("d", start_date=START, schedule=schedule, max_active_runs=1).timetable) is new


def test_a_dag_of_airflow_2_without_a_schedule_runs_every_day() -> None:
    dag = DAG("d", start_date=START, concurrency=2)
    assert dag.schedule == dt.timedelta(days=1)
    assert "it names no schedule and runs every day" in dag.warnings[0]
    assert DAG("d", start_date=START, schedule=None, concurrency=2).schedule is None


def test_the_warning_names_the_argument_and_only_what_differs() -> None:
    (told,) = DAG("d", start_date=START, schedule_interval="@daily").warnings
    assert "because of its argument schedule_interval=: a run has the data interval before it" in told
    assert "catchup is True" in told
    (told,) = DAG("d", start_date=START, schedule_interval="@daily", catchup=False).warnings
    assert "catchup" not in told
    (told,) = DAG("d", start_date=START, timetable=timetables.CronTriggerTimetable("@daily", timezone="UTC")).warnings
    assert "data interval" not in told
    assert DAG("d", start_date=START, schedule_interval=None, catchup=False).warnings == []


def test_an_option_that_is_set_decides_in_both_dialects(configure: Callable[..., None]) -> None:
    configure(core__airflow_dialect=2, scheduler__create_delta_data_intervals=False)
    assert isinstance(DAG("d", schedule="@daily").timetable, timetables.CronDataIntervalTimetable)
    assert isinstance(DAG("d", schedule_interval=dt.timedelta(days=1)).timetable, timetables.DeltaTriggerTimetable)
    configure(scheduler__catchup_by_default=False)
    assert DAG("d", schedule_interval="@daily").catchup is False
    configure(core__airflow_dialect=3, scheduler__create_cron_data_intervals=True)
    assert isinstance(DAG("d", schedule="@daily").timetable, timetables.CronDataIntervalTimetable)


def test_with_the_option_2_nothing_is_said_on_each_dag(configure: Callable[..., None]) -> None:
    configure(core__airflow_dialect=2)
    assert DAG("d", start_date=START, schedule_interval="@daily").warnings == []
    dag = DAG("d", start_date=START, schedule="@daily")
    assert (dag.catchup, dag.airflow_dialect.reason, dag.warnings) == (True, "[core] airflow_dialect", [])


def test_the_option_sets_the_defaults_of_other_options(tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__CORE__AIRFLOW_DIALECT": "2"}, tmp_path)
    assert cfg.text("core", "dag_ignore_file_syntax") == "regexp"
    assert [
        cfg.boolean("scheduler", name)
        for name in ("catchup_by_default", "create_cron_data_intervals", "create_delta_data_intervals")
    ] == [True] * 3
    assert load_config({}, tmp_path).text("core", "dag_ignore_file_syntax") == "glob"
