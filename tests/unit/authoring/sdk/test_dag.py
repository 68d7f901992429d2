"""DAGs: both dialects' arguments, schedules, naive dates, ids, registration."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pendulum
import pytest
from dateutil.relativedelta import relativedelta

from gnomon import timetables
from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.assets import Asset, AssetAlias
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_decorators import dag
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.errors import UserError
from gnomon.model.errors.authoring import AirflowTimetableInvalid, FailFastDagInvalidTriggerRule, ParamValidationError


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [
        ("schedule", timetables.CronTriggerTimetable),
        ("schedule_interval", timetables.CronDataIntervalTimetable),
        ("timetable", timetables.CronDataIntervalTimetable),
    ],
)
def test_the_schedule_is_taken_under_each_of_its_names(spelling: str, kind: type) -> None:
    found = DAG("d", **{spelling: "0 6 * * *"})
    assert isinstance(found.timetable, kind)
    assert found.schedule_interval == "0 6 * * *"


def test_other_arguments_of_airflow_2_are_taken() -> None:
    found = DAG(
        "d",
        "what it does",
        concurrency=3,
        fail_stop=True,
        full_filepath="x",
        default_view="grid",
        orientation="LR",
        sla_miss_callback=print,
    )
    assert (found.description, found.max_active_tasks, found.concurrency, found.fail_fast) == (
        "what it does",
        3,
        3,
        True,
    )
    assert any("sla_miss_callback" in sentence for sentence in found.warnings)


def test_two_names_for_one_thing_are_refused() -> None:
    with pytest.raises(TypeError, match="schedule_interval= and schedule= are the same argument"):
        DAG("d", schedule="@daily", schedule_interval="@daily")


def test_an_unknown_argument_names_dag_line_and_nearest() -> None:
    with pytest.raises(TypeError, match=r"DAG 'd' \(.*test_dag.py:\d+\).*did you mean schedule="):
        DAG("d", shedule="@daily")


@pytest.mark.parametrize(
    ("schedule", "kind"),
    [
        (None, "NullTimetable"),
        ("@once", "OnceTimetable"),
        ("@daily", "CronTriggerTimetable"),
        ("*/5 * * * *", "CronTriggerTimetable"),
        (dt.timedelta(hours=1), "DeltaTriggerTimetable"),
        (relativedelta(months=1), "DeltaTriggerTimetable"),
        (timetables.CronDataIntervalTimetable("@daily", "UTC"), "CronDataIntervalTimetable"),
    ],
)
def test_each_kind_of_schedule_has_its_timetable(schedule: Any, kind: str) -> None:
    assert type(DAG("d", schedule=schedule).timetable).__name__ == kind


@pytest.mark.parametrize(
    ("cron", "delta", "expected"),
    [
        ("False", "False", ("CronTriggerTimetable", "DeltaTriggerTimetable")),
        ("True", "False", ("CronDataIntervalTimetable", "DeltaTriggerTimetable")),
        ("False", "True", ("CronTriggerTimetable", "DeltaDataIntervalTimetable")),
        ("True", "True", ("CronDataIntervalTimetable", "DeltaDataIntervalTimetable")),
    ],
)
def test_each_interval_option_counts_for_its_own_kind(
    options: Any, cron: str, delta: str, expected: tuple[str, str]
) -> None:
    options(AIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS=cron, AIRFLOW__SCHEDULER__CREATE_DELTA_DATA_INTERVALS=delta)
    found = [type(DAG("d", schedule=one).timetable).__name__ for one in ("@daily", dt.timedelta(days=1))]
    assert tuple(found) == expected


def test_continuous_needs_one_active_run() -> None:
    with pytest.raises(ValueError, match="max_active_runs=1"):
        DAG("d", schedule="@continuous")
    assert DAG("d", schedule="@continuous", max_active_runs=1).timetable.active_runs_limit == 1


def test_a_schedule_that_is_none_of_these_is_refused() -> None:
    with pytest.raises(TypeError, match="is not understood"):
        DAG("d", schedule=5)
    with pytest.raises(ValueError, match="without quotes"):
        DAG("d", schedule="None")


@pytest.mark.parametrize(
    "schedule", [Asset("a"), [Asset("a"), AssetAlias("b")], Asset("a") | Asset("b"), Asset("a") & Asset("b")]
)
def test_a_schedule_by_assets_plans_no_times_and_warns_of_nothing(schedule: Any) -> None:
    found = DAG("d", schedule=schedule)
    found.validate()
    assert not found.timetable.can_be_scheduled
    assert found.warnings == []


def test_a_bad_cron_text_is_refused_when_the_dag_is_checked() -> None:
    found = DAG("d", schedule="61 * * * *")
    with pytest.raises(AirflowTimetableInvalid, match=r"DAG 'd' \(.*test_dag.py:\d+\)"):
        found.validate()


def test_a_cron_text_that_never_fires_is_refused_by_name() -> None:
    with pytest.raises(AirflowTimetableInvalid, match="DAG 'd'"):
        DAG("d", schedule="0 0 31 2 *").validate()


def test_a_naive_start_is_read_in_the_default_zone_and_said(options: Any) -> None:
    options(AIRFLOW__CORE__DEFAULT_TIMEZONE="Europe/Zurich")
    found = DAG("d", start_date=dt.datetime(2026, 1, 1))
    assert found.start_date is not None
    assert found.start_date.utcoffset() == dt.timedelta(hours=1)
    assert timezone.zone_name(found.timezone) == "Europe/Zurich"
    assert "has no time zone and is read as Europe/Zurich" in found.warnings[0]


def test_an_aware_start_stays_as_it_is_and_gives_the_zone() -> None:
    start = pendulum.datetime(2026, 1, 1, tz="Asia/Tokyo")
    found = DAG("d", start_date=start)
    assert found.start_date is start
    assert timezone.zone_name(found.timezone) == "Asia/Tokyo"
    assert found.warnings == []


def test_the_start_may_stand_in_default_args_also_as_text() -> None:
    with DAG("d", default_args={"start_date": "2026-01-01T00:00:00+02:00"}) as found:
        task = BaseOperator(task_id="t")
    assert task.start_date == dt.datetime(2025, 12, 31, 22, tzinfo=dt.UTC)
    assert found.timezone.utcoffset(None) == dt.timedelta(hours=2)


def test_an_unknown_zone_names_option_and_remedy(options: Any) -> None:
    with pytest.raises(UserError, match=r"default_timezone.*'Europe/Zurick'.*such as Europe/Zurich"):
        options(AIRFLOW__CORE__DEFAULT_TIMEZONE="Europe/Zurick")


@pytest.mark.parametrize("dag_id", ["a b", "", "x" * 251, "a/b"])
def test_dag_ids_are_checked(dag_id: str) -> None:
    with pytest.raises(ValueError, match="dag_id"):
        DAG(dag_id)


def test_one_text_is_not_a_list_of_tags() -> None:
    with pytest.raises(TypeError, match=r"\['daily'\]"):
        DAG("d", tags="daily")


def test_catchup_needs_a_start() -> None:
    with DAG("d", schedule="@daily", catchup=True) as found:
        BaseOperator(task_id="t")
    with pytest.raises(ValueError, match="start_date"):
        found.validate()


def test_a_param_without_default_needs_a_dag_without_schedule() -> None:
    DAG("d", params={"x": Param(type="string")}).validate()
    with pytest.raises(ValueError, match="param 'x' has no default"):
        DAG("d", schedule="@daily", params={"x": Param(type="string")}).validate()


def test_a_default_that_its_own_schema_refuses_is_named() -> None:
    for schedule in ("@daily", [Asset("a")]):
        with pytest.raises(ParamValidationError, match=r"DAG 'd' .*: the default of param 'x': 'one' must be integer"):
            DAG("d", schedule=schedule, params={"x": Param("one", type="integer")}).validate()


def test_a_wrong_default_of_a_dag_that_only_users_run_is_a_warning() -> None:
    made = DAG("d", schedule=None, params={"x": Param("one", type="integer")})
    made.validate()
    assert [
        "the default of param 'x': 'one' must be integer, so each run needs a value for it in its conf" in text
        for text in made.warnings
    ] == [True]


def test_a_schema_that_is_not_valid_is_an_error_of_each_dag() -> None:
    with pytest.raises(ParamValidationError, match=r"DAG 'd' .*param 'x'.*'strng'"):
        DAG("d", schedule=None, params={"x": Param(type="strng")}).validate()


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        dt.datetime(2024, 3, 4),
        Path("a"),
        {"a": [lambda: 0]},
        {1: 2},
        float("nan"),
        [float("inf")],
        b"x",
        "\ud83d",
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_param_that_json_cannot_hold_is_refused_where_it_is_given(value: Any) -> None:
    """The DAG or the task is named, and the param, wherever it comes from."""
    task: Any = BaseOperator
    words = r"'[dt]' \(.*test_dag.py:\d+\): Param 'p': .*; params are plain JSON"
    with pytest.raises(ParamValidationError, match=words):
        DAG("d", params={"p": value})
    with pytest.raises(ParamValidationError, match=words):
        DAG("d", default_args={"params": {"p": value}})
    with pytest.raises(ParamValidationError, match=words):
        DAG("d").param("p", value)
    with pytest.raises(ParamValidationError, match=words):
        BaseOperator(task_id="t", params={"p": value})
    with pytest.raises(ParamValidationError, match=words):
        BaseOperator(task_id="t", default_args={"params": {"p": value}})
    with pytest.raises(ParamValidationError, match=words):
        task.partial(task_id="t", params={"p": value}).expand(email=["a"])
    with pytest.raises(ParamValidationError, match=words):
        task.partial(task_id="t").expand(params=[{"p": 1}, {"p": value}])
    with pytest.raises(ParamValidationError, match=words):
        task.partial(task_id="t").expand_kwargs([{"params": {"p": value}}])
    with (
        DAG("d"),
        TaskGroup("g", default_args={"params": {"p": value}}),
        pytest.raises(ParamValidationError, match=words),
    ):
        BaseOperator(task_id="t")
    with pytest.raises(ParamValidationError, match="params are plain JSON"):
        Param(value)


def test_fail_fast_allows_only_all_success() -> None:
    with DAG("d", fail_fast=True) as found:
        BaseOperator(task_id="s", trigger_rule="all_done_setup_success")
        with pytest.raises(FailFastDagInvalidTriggerRule, match="'t'"):
            BaseOperator(task_id="t", trigger_rule="all_done")
    found.get_task("s").trigger_rule = "all_done"
    with pytest.raises(FailFastDagInvalidTriggerRule, match="'s'"):
        found.validate()


# Being found


def test_with_blocks_and_decorated_functions_register_themselves() -> None:
    @dag(schedule=None)
    def made(x: int = 3) -> None:
        """What it is for."""
        BaseOperator(task_id="t", params={"x": x} if isinstance(x, int) else None)

    with authoring_state.collect_dags() as found:
        with DAG("one"):
            pass
        with DAG("two", auto_register=False):
            pass
        third = made()
        DAG("four")
    assert [one.dag_id for one in found] == ["one", "made"]
    assert third.doc_md == "What it is for."  # type: ignore[attr-defined]
    assert third.params.dump() == {"x": 3}


def test_a_file_that_fails_inside_a_block_leaves_nothing_open() -> None:
    with pytest.raises(ZeroDivisionError), authoring_state.collect_dags():
        DAG("one").__enter__()
        _ = 1 / 0
    assert authoring_state.current_dag() is None


def test_the_arguments_of_a_decorated_function_resolve_in_the_run() -> None:
    seen: list[Any] = []

    @dag(dag_id="named")
    def made(x: int, y: int = 2) -> None:
        seen.extend([x, y])

    made(5)

    class Run:
        conf = {"y": 7}

    context = {"dag_run": Run(), "params": {}}
    assert [one.resolve(context) for one in seen] == [5, 7]


def test_dag_test_is_refused_while_a_file_is_loaded_and_while_a_task_runs() -> None:
    from gnomon.authoring.sdk.nodes.authoring_state import collect_dags, set_current_context

    found = DAG("d")
    with collect_dags(), pytest.raises(RuntimeError, match="__main__"):
        found.test()
    with set_current_context({}), pytest.raises(RuntimeError, match="TriggerDagRunOperator"):
        found.test()


def test_dag_test_refuses_arguments_that_contradict_one_another() -> None:
    found, at = DAG("d"), dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    with pytest.raises(UserError, match="give one of them"):
        found.test(logical_date=at, execution_date=at)
    with pytest.raises(UserError, match="run_conf="):
        found.test(at, {"a": 1})  # type: ignore[arg-type]
