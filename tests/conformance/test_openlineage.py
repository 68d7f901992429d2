"""OpenLineage's listener, unmodified, sends its events to a server of this process: of runs, and of tasks of every kind and end.

The events have what the specification of OpenLineage requires of a RunEvent and of facets (https://openlineage.io/spec/2-0-2/OpenLineage.json).
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import jsonschema
import pytest
from tests.acceptance.product import Product, product
from tests.conformance.integrations import integration_environ

pytestmark = [pytest.mark.soak, pytest.mark.network]
RUNS_S = 600
FACETS = {
    "additionalProperties": {
        "type": "object",
        "required": ["_producer", "_schemaURL"],
        "properties": {
            "_producer": {"type": "string", "format": "uri"},
            "_schemaURL": {"type": "string", "format": "uri"},
        },
    }
}
DATASETS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["namespace", "name"],
        "properties": {
            "namespace": {"type": "string"},
            "name": {"type": "string"},
            "facets": {"type": "object", **FACETS},
        },
    },
}
RUN_EVENT = {
    "type": "object",
    "required": ["eventTime", "producer", "schemaURL", "run", "job"],
    "properties": {
        "eventTime": {"type": "string", "format": "date-time"},
        "producer": {"type": "string", "format": "uri"},
        "schemaURL": {"type": "string", "format": "uri"},
        "eventType": {"enum": ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]},
        "run": {
            "type": "object",
            "required": ["runId"],
            "properties": {"runId": {"type": "string", "format": "uuid"}, "facets": {"type": "object", **FACETS}},
        },
        "job": {
            "type": "object",
            "required": ["namespace", "name"],
            "properties": {
                "namespace": {"type": "string"},
                "name": {"type": "string"},
                "facets": {"type": "object", **FACETS},
            },
        },
        "inputs": DATASETS,
        "outputs": DATASETS,
    },
}
FILE = """
import datetime as dt, os
from airflow.exceptions import AirflowSkipException
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.latest_only import LatestOnlyOperator
from airflow.providers.standard.operators.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator
from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.providers.standard.sensors.bash import BashSensor
from airflow.providers.standard.sensors.date_time import DateTimeSensorAsync
from airflow.providers.standard.sensors.external_task import ExternalTaskSensor
from airflow.providers.standard.sensors.filesystem import FileSensor
from airflow.providers.standard.sensors.python import PythonSensor
from airflow.providers.standard.sensors.time_delta import TimeDeltaSensor
from airflow.sdk import DAG, Asset, Label, TaskGroup, task

soon = dt.timedelta(seconds=0.1)
common = dict(schedule=None, is_paused_upon_creation=False)

with DAG("called", **common):
    EmptyOperator(task_id="a")

with DAG("good", description="all that ends well", tags=["lineage"], default_args={"owner": "ada"}, doc_md="# Good", **common):
    first = BashOperator(task_id="bash", bash_command="echo hi", outlets=[Asset("lake", uri="file:///lake/day")])
    with TaskGroup("group") as group:
        PythonOperator(task_id="python", python_callable=len, op_args=["abc"])
        SQLExecuteQueryOperator(task_id="sql", conn_id="shop", sql="CREATE TABLE IF NOT EXISTS copies AS SELECT * FROM orders")
    first >> Label("then") >> group
    BranchPythonOperator(task_id="branch", python_callable=lambda: "chosen") >> [EmptyOperator(task_id="chosen"), BashOperator(task_id="other", bash_command="exit 1")]
    ShortCircuitOperator(task_id="short", python_callable=lambda: False) >> BashOperator(task_id="cut", bash_command="exit 1")
    LatestOnlyOperator(task_id="latest")
    TriggerDagRunOperator(task_id="trigger", trigger_dag_id="called", wait_for_completion=True, deferrable=True, poke_interval=1)
    BashSensor(task_id="bash_sensor", bash_command="true")
    PythonSensor(task_id="rescheduled", python_callable=lambda ti: ti.task_id and os.path.exists({mark!r}) or os.mknod({mark!r}), mode="reschedule", poke_interval=0.5)
    FileSensor(task_id="file", filepath=__file__)
    TimeDeltaSensor(task_id="deferred", delta=dt.timedelta(seconds=1), deferrable=True)
    DateTimeSensorAsync(task_id="date", target_time="2020-01-01T00:00:00+00:00")

    @task(retries=1, retry_delay=soon)
    def retried(ti):
        if ti.try_number == 1:
            raise ValueError("the first try")

    @task
    def mapped(n):
        return n

    @task
    def skipped():
        raise AirflowSkipException("not today")

    retried(), mapped.expand(n=[1, 2, 3]), skipped()

with DAG("bad", **common):
    BashOperator(task_id="exits", bash_command="exit 3")

    @task
    def raises():
        raise ValueError("the cause")

    @task
    def killed():
        os.kill(os.getpid(), 9)

    raises(), killed()
"""
ONCE = {"bash", "group.python", "group.sql", "branch", "short", "latest", "bash_sensor", "file", "skipped"}
NEVER = {"chosen", "other", "cut"}


class Sent(NamedTuple):
    """An event: its type, job, and the id of its run."""

    kind: str
    job: str
    run_id: str


class Sink(BaseHTTPRequestHandler):
    """Keeps the events that are posted to it."""

    events: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Sink.events.append(
            json.loads(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
        )
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


@contextmanager
def sink() -> Iterator[str]:
    """The address of a new sink."""
    Sink.events = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Sink) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("lineage")
    database = json.dumps({"conn_type": "sqlite", "host": str(folder / "shop.db")})
    with sink() as address:
        environ = {**integration_environ(), "OPENLINEAGE_URL": address, "AIRFLOW_CONN_SHOP": database}
        with sqlite3.connect(folder / "shop.db") as shop:
            shop.execute("CREATE TABLE orders (n INTEGER)")
        with product(
            {"flows.py": FILE.replace("{mark!r}", repr(str(folder / "mark")))}, environ, interpreter=True
        ) as made:
            made.until(
                lambda: {"good", "bad", "called"} <= {row["dag_id"] for row in made.rows("dags", "list")},
                "all DAGs are there",
                RUNS_S,
            )
            for dag_id in ("good", "bad"):
                made.do("dags", "trigger", dag_id, "--run-id", "r")
            made.until(
                lambda: {"good", "bad", "called"} <= {sent.job for sent in list_sent() if sent.kind != "START"},
                "the events of all runs came",
                RUNS_S,
            )
            yield made


def list_sent() -> list[Sent]:
    return [Sent(event["eventType"], event["job"]["name"], event["run"]["runId"]) for event in list(Sink.events)]


def kinds_by_run(job: str) -> list[list[str]]:
    """For each run of the job, the types of its events in their order."""
    by_run: dict[str, list[str]] = defaultdict(list)
    for sent in list_sent():
        if sent.job == job:
            by_run[sent.run_id].append(sent.kind)
    return sorted(by_run.values())


def test_every_event_is_one_of_the_specification(running: Product) -> None:
    checker = jsonschema.Draft202012Validator(RUN_EVENT, format_checker=jsonschema.FormatChecker())
    assert Sink.events
    for event in Sink.events:
        checker.validate(event)


def test_runs_of_dags_start_and_end(running: Product) -> None:
    assert kinds_by_run("good") == kinds_by_run("called") == [["START", "COMPLETE"]]
    assert kinds_by_run("bad") == [["START", "FAIL"]]


def test_a_task_of_each_operator_starts_and_completes_and_what_does_not_run_sends_nothing(running: Product) -> None:
    assert {task_id: kinds_by_run(f"good.{task_id}") for task_id in ONCE} == {
        task_id: [["START", "COMPLETE"]] for task_id in ONCE
    }
    assert {task_id: kinds_by_run(f"good.{task_id}") for task_id in NEVER} == {task_id: [] for task_id in NEVER}


def test_tries_and_map_indexes_have_runs_of_their_own(running: Product) -> None:
    assert kinds_by_run("good.retried") == [["START", "COMPLETE"], ["START", "FAIL"]]
    assert kinds_by_run("good.mapped") == [["START", "COMPLETE"]] * 3


def test_a_task_that_waits_without_a_process_keeps_its_run(running: Product) -> None:
    for task_id in ("trigger", "deferred", "date", "rescheduled"):
        (kinds,) = kinds_by_run(f"good.{task_id}")
        assert kinds[0] == "START" and kinds[-1] == "COMPLETE" and set(kinds[:-1]) == {"START"}, task_id


def test_a_failure_has_its_message_also_when_the_process_died(running: Product) -> None:
    for task_id, words in (("exits", "exit code 3"), ("raises", "the cause"), ("killed", "SIGKILL")):
        assert kinds_by_run(f"bad.{task_id}") == [["START", "FAIL"]], task_id
        (failed,) = [
            event for event in Sink.events if event["job"]["name"] == f"bad.{task_id}" and event["eventType"] == "FAIL"
        ]
        assert words in failed["run"]["facets"]["errorMessage"]["message"]


def test_events_name_their_dag_run_owner_tags_and_data(running: Product) -> None:
    (run_id,) = {sent.run_id for sent in list_sent() if sent.job == "good"}
    events = {(event["job"]["name"], event["eventType"]): event for event in Sink.events}
    bash = events["good.bash", "COMPLETE"]
    assert (
        bash["run"]["facets"]["parent"]["run"]["runId"] == run_id
        and bash["run"]["facets"]["parent"]["job"]["name"] == "good"
    )
    assert bash["job"]["facets"]["ownership"]["owners"] == [{"name": "ada"}]
    assert [tag["key"] for tag in bash["job"]["facets"]["tags"]["tags"]] == ["lineage"]
    assert events["good.bash", "START"]["job"]["facets"]["sourceCode"]["sourceCode"] == "echo hi"
    (written,) = events["good.bash", "COMPLETE"]["outputs"]
    assert (written["namespace"], written["name"]) == ("file", "/lake/day")
    groups = events["good", "START"]["job"]["facets"]["airflow"]["taskGroups"]
    assert list(groups) == ["group"]


def test_no_listener_failed_and_nothing_of_a_package_was_refused(running: Product) -> None:
    logs = "".join(path.read_text() for path in running.home.rglob("*.log"))
    for words in (
        "the outcome stays",
        "event emission failed",
        "OpenLineage received exception",
        "Failed to build AirflowJobFacet",
        "does not exist in Gnomon",
    ):
        assert words not in logs, logs[max(0, logs.index(words) - 500) : logs.index(words) + 1500]
