"""Logs in a remote folder: a standalone with a server of S3, and one with a folder of this machine."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of
from tests.acceptance.product import Product, product
from tests.s3_server import BUCKET, S3Server, s3_server

from gnomon.storage.remote_logs.upload_spool import list_unsent_logs

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FLOWS = """
from airflow.sdk import DAG, task
import os, time

with DAG("says"):
    @task
    def hello():
        print("hello from the task")
    hello()

with DAG("lasts"):
    @task
    def waits_for_go():
        print("it runs", flush=True)
        while not os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
            time.sleep(0.02)
        print("it ends", flush=True)
    waits_for_go()

with DAG("dies"):
    @task
    def kills_itself():
        print("last words", flush=True)
        os.kill(os.getpid(), 9)
    kills_itself()
"""
ACTIVE = {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False", "GNOMON__API__AUTH": "none"}


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture(scope="module")
def changed(store: S3Server) -> Iterator[Product]:
    """A standalone whose logs go to the store, and stay on the machine no longer than needed."""
    environ = {
        "AIRFLOW__LOGGING__REMOTE_LOGGING": "True",
        "AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER": f"s3://{BUCKET}/team/logs",
        "AIRFLOW__LOGGING__REMOTE_LOG_CONN_ID": "s3_of_tests",
        "AIRFLOW__LOGGING__DELETE_LOCAL_LOGS": "True",
        **ACTIVE,
    }
    with product({"flows.py": FLOWS}, environ) as running:
        running.has_dag("says")
        running.write("broken.py", "x = (\n")
        yield running


def _find_key(dag_id: str, run_id: str, task_id: str) -> str:
    return f"dag_id={dag_id}/run_id={run_id}/task_id={task_id}.attempt=1.log"


def _set_connection(running: Product, store: S3Server) -> None:
    connection = store.connection
    fields = {"conn_type": "aws", "login": connection.login, "password": connection.password, "extra": connection.extra}
    running.do("connections", "set", "s3_of_tests", "--conn-json", json.dumps(fields))


def _is_moved(running: Product, name: str) -> bool:
    return not (running.home / "logs" / name).exists() and name not in list_unsent_logs(running.home / "logs")


@effect_of(
    "logging.remote_logging",
    "logging.remote_base_log_folder",
    "logging.remote_log_conn_id",
    "logging.delete_local_logs",
)
def test_logs_wait_for_the_connection_and_are_read_from_the_store_once_they_have_left(
    changed: Product, store: S3Server
) -> None:
    name = _find_key("says", "r?versionId=#1", "hello")
    assert changed.run("says", "--run-id", "r?versionId=#1")["state"] == "success"
    changed.until(
        lambda: "connection 's3_of_tests' of [logging] remote_log_conn_id does not exist: create it" in changed.log(),
        "the failed upload is said",
    )
    assert (changed.home / "logs" / name).exists()
    assert "hello from the task" in changed.task_log("says", "r?versionId=#1", "hello")
    _set_connection(changed, store)
    changed.until(lambda: _is_moved(changed, name), "the log has left the machine")
    assert [key for key in store.list_keys() if "says" in key] == [
        "team/logs/dag_id=says/run_id=r%3FversionId=%231/task_id=hello.attempt=1.log"
    ]
    assert "hello from the task" in changed.task_log("says", "r?versionId=#1", "hello")
    assert "hello from the task" in changed.do("tasks", "logs", "says", "r?versionId=#1")
    address = f"{changed.said.split()[3]}/api/v2/dags/says/dagRuns/r%3FversionId%3D%231/taskInstances/hello/logs/1"
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Accept": "application/json"})) as answer:
        assert "hello from the task" in answer.read().decode()
    with urllib.request.urlopen(f"{address}/lines".replace("/api/v2/", "/api/gnomon/v1/")) as answer:
        assert "hello from the task" in answer.read().decode()
    assert store.connection.password is not None
    assert store.connection.password not in changed.log()


def test_the_lines_of_a_running_task_are_local_and_followed_to_their_end(changed: Product, store: S3Server) -> None:
    _set_connection(changed, store)
    name = _find_key("lasts", "r", "waits_for_go")
    changed.do("dags", "trigger", "lasts", "--run-id", "r")
    changed.until(lambda: "it runs" in changed.cli("tasks", "logs", "lasts", "r", "waits_for_go").out, "the task runs")
    assert (changed.home / "logs" / name).exists()
    assert not [key for key in store.list_keys() if "lasts" in key]
    (changed.home / "go").touch()
    followed = changed.do("tasks", "logs", "lasts", "r", "waits_for_go", "--follow")
    assert ("it runs" in followed, "it ends" in followed) == (True, True)
    changed.until(lambda: _is_moved(changed, name), "the log has left the machine")
    assert store.files().cat_file(f"{BUCKET}/team/logs/{name}").decode().splitlines()[-1] == "it ends"


def test_the_log_of_a_killed_task_has_the_reason_in_the_store_too(changed: Product, store: S3Server) -> None:
    _set_connection(changed, store)
    name = _find_key("dies", "r", "kills_itself")
    assert changed.run("dies", "--run-id", "r")["state"] == "failed"
    changed.until(lambda: _is_moved(changed, name), "the log has left the machine")
    text = store.files().cat_file(f"{BUCKET}/team/logs/{name}").decode()
    assert "last words" in text
    assert "SIGKILL" in text


def test_logs_that_a_stopped_worker_has_left_are_uploaded_by_the_next(tmp_path: Path) -> None:
    remote = tmp_path / "remote"
    remote.write_text("a file, where the folder should be")
    environ = {
        "GNOMON__LOGGING__REMOTE_LOGGING": "True",
        "GNOMON__LOGGING__REMOTE_BASE_LOG_FOLDER": f"file://{remote}",
        "GNOMON__WORKERS__ATTEMPTS_PER_CHILD": "5",
        **ACTIVE,
    }
    with product({"flows.py": FLOWS}, environ) as running:
        running.has_dag("says")
        running.run("says", "--run-id", "r")
        running.until(lambda: "log_upload_failed" in running.log(), "the failed upload is said")
        running.stop()
        name = _find_key("says", "r", "hello")
        assert list_unsent_logs(running.home / "logs") == {name}
        remote.unlink()
        running._start()
        running.until(lambda: not list_unsent_logs(running.home / "logs"), "the log is uploaded")
        assert (remote / name).read_text() == (running.home / "logs" / name).read_text()


def test_a_standalone_with_a_wrong_folder_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"\[logging\] remote_base_log_folder .* has the scheme 'cloudwatch'"):
        with product(
            {},
            {
                "AIRFLOW__LOGGING__REMOTE_LOGGING": "True",
                "AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER": "cloudwatch://arn",
            },
        ):
            raise RuntimeError("it has started")
