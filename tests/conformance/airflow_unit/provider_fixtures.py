"""A pytest plugin beside `gnomon_fixtures`: what the unit tests of provider packages need, and Airflow's default connections.

`create_connection_without_db` gives a connection to the test in the environment, as Airflow's does. The mark `backend` names the
database that Airflow's metadata would be in: there is none here, and such tests fail where they use it. POSTGRES_SERVER is the
address of a database for `postgres_default`.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from unittest.mock import MagicMock

import gnomon_fixtures
import pytest

DEFAULT_CONNECTIONS = {
    "aws_default": {"conn_type": "aws"},
    "ftp_default": {
        "conn_type": "ftp",
        "host": "localhost",
        "port": 21,
        "login": "airflow",
        "password": "airflow",
        "extra": {"key_file": "~/.ssh/id_rsa", "no_host_key_check": True},
    },
    "http_default": {"conn_type": "http", "host": "https://www.httpbin.org/"},
    "mysql_default": {"conn_type": "mysql", "host": "mysql", "login": "root", "schema": "airflow"},
    "postgres_default": {
        "conn_type": "postgres",
        "host": "postgres",
        "login": "postgres",
        "password": "airflow",
        "schema": "airflow",
    },
    "redis_default": {"conn_type": "redis", "host": "127.0.0.1", "port": 6379, "extra": {"db": 0}},
    "redshift_default": {"conn_type": "redshift"},
    "sqlite_default": {"conn_type": "sqlite", "host": "/tmp/sqlite_default.db"},
    "ssh_default": {"conn_type": "ssh", "host": "localhost"},
}
"""The connections of a new Airflow that the tests ask for; the Redis server is the one of this machine."""


def pytest_configure(config: pytest.Config) -> None:
    for marker in (
        "asyncio_cooperative",
        "integration",
        "system",
        "quarantined",
        "long_running",
        "platform",
        "keep_secrets_masker_state",
    ):
        config.addinivalue_line("markers", marker)


@pytest.fixture(autouse=True)
def default_connections(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The environment has Airflow's default connections; the file of `sqlite_default` is in a temporary folder."""
    for conn_id, fields in DEFAULT_CONNECTIONS.items():
        place = (
            {"host": str(tmp_path_factory.getbasetemp() / "sqlite_default.db")} if conn_id == "sqlite_default" else {}
        )
        monkeypatch.setenv(f"AIRFLOW_CONN_{conn_id.upper()}", json.dumps({**fields, **place}))
    if "POSTGRES_SERVER" in os.environ:
        monkeypatch.setenv("AIRFLOW_CONN_POSTGRES_DEFAULT", os.environ["POSTGRES_SERVER"])


@pytest.fixture
def create_connection_without_db(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """`create_connection_without_db(connection)`: tasks find the connection in the environment."""

    def create(connection: object) -> None:
        monkeypatch.setenv(f"AIRFLOW_CONN_{connection.conn_id.upper()}", connection.as_json())  # type: ignore[attr-defined]

    return create


@pytest.fixture
def create_dag_without_db() -> Callable[..., object]:
    """`create_dag_without_db("id")`: a DAG."""

    def create(dag_id: str) -> object:
        from airflow.sdk import DAG

        return DAG(dag_id, schedule=None)

    return create


@pytest.fixture
def create_task_of_operator(dag_maker: Callable[..., object]) -> Callable[..., object]:
    """`create_task_of_operator(Operator, dag_id=..., **arguments)`: a task of a new DAG."""

    def create(
        operator_class: Callable[..., object], *, dag_id: str, session: object = None, **arguments: object
    ) -> object:
        with dag_maker(dag_id=dag_id):
            return operator_class(**arguments)

    return create


class _TaskRun:
    """`run_task(operator)` runs the task as a DAG of its own; `state` and `error` are those of its end."""

    def __init__(self, run_task: Callable[..., object]) -> None:
        self._run_task = run_task
        self.state = ""
        self.error: object = None

    def __call__(self, operator: object, **arguments: object) -> None:
        from airflow.sdk import DAG

        with DAG("unit_test_dag", schedule=None) as dag:
            dag.add_task(operator)
        self.state = str(self._run_task(operator, **arguments).state)  # type: ignore[attr-defined]


@pytest.fixture
def run_task(run_task: Callable[..., object]) -> _TaskRun:
    """Gnomon's own `run_task`, with the attributes that Airflow's has."""
    return _TaskRun(run_task)


@pytest.fixture
def mock_task_instance() -> Callable[..., object]:
    """`mock_task_instance(task_id=..., try_number=...)`: a mock with these attributes."""
    return lambda **attributes: MagicMock(name="ti", **attributes)


@pytest.fixture
def sdk_connection_not_found() -> None:
    """Only connections of the environment are found, and no server is asked for another one."""


@pytest.fixture
def hook_lineage_collector() -> Iterator[object]:
    """The collector of lineage, empty before the test."""
    from airflow.sdk import lineage

    collector = lineage.HookLineageCollector()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lineage, "_hook_lineage_collector", collector, raising=False)
        for place in ("airflow.providers.common.compat.lineage.hook", "airflow.lineage.hook"):
            patch.setattr(f"{place}.get_hook_lineage_collector", lambda: collector, raising=False)
        yield collector


@pytest.fixture
def cleanup_providers_manager() -> None:
    """Gnomon reads the metadata of provider packages once."""


@pytest.fixture
def reset_logging_config() -> None:
    """Gnomon configures no loggers here."""


for _name in ("clean_dags_dagruns_and_dagbundles", "clean_executor_loader", "create_runtime_ti_without_db"):
    globals().setdefault(f"_{_name}", gnomon_fixtures._needs_airflow(_name))
gnomon_fixtures.TIME_LIMIT_S = 120
"""Hooks import large packages when they are first used."""
logging.getLogger().setLevel(logging.INFO)
"""As Airflow configures it: tests read messages of hooks."""
os.environ["AIRFLOW__SENSORS__DEFAULT_TIMEOUT"] = "8"
"""Some tests wait for the end of a sensor that is given no timeout."""
