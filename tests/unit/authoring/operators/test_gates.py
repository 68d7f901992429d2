"""EmptyOperator, LatestOnly and the branches by time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pendulum
import pytest
import time_machine

from gnomon.authoring.operators.branch_by_date import target_times_as_dates
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.errors.authoring import AirflowException, DownstreamTasksSkipped
from gnomon.operators import BranchDateTimeOperator, BranchDayOfWeekOperator, EmptyOperator, LatestOnlyOperator

MONDAY_NOON = dt.datetime(2024, 3, 4, 12, tzinfo=dt.UTC)


def test_an_empty_task_costs_no_process_unless_it_has_callbacks(dag: DAG) -> None:
    EmptyOperator(task_id="plain")
    EmptyOperator(task_id="telling", on_success_callback=print)
    runs_code = {task.task_id: task.runs_code for task in build_dag_spec(dag, __file__).spec.tasks}
    assert runs_code == {"plain": False, "telling": True}


def _gate(gate: Any) -> Any:
    gate >> [EmptyOperator(task_id="yes"), EmptyOperator(task_id="no")]
    return gate


def _skipped(execute: Callable[..., Any], gate: Any, **kwargs: Any) -> list[str]:
    with pytest.raises(DownstreamTasksSkipped) as raised:
        execute(gate, **kwargs)
    return sorted(raised.value.task_ids)


@time_machine.travel(dt.datetime(2024, 3, 4, 12, tzinfo=dt.UTC), tick=False)
def test_the_latest_run_passes(dag: DAG, execute: Callable[..., Any]) -> None:
    assert sorted(execute(_gate(LatestOnlyOperator(task_id="gate")))) == ["no", "yes"]


@time_machine.travel(dt.datetime(2024, 3, 5, 0, 0, 1, tzinfo=dt.UTC), tick=False)
def test_a_run_whose_successor_is_due_is_stopped(dag: DAG, execute: Callable[..., Any]) -> None:
    assert _skipped(execute, _gate(LatestOnlyOperator(task_id="gate"))) == ["no", "yes"]


@time_machine.travel(dt.datetime(2024, 3, 9, tzinfo=dt.UTC), tick=False)
def test_a_manual_run_always_passes(dag: DAG, execute: Callable[..., Any]) -> None:
    assert sorted(execute(_gate(LatestOnlyOperator(task_id="gate")), run_type="manual")) == ["no", "yes"]


@time_machine.travel(MONDAY_NOON, tick=False)
@pytest.mark.parametrize(
    ("lower", "upper", "inside"),
    [
        (dt.time(11), dt.time(13), True),
        (dt.time(12), None, True),
        (None, dt.time(12), True),
        (dt.time(13), None, False),
        (dt.time(11), dt.time(1), True),
        (dt.datetime(2024, 3, 4, 11, tzinfo=dt.UTC), dt.datetime(2024, 3, 5, tzinfo=dt.UTC), True),
        (dt.datetime(2024, 3, 5, tzinfo=dt.UTC), None, False),
    ],
)
def test_a_branch_by_the_clock(dag: DAG, execute: Callable[..., Any], lower: Any, upper: Any, inside: bool) -> None:
    gate = _gate(
        BranchDateTimeOperator(
            task_id="gate",
            follow_task_ids_if_true="yes",
            follow_task_ids_if_false="no",
            target_lower=lower,
            target_upper=upper,
        )
    )
    assert _skipped(execute, gate) == (["no"] if inside else ["yes"])


def test_a_branch_by_the_clock_needs_a_bound(dag: DAG) -> None:
    with pytest.raises(AirflowException, match="At least one"):
        BranchDateTimeOperator(
            task_id="gate",
            follow_task_ids_if_true="yes",
            follow_task_ids_if_false="no",
            target_lower=None,
            target_upper=None,
        )


def test_a_time_of_day_before_its_lower_bound_is_on_the_next_day() -> None:
    low, high = target_times_as_dates(MONDAY_NOON, dt.time(22), dt.time(2))
    assert (low, high) == (dt.datetime(2024, 3, 4, 22, tzinfo=dt.UTC), dt.datetime(2024, 3, 5, 2, tzinfo=dt.UTC))


@time_machine.travel(dt.datetime(2024, 3, 6, tzinfo=dt.UTC), tick=False)
@pytest.mark.parametrize(("by_date", "skipped"), [(True, ["no"]), (False, ["yes"])])
def test_a_branch_by_the_day_of_the_week(
    dag: DAG, execute: Callable[..., Any], by_date: bool, skipped: list[str]
) -> None:
    gate = _gate(
        BranchDayOfWeekOperator(
            task_id="gate",
            follow_task_ids_if_true="yes",
            follow_task_ids_if_false="no",
            week_day={"Monday", "SUNDAY"},
            use_task_logical_date=by_date,
        )
    )
    assert _skipped(execute, gate) == skipped


@time_machine.travel(dt.datetime(2024, 3, 3, 23, 30, tzinfo=dt.UTC), tick=False)
def test_the_current_day_is_that_of_the_time_zone_of_the_dag(execute: Callable[..., Any]) -> None:
    with DAG("d", schedule=None, start_date=pendulum.datetime(2024, 1, 1, tz="Europe/Berlin")):
        gate = _gate(
            BranchDayOfWeekOperator(
                task_id="gate", follow_task_ids_if_true="yes", follow_task_ids_if_false="no", week_day="Monday"
            )
        )
    assert _skipped(execute, gate) == ["no"], "in Berlin it is Monday already"


def test_an_unknown_day_is_refused(dag: DAG) -> None:
    with pytest.raises(AttributeError, match="Moonday"):
        BranchDayOfWeekOperator(
            task_id="gate", follow_task_ids_if_true="yes", follow_task_ids_if_false="no", week_day="Moonday"
        )
