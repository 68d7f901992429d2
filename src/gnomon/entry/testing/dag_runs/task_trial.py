"""Runs one task of a DAG alone; the tasks before it are taken to have succeeded, with given XComs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.entry.testing.dag_runs.console_logging import console_logging
from gnomon.entry.testing.dag_runs.finished_run import FinishedTaskInstance
from gnomon.entry.testing.dag_runs.foreground_run import ForegroundRun, RunOptions, to_instant_of_date
from gnomon.entry.testing.dag_runs.private_store import PrivateStore
from gnomon.ground.clock import Clock, SystemClock
from gnomon.model.attempts import RETURN_VALUE
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.model.spec import DagSpec
from gnomon.queries.report.listings.not_found import task_not_found


def run_single_task(
    operator: Any,
    store: PrivateStore,
    clock: Clock | None,
    *,
    logical_date: datetime | Any = NOTSET,
    conf: dict[str, Any] | None = None,
    xcoms: Mapping[str, Any],
) -> Sequence[FinishedTaskInstance]:
    """Run the task in a run of its DAG and return its task instances; a task without a DAG gets one.

    No other task is run. `xcoms`: task id to the return value of that task. The trigger rule of the task does not matter.
    Raises UserError when the DAG, the conf or `xcoms` is not valid.
    """
    dag = operator.dag if operator.has_dag() else _make_dag(operator)
    for task_id in xcoms:
        if task_id not in dag.task_dict:
            raise task_not_found(dag.dag_id, task_id, list(dag.task_dict))
    if operator.task_id in xcoms:
        raise UserError(say("value_is_of_task_itself", task_id=operator.task_id))
    clock = clock or SystemClock()
    now = clock.now()

    def mark(task_id: str) -> dict[str, object] | None:
        if task_id == operator.task_id:
            return None
        return {RETURN_VALUE: xcoms[task_id]} if task_id in xcoms else {}

    options = RunOptions(
        logical_at=now
        if logical_date is NOTSET
        else None
        if logical_date is None
        else to_instant_of_date(logical_date),
        run_after=now,
        conf=dict(conf or {}),
        mark=mark,
        change_spec=lambda spec: _prepare_spec(spec, operator.task_id),
    )
    with console_logging(store.cfg.text("logging", "logging_level")):
        run = ForegroundRun(dag, store, clock, options).run()
    return [instance for instance in run.task_instances if instance.task_id == operator.task_id]


def _make_dag(operator: Any) -> DAG:
    dag = DAG("run_task", schedule=None)
    dag.add_task(operator)
    return dag


def _prepare_spec(spec: DagSpec, task_id: str) -> DagSpec:
    """The spec in which the task runs whatever came before it, and every other task needs an attempt, so that it can be marked."""
    tasks = tuple(
        msgspec.structs.replace(
            task, trigger_rule="all_done" if task.task_id == task_id else task.trigger_rule, runs_code=True
        )
        for task in spec.tasks
    )
    return msgspec.structs.replace(spec, tasks=tasks, run_callbacks=(), run_listeners=(), fail_fast=False)
