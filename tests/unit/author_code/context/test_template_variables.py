"""The keys of the template context, one by one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pendulum
import pytest
from tests.unit.author_code.context.conftest import MONDAY, TUESDAY, Server

from gnomon.author_code.context import Context, build_task_environment
from gnomon.author_code.context.template_variables import VARIABLES_WITH_DATE, VARIABLES_WITHOUT_DATE
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.tasks.function_calls import CONTEXT_KEYS
from gnomon.model.attempts import RunFacts
from gnomon.model.errors.authoring import ParamValidationError
from gnomon.model.instants import to_instant
from gnomon.timetables import CronDataIntervalTimetable, DagRunInfo, Timetable

Make = Callable[..., Context]


def test_every_key_of_the_dialect_is_there() -> None:
    assert VARIABLES_WITH_DATE.keys() == CONTEXT_KEYS - {"exception", "reason"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ds", "2024-03-04"),
        ("ds_nodash", "20240304"),
        ("ts", "2024-03-04T00:00:00+00:00"),
        ("ts_nodash", "20240304T000000"),
        ("ts_nodash_with_tz", "20240304T000000+0000"),
        ("yesterday_ds", "2024-03-03"),
        ("yesterday_ds_nodash", "20240303"),
        ("tomorrow_ds", "2024-03-05"),
        ("tomorrow_ds_nodash", "20240305"),
        ("next_ds", "2024-03-05"),
        ("next_ds_nodash", "20240305"),
        ("prev_ds", "2024-03-03"),
        ("prev_ds_nodash", "20240303"),
        ("run_id", "r"),
        ("task_instance_key_str", "d__t__20240304"),
        ("try_number", 2),
        ("test_mode", False),
        ("triggering_asset_events", {}),
        ("expanded_ti_count", None),
        ("partition_key", None),
    ],
)
def test_the_value_of_a_key(make: Make, key: str, value: object) -> None:
    assert make()[key] == value


def test_moments_are_pendulum_datetimes_in_utc(make: Make) -> None:
    context = make()
    for key in ("logical_date", "execution_date", "data_interval_start", "data_interval_end"):
        assert isinstance(context[key], pendulum.DateTime)
        assert context[key] == MONDAY
        assert context[key].timezone_name == "UTC"


def test_a_run_about_no_date_has_no_keys_derived_from_it(make: Make) -> None:
    context = make(logical_date=None)
    for key in ("logical_date", "ds", "ds_nodash", "ts", "ts_nodash", "ts_nodash_with_tz", "execution_date", "next_ds"):
        assert key not in context
        with pytest.raises(KeyError):
            context[key]
    assert context["data_interval_start"] is None
    assert VARIABLES_WITHOUT_DATE.keys() <= VARIABLES_WITH_DATE.keys()


def test_the_neighbours_of_a_data_interval_are_its_neighbours_in_the_schedule(make: Make) -> None:
    weekdays = CronDataIntervalTimetable("0 0 * * 1-5", "UTC")
    context = make(schedule=weekdays, logical_date=MONDAY, end=TUESDAY)
    assert context["prev_ds"] == "2024-03-01"
    assert context["next_ds"] == "2024-03-05"


def test_an_author_timetable_of_any_release_says_the_next_date(make: Make) -> None:
    class Draft(Timetable):
        def next_dagrun_info(self, last_automated_dagrun: Any, restriction: Any) -> DagRunInfo:  # type: ignore[override]
            return DagRunInfo.interval(last_automated_dagrun.add(days=7), last_automated_dagrun.add(days=14))

    context = make(schedule=Draft(), logical_date=MONDAY, end=TUESDAY)
    assert context["next_ds"] == "2024-03-11"
    assert context["prev_ds"] is None, "an author's class cannot be asked backwards"


def test_a_manual_run_is_its_own_neighbour_as_in_airflow_2(make: Make) -> None:
    context = make(run_type="manual")
    assert context["next_execution_date"] == context["prev_execution_date"] == MONDAY


def test_a_schedule_without_slots_has_no_neighbours(make: Make) -> None:
    context = make(schedule=None)
    assert context["next_execution_date"] is None
    assert context["prev_ds"] is None


def test_the_previous_success_is_asked_for_once_and_only_when_read(make: Make, server: Server) -> None:
    at = to_instant(MONDAY - timedelta(days=1))
    server.previous = RunFacts(
        run_pk=6,
        dag_id="d",
        run_id="p",
        run_type="scheduled",
        run_after=at,
        logical_at=at,
        interval_start=at,
        interval_end=at,
        started_at=at + 5_000_000,
        ended_at=at + 9_000_000,
    )
    context = make()
    assert server.asked == []
    assert context["prev_data_interval_start_success"] == MONDAY - timedelta(days=1)
    assert context["prev_data_interval_end_success"] == MONDAY - timedelta(days=1)
    assert context["prev_execution_date_success"] == MONDAY - timedelta(days=1)
    assert context["prev_start_date_success"] == MONDAY - timedelta(days=1) + timedelta(seconds=5)
    assert context["prev_end_date_success"] == MONDAY - timedelta(days=1) + timedelta(seconds=9)
    assert len(server.asked) == 1


def test_without_an_earlier_success_those_keys_are_none(make: Make) -> None:
    assert make()["prev_start_date_success"] is None


def test_params_are_the_dags_then_the_tasks_then_the_runs_conf(make: Make) -> None:
    context = make(params={"a": 1, "b": 1, "c": 1}, task_params={"b": 2, "c": 2}, conf={"c": 3, "d": 4})
    assert context["params"] == {"a": 1, "b": 2, "c": 3, "d": 4}


def test_the_conf_may_be_kept_out_of_params(make: Make, default_options: Callable[..., None]) -> None:
    default_options(AIRFLOW__CORE__DAG_RUN_CONF_OVERRIDES_PARAMS="False")
    assert make(params={"a": 1}, conf={"a": 2})["params"] == {"a": 1}


def test_a_conf_that_a_param_refuses_names_the_param(make: Make) -> None:
    with pytest.raises(ParamValidationError, match="'n'"):
        make(params={"n": Param(1, type="integer")}, conf={"n": "many"})["params"]


def test_the_run_has_the_names_of_both_dialects(make: Make) -> None:
    run = make(conf={"k": "v"}, clear_number=2)["dag_run"]
    assert (run.dag_id, run.run_id, run.run_type, run.state, run.clear_number) == ("d", "r", "scheduled", "running", 2)
    assert run.logical_date == run.execution_date == run.run_after == MONDAY
    assert run.conf.get("k") == "v"
    assert run.external_trigger is False
    assert (run.start_date, run.end_date, run.consumed_asset_events) == (None, None, [])
    triggered = {
        run_type: make(run_type=run_type)["dag_run"].external_trigger
        for run_type in ("manual", "operator_triggered", "backfill", "asset_triggered")
    }
    assert triggered == {"manual": True, "operator_triggered": True, "backfill": False, "asset_triggered": False}, (
        "as in Airflow 2"
    )


def test_variables_and_connections(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_VAR_PLAIN", "text")
    monkeypatch.setenv("AIRFLOW_VAR_DATA", '{"a": 1}')
    monkeypatch.setenv("AIRFLOW_CONN_DB", "postgres://ada:secret@host:5432/base")
    context = make()
    assert context["var"]["value"].plain == "text"
    assert context["var"]["json"].data["a"] == 1
    assert context["conn"].db.host == "host"
    assert context["conn"].get("db").port == 5432


def test_the_macros_and_the_options(make: Make) -> None:
    context = make()
    assert context["macros"].ds_add("2024-03-04", 7) == "2024-03-11"
    assert context["conf"].getboolean("core", "load_examples") is False


def test_the_environment_names_the_attempt_in_both_dialects(make: Make) -> None:
    environment = build_task_environment(make())
    assert (
        environment["AIRFLOW_CTX_LOGICAL_DATE"]
        == environment["AIRFLOW_CTX_EXECUTION_DATE"]
        == "2024-03-04T00:00:00+00:00"
    )
    assert environment["GNOMON_CTX_DAG_RUN_ID"] == environment["AIRFLOW_CTX_DAG_RUN_ID"] == "r"
    assert environment["AIRFLOW_CTX_TRY_NUMBER"] == "2"
    assert environment["AIRFLOW_CTX_DAG_OWNER"] == "ada"
    assert environment["AIRFLOW_CTX_DAG_EMAIL"] == "a@example.org,b@example.org"
    assert "AIRFLOW_CTX_LOGICAL_DATE" not in build_task_environment(make(logical_date=None))


def test_a_template_reads_the_context(make: Make) -> None:
    context = make(params={"p": 1})
    task = context["task"]
    text = "{{ ds }} {{ params.p }} {{ dag_run.run_id }} {{ logical_date.add(days=1) | ds }} {{ task.task_id }} {{ ti.try_number }}"
    assert task.render_template(text, context) == "2024-03-04 1 r 2024-03-05 t 2"
