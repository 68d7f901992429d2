"""`dag.test()`: checks its arguments and calls the runner, which is in a layer above this one and is therefore named by its import path.

Also the message for methods of Airflow's DAG that need its metadata database, which tests call instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.model.errors.product import UserError
from gnomon.model.unchecked_sentences import say_unchecked

RUNNER = "gnomon.entry.testing.dag_runs.foreground_run:run_dag"
"""Imported by the first `dag.test()`: processes that only load DAG files do not need it."""

QUERIES = "gnomon.author_code.context.dag_queries:find_method"
"""Imported by the first such method that a task calls."""

_QUERIES = frozenset(
    {
        "get_active_runs",
        "get_dagrun",
        "get_dagruns_between",
        "get_is_active",
        "get_is_paused",
        "get_last_dagrun",
        "get_latest_execution_date",
        "get_num_active_runs",
        "get_num_task_instances",
        "get_task_instances",
        "has_dag_runs",
        "is_active",
        "is_paused",
        "latest_execution_date",
    }
)
"""Methods and properties of Airflow's DAG that read its runs, and that tasks can use."""

_DATABASE_METHODS = _QUERIES | frozenset(
    {
        "bulk_sync_to_db",
        "bulk_write_to_db",
        "clear",
        "clear_dags",
        "concurrency_reached",
        "create_dagrun",
        "deactivate_stale_dags",
        "deactivate_unknown_dags",
        "execute_callback",
        "fetch_callback",
        "fetch_dagrun",
        "get_concurrency_reached",
        "get_task_instances_before",
        "handle_callback",
        "pickle",
        "pickle_info",
        "run",
        "set_dag_runs_state",
        "set_task_group_state",
        "set_task_instance_state",
        "sync_to_db",
    }
)
"""Methods of Airflow's DAG, of any version, that read or write its metadata database."""


def find_query(dag: Any, name: str) -> Any:
    """A method or the value of a property of Airflow's DAG that reads runs, which a task can call; None for others, and elsewhere."""
    if name not in _QUERIES or not authoring_state.has_current_context():
        return None
    module, _, function = QUERIES.partition(":")
    return getattr(import_module(module), function)(dag, name)


def explain_missing_attribute(dag_id: str, name: str) -> str:
    """The message for an attribute that a DAG does not have."""
    if name in _DATABASE_METHODS:
        in_a_task = "in a task it can be read; " if name in _QUERIES else ""
        return (
            f"dag.{name} of DAG {dag_id!r} needs Airflow's metadata database, which Gnomon does not have; {in_a_task}in a test use the run that "
            "dag.test() returns, or the pytest fixture run_task; elsewhere the command `gnomon runs`"
        )
    return f"'DAG' object has no attribute {name!r}"


def run_in_foreground(dag: Any, *, execution_date: Any, session: Any, **arguments: Any) -> Any:
    """Run the DAG once in this process and return the run; `DAG.test` describes the arguments.

    Raises RuntimeError while a DAG file is loaded or a task runs, and UserError for arguments that contradict one another.
    """
    if authoring_state.is_collecting():
        raise RuntimeError(
            f"dag.test() of DAG {dag.dag_id!r} is called while Gnomon loads its file. Write it below `if __name__ == '__main__':`, "
            "so that it runs only with `python FILE`."
        )
    if authoring_state.has_current_context():
        raise RuntimeError(
            f"dag.test() of DAG {dag.dag_id!r} is called inside a task. Use TriggerDagRunOperator to start a run from a task."
        )
    if isinstance(arguments["logical_date"], Mapping):
        from gnomon.model.sentences import say  # loaded with the first refusal: most processes have none

        raise UserError(say("second_argument_is_logical_date"))
    if execution_date is not NOTSET:
        if arguments["logical_date"] is not NOTSET:
            from gnomon.model.sentences import say

            raise UserError(say("execution_date_excludes_logical_date"))
        arguments["logical_date"] = execution_date
    if session is not None:
        dag.warn(say_unchecked("session_of_test_is_idle"))
    module, _, name = RUNNER.partition(":")
    return getattr(import_module(module), name)(dag, **arguments)
