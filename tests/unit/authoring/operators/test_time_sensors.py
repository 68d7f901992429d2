"""Sensors that wait for a time: on a worker, deferred, and from their trigger on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import time_machine

from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.operators.time_sensors import (
    DateTimeSensor,
    DateTimeSensorAsync,
    DayOfWeekSensor,
    TimeDeltaSensor,
    TimeDeltaSensorAsync,
    TimeSensor,
    TimeSensorAsync,
    WaitSensor,
)
from gnomon.authoring.operators.triggers import DateTimeTrigger, TimeDeltaTrigger
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.schedules.weekday import WeekDay
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors.authoring import TaskDeferred

MONDAY = dt.datetime(2024, 3, 4, tzinfo=dt.UTC)
NOON = MONDAY.replace(hour=12)


def _deferred(execute: Callable[..., Any], task: Any, **kwargs: Any) -> TaskDeferred:
    with pytest.raises(TaskDeferred) as raised:
        execute(task, **kwargs)
    return raised.value


@pytest.mark.parametrize(
    ("moment", "is_there"), [(MONDAY, True), (NOON, True), (NOON + dt.timedelta(seconds=1), False)]
)
@time_machine.travel(NOON, tick=False)
def test_a_date_time_sensor_waits_for_its_moment(
    dag: DAG, context_of: Callable[..., Any], moment: dt.datetime, is_there: bool
) -> None:
    sensor = DateTimeSensor(task_id="t", target_time=moment)
    assert sensor.poke(context_of(sensor)) is is_there
    assert DateTimeSensor(task_id="u", target_time=moment.isoformat()).poke(context_of(sensor)) is is_there


def test_a_date_time_sensor_takes_a_template(dag: DAG, execute: Callable[..., Any]) -> None:
    sensor = DateTimeSensorAsync(task_id="t", target_time="{{ macros.ds_add(ds, 9999) }}", timeout=30)
    deferred = _deferred(execute, sensor)
    assert deferred.trigger.moment == MONDAY + dt.timedelta(days=9999)
    assert (deferred.method_name, deferred.timeout) == ("execute_complete", dt.timedelta(seconds=30))


def test_another_kind_of_moment_is_refused_by_name(dag: DAG) -> None:
    with pytest.raises(TypeError, match=r"Task 't' \(.*target_time must be text or a datetime, not 7 \(int\)"):
        DateTimeSensor(task_id="t", target_time=7)  # type: ignore[arg-type]


def test_two_sensors_that_start_from_their_trigger_have_moments_of_their_own(dag: DAG) -> None:
    DateTimeSensorAsync(task_id="one", target_time=NOON, start_from_trigger=True, timeout=60)
    DateTimeSensorAsync(task_id="two", target_time=MONDAY, start_from_trigger=True, end_from_trigger=True)
    DateTimeSensorAsync(task_id="on_a_worker", target_time="{{ ds }}", start_from_trigger=True)
    one, two, on_a_worker = (
        task.start_wait for task in sorted(build_dag_spec(dag, __file__, load_class).spec.tasks, key=_order)
    )
    assert one is not None and two is not None and on_a_worker is None
    assert (one.due_at, one.ends_task, one.timeout_s) == (int(NOON.timestamp() * 1e6), False, 60)
    assert (two.due_at, two.ends_task) == (int(MONDAY.timestamp() * 1e6), True)


def _order(task: Any) -> int:
    return ["one", "two", "on_a_worker"].index(task.task_id)


@time_machine.travel(MONDAY + dt.timedelta(minutes=5), tick=False)
def test_a_span_counts_from_the_end_of_the_data_interval(
    dag: DAG, context_of: Callable[..., Any], execute: Callable[..., Any]
) -> None:
    past, coming = dt.timedelta(minutes=5), dt.timedelta(minutes=6)
    sensor = TimeDeltaSensor(task_id="t", delta=past)
    assert sensor.poke(context_of(sensor)) is True
    assert TimeDeltaSensor(task_id="u", delta=coming).poke(context_of(sensor)) is False
    assert execute(TimeDeltaSensor(task_id="v", delta=past, deferrable=True)) is True
    deferred = _deferred(execute, TimeDeltaSensorAsync(task_id="w", delta=coming, end_from_trigger=True))
    assert type(deferred.trigger) is DateTimeTrigger and deferred.trigger.end_from_trigger
    assert deferred.trigger.moment == MONDAY + coming


@time_machine.travel(MONDAY, tick=False)
def test_a_wait_sensor_waits_for_minutes_from_its_start(dag: DAG, execute: Callable[..., Any]) -> None:
    deferred = _deferred(execute, WaitSensor(task_id="t", time_to_wait=2, deferrable=True))
    assert type(deferred.trigger) is TimeDeltaTrigger and deferred.trigger.end_from_trigger
    assert deferred.trigger.delta == dt.timedelta(minutes=2)
    assert execute(WaitSensor(task_id="u", time_to_wait=dt.timedelta(0))) is None
    rendered = _deferred(execute, WaitSensor(task_id="v", time_to_wait="{{ 1 + 2 }}", deferrable=True))
    assert rendered.trigger.delta == dt.timedelta(minutes=3)
    later = _deferred(execute, TimeDeltaSensor(task_id="w", delta="{{ 5 }}", deferrable=True))
    assert later.trigger.moment == MONDAY + dt.timedelta(minutes=5)


@time_machine.travel(dt.datetime(2024, 3, 4, 23, 30, tzinfo=dt.UTC), tick=False)
def test_a_time_of_day_is_one_of_the_dags_zone_and_day(
    execute: Callable[..., Any], context_of: Callable[..., Any]
) -> None:
    with DAG("zurich", schedule=None, start_date=MONDAY):
        utc = TimeSensor(task_id="utc", target_time=dt.time(23, 45))
    import pendulum

    with DAG("other", schedule=None, start_date=pendulum.datetime(2024, 1, 1, tz="Europe/Zurich")):
        zurich = TimeSensorAsync(task_id="zurich", target_time=dt.time(0, 45))
    assert utc.target_datetime == zurich.target_datetime == dt.datetime(2024, 3, 4, 23, 45, tzinfo=dt.UTC)
    assert utc.poke(context_of(utc)) is False
    assert _deferred(execute, zurich).trigger.moment == zurich.target_datetime


def test_a_time_sensor_that_waits_past_midnight_waits_for_no_other_day(
    dag: DAG, context_of: Callable[..., Any]
) -> None:
    sensor = TimeSensor(task_id="t", target_time=dt.time(23, 59, 59))
    context = context_of(sensor)
    with time_machine.travel(MONDAY.replace(hour=23, minute=59), tick=False):
        assert sensor.poke(context) is False
    with time_machine.travel(MONDAY + dt.timedelta(days=1), tick=False):
        assert sensor.poke(context) is True


def test_deferrable_is_the_installations_when_nobody_says(dag: DAG, tmp_path: Path) -> None:
    set_current_config(load_config({"AIRFLOW__OPERATORS__DEFAULT_DEFERRABLE": "True"}, tmp_path))
    assert TimeSensor(task_id="t", target_time=dt.time(1)).deferrable is True
    assert TimeSensor(task_id="u", target_time=dt.time(1), deferrable=False).deferrable is False


@time_machine.travel(MONDAY, tick=False)
@pytest.mark.parametrize(
    ("day", "logical", "is_there"),
    [
        ("monday", False, True),
        (WeekDay.TUESDAY, False, False),
        ({WeekDay.SUNDAY, "Monday"}, False, True),
        ("tuesday", True, True),
        ("monday", True, False),
    ],
)
def test_a_day_of_week_sensor_waits_for_its_days(
    dag: DAG, context_of: Callable[..., Any], day: Any, logical: bool, is_there: bool
) -> None:
    sensor = DayOfWeekSensor(task_id="t", week_day=day, use_task_logical_date=logical)
    assert sensor.poke(context_of(sensor, logical_date=MONDAY + dt.timedelta(days=1))) is is_there
