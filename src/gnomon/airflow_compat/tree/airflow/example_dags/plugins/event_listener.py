"""`airflow.example_dags.plugins.event_listener`: listeners that log what they are told, in code of our own."""

import logging

from airflow.listeners import hookimpl

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = [
    "on_dag_run_failed",
    "on_dag_run_running",
    "on_dag_run_success",
    "on_task_instance_failed",
    "on_task_instance_running",
    "on_task_instance_skipped",
    "on_task_instance_success",
]


log = logging.getLogger("airflow.example_dags.event_listener")


@hookimpl
def on_task_instance_running(previous_state, task_instance):
    """Logs the task and its DAG."""
    log.info(
        "Task %s of DAG %s is running; its state before: %s",
        task_instance.task_id,
        task_instance.dag_id,
        previous_state,
    )


@hookimpl
def on_task_instance_success(task_instance):
    """Logs the task and its operator."""
    log.info("Task %s succeeded: %s", task_instance.task_id, task_instance.get_template_context()["task"])


@hookimpl
def on_task_instance_failed(task_instance, error):
    """Logs the task and the error."""
    log.info("Task %s failed: %s", task_instance.task_id, error)


@hookimpl
def on_task_instance_skipped(task_instance):
    """Logs the task."""
    log.info("Task %s skipped itself", task_instance.task_id)


@hookimpl
def on_dag_run_success(dag_run):
    """Logs when the run started and ended."""
    log.info(
        "Run %s of DAG %s succeeded, from %s to %s",
        dag_run.run_id,
        dag_run.dag_id,
        dag_run.start_date,
        dag_run.end_date,
    )


@hookimpl
def on_dag_run_failed(dag_run, msg):
    """Logs the run and the reason."""
    log.info("Run %s (%s) of DAG %s failed: %s", dag_run.run_id, dag_run.run_type, dag_run.dag_id, msg)


@hookimpl
def on_dag_run_running(dag_run):
    """Logs the run."""
    log.info("Run %s of DAG %s is running", dag_run.run_id, dag_run.dag_id)


__getattr__ = make_getattr(__name__)
