"""The table of arguments is complete, and so is what it encodes."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
import pytest

from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.sdk import fields
from gnomon.sdk.dag import DAG
from gnomon.sdk.notset import NOTSET
from gnomon.sdk.operator import BaseOperator
from gnomon.sdk.sensor import BaseSensorOperator
from gnomon.sdk.taskgroup import TaskGroup

CONSTRUCTORS = [(BaseOperator, fields.OPERATOR), (BaseSensorOperator, fields.SENSOR), (DAG, fields.DAG), (TaskGroup, fields.GROUP)]


def arguments(kind: type) -> dict[str, inspect.Parameter]:
    found = inspect.signature(kind.__init__).parameters.values()
    return {one.name: one for one in found if one.name != "self" and one.kind is not one.VAR_KEYWORD}


@pytest.mark.parametrize(("kind", "rows"), CONSTRUCTORS)
def test_every_argument_has_a_row_and_every_row_an_argument(kind: type, rows: tuple[fields.Row, ...]) -> None:
    assert set(arguments(kind)) == {row.name for row in rows}
    assert len(rows) == len({row.name for row in rows})


@pytest.mark.parametrize(("kind", "rows"), CONSTRUCTORS)
def test_the_default_in_the_signature_is_that_of_the_row(kind: type, rows: tuple[fields.Row, ...]) -> None:
    given = arguments(kind)
    for row in rows:
        default: Any = given[row.name].default
        if isinstance(row.default, fields.Required):
            assert default is inspect.Parameter.empty, row.name
        elif isinstance(row.default, fields.Option):
            assert default is NOTSET, row.name
        else:
            assert default is NOTSET or default == row.default, row.name


@pytest.mark.parametrize(("rows", "spec"), [(fields.OPERATOR, TaskSpec), (fields.DAG, DagSpec)])
def test_rows_encode_into_fields_that_the_spec_has(rows: tuple[fields.Row, ...], spec: type) -> None:
    known = {field.name for field in msgspec.structs.fields(spec)}
    targets = [row.spec for row in rows if row.spec]
    assert set(targets) <= known
    assert len(targets) == len(set(targets))


def test_defaults_come_from_the_options(options: Any) -> None:
    options(AIRFLOW__CORE__DEFAULT_TASK_RETRIES="4", AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY="7",
            AIRFLOW__OPERATORS__DEFAULT_OWNER="me", AIRFLOW__OPERATORS__DEFAULT_QUEUE="fast",
            AIRFLOW__CORE__DEFAULT_TASK_EXECUTION_TIMEOUT="60", AIRFLOW__CORE__DEFAULT_TASK_WEIGHT_RULE="absolute",
            AIRFLOW__SENSORS__DEFAULT_TIMEOUT="5", AIRFLOW__CORE__MAX_ACTIVE_RUNS_PER_DAG="3",
            AIRFLOW__CORE__MAX_ACTIVE_TASKS_PER_DAG="9", AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT="True",
            AIRFLOW__CORE__MAX_CONSECUTIVE_FAILED_DAG_RUNS_PER_DAG="2",
            GNOMON__WORKERS__ATTEMPTS_PER_CHILD="50",
            AIRFLOW__SCHEDULER__IGNORE_FIRST_DEPENDS_ON_PAST_BY_DEFAULT="False")
    with DAG("d") as dag:
        task = BaseSensorOperator(task_id="t")
    assert (task.retries, task.retry_delay.total_seconds(), task.owner, task.queue) == (4, 7, "me", "fast")
    assert task.execution_timeout is not None
    assert task.execution_timeout.total_seconds() == 60
    assert (str(task.weight_rule), task.timeout, task.ignore_first_depends_on_past) == ("absolute", 5, False)
    assert (dag.max_active_runs, dag.max_active_tasks, dag.catchup, dag.max_consecutive_failed_dag_runs) == (3, 9, True, 2)
    assert (dag.attempts_per_child, DAG("e", attempts_per_child=1).attempts_per_child) == (50, 1)
