"""Imports the modules that DAG files commonly import, once, before parse children are forked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib import import_module

from gnomon.author_code.loading import dagfile, dialect
from gnomon.author_code.loading.installed_entry_points import preload_entry_points
from gnomon.author_code.processes.message_stream import FrameDecoder
from gnomon.author_code.processes.task_api_messages import TaskApiResponse
from gnomon.authoring.operators.bash import BashOperator
from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec

OWN_MODULES = (
    "gnomon.authoring.sdk.tasks.task_decorators",
    "gnomon.authoring.sdk.members.task_group",
    "gnomon.author_code.loading.dagfile",
)
COMMON_MODULES = (
    "airflow",
    "airflow.sdk",
    "airflow.decorators",
    "airflow.models",
    "airflow.operators.python",
    "airflow.operators.bash",
    "airflow.operators.empty",
    "airflow.providers.standard.operators.python",
    "airflow.providers.standard.operators.bash",
    "airflow.providers.standard.operators.empty",
    "airflow.utils.dates",
    "airflow.utils.trigger_rule",
    "airflow.utils.task_group",
    "datetime",
    "pendulum",
    "json",
    "logging",
    "pathlib",
    "random",
)
"""Modules that DAG files import most often and that start neither threads nor connections."""


def preload() -> list[str]:
    """Import the modules; returns the names of COMMON_MODULES that are not installed, for the log."""
    for name in OWN_MODULES:
        import_module(name)
    dialect.enable()
    preload_entry_points()
    missing = [name for name in COMMON_MODULES if not _try_import(name)]
    warm_up()
    dagfile.prepare_search()
    FrameDecoder(TaskApiResponse)  # its decoder is kept for the channel of each child
    return missing


def warm_up() -> None:
    """Build a DAG, so that parse children inherit everything that the first DAG of a process imports or computes."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for schedule in ("@daily", timedelta(hours=1), None):
        with DAG("warm_up", schedule=schedule, start_date=start, tags=["warm"], auto_register=False) as dag:
            first = EmptyOperator(task_id="first", retries=1, retry_delay=timedelta(minutes=5))
            second = PythonOperator(task_id="second", python_callable=warm_up, op_kwargs={"text": "{{ ds }}"})
            first >> BashOperator(task_id="third", bash_command="true") >> second
        build_dag_spec(dag, __file__)


def _try_import(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True
