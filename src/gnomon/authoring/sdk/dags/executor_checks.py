"""Checks that the executors that the tasks and callbacks of a DAG name are configured."""

from __future__ import annotations

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.model.errors.installation_errors import UnknownExecutorException
from gnomon.model.executors import ConfiguredExecutors


def check_executors(dag: DAG, executors: ConfiguredExecutors) -> None:
    """Raise UnknownExecutorException, which names the task or the DAG and its line, for an executor that `[core] executor` does not name."""
    for task in dag.tasks:
        if task.executor is not None and executors.find(task.executor) is None:
            raise UnknownExecutorException(
                f"task {task.task_id!r} of DAG {dag.dag_id!r}{format_location(task._location)} {executors.describe_unknown(task.executor)}."
            )
    for alert in dag.deadline or ():
        executor = getattr(alert.callback, "executor", None)
        if executor is not None and executors.find(executor) is None:
            raise UnknownExecutorException(
                f"a SyncCallback of DAG {dag.dag_id!r}{format_location(dag._location)} {executors.describe_unknown(executor)}."
            )
