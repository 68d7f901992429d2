"""Options of the running services: one standalone in which they all differ from their defaults, and the ground they start on."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of, options
from tests.acceptance.product import Product, product
from tests.conformance.storeworld import raw
from tests.databases import create_schema
from tests.patience import PATIENCE_S

from gnomon.api.health import HealthStatus
from gnomon.api.health_reader import HealthReader
from gnomon.entry.app.checks import open_listener
from gnomon.entry.cli.database_access import open_when_ready
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import OptionError
from gnomon.model.errors.product import ConfigurationError
from gnomon.model.instants import SECOND
from gnomon.storage.store import open_database
from gnomon.storage.store.coordination import leases

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FLOWS = """
from airflow.sdk import DAG, task
import datetime as dt, signal, time

with DAG("slow"):
    @task
    def sleeps():
        time.sleep(600)
    sleeps()

with DAG("waits"):
    @task.sensor(poke_interval=0.1)
    def never():
        return False
    never()

with DAG("stubborn"):
    @task(execution_timeout=dt.timedelta(hours=1))
    def ignores():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("deaf", flush=True)
        ends_at = time.monotonic() + 600
        while time.monotonic() < ends_at:
            time.sleep(1)
    ignores()
"""
HOLDS = """
from airflow.sdk import DAG, task
import os, time

with DAG("holds"):
    @task
    def waits_for_go():
        home = os.environ["GNOMON_HOME"]
        open(f"{home}/entered", "w").close()
        while not os.path.exists(f"{home}/go"):
            time.sleep(0.02)
    waits_for_go()
"""
HANGS = """
from airflow.sdk import DAG
from airflow.timetables.base import DataInterval, Timetable
import datetime as dt
import time

class Forever(Timetable):
    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        while True:
            time.sleep(0.01)

hangs = DAG("hangs", schedule=Forever(), start_date=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc))
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    store = tmp_path_factory.mktemp("store") / "elsewhere.db"
    with product(
        {"flows.py": FLOWS, "hangs.py": HANGS, "broken.py": "from airflow import DAG(\n"},
        {
            "GNOMON__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{store}",
            "GNOMON__LOGGING__BASE_LOG_FOLDER": "protocols",
            "GNOMON__LOGGING__STYLE": "text",
            "GNOMON__LOGGING__LOGGING_LEVEL": "WARNING",
            "GNOMON__CORE__DEFAULT_TASK_EXECUTION_TIMEOUT": "1",
            "GNOMON__SENSORS__DEFAULT_TIMEOUT": "0.5",
            "GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": "0.5",
            "GNOMON__CORE__KILLED_TASK_CLEANUP_TIME": "1",
            "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        },
    ) as running:
        running.has_dag("stubborn")
        yield running


@effect_of("core.default_task_execution_timeout")
def test_a_task_that_takes_longer_than_the_default_fails(changed: Product) -> None:
    run = changed.run("slow", "--run-id", "r")
    assert run["state"] == "failed"
    assert "AirflowTaskTimeout" in changed.tasks("slow", "r")["sleeps"]["reason"]


@effect_of("sensors.default_timeout")
def test_a_sensor_gives_up_after_the_default(changed: Product) -> None:
    assert changed.run("waits", "--run-id", "r")["state"] == "failed"
    assert "AirflowSensorTimeout" in changed.tasks("waits", "r")["never"]["reason"]


@effect_of("scheduler.timetable_timeout")
def test_a_timetable_that_takes_longer_than_the_timeout_is_told(changed: Product) -> None:
    def told() -> bool:
        (row,) = (row for row in changed.rows("dags", "list") if row["dag_id"] == "hangs")
        return "Forever.next_dagrun_info did not answer within 0.5 s" in (row["error"] or "")

    changed.has_dag("hangs")
    changed.until(told, "the error")


@effect_of("core.killed_task_cleanup_time")
def test_a_task_that_does_not_hear_sigterm_is_killed_after_the_cleanup_time(changed: Product) -> None:
    changed.do("dags", "trigger", "stubborn", "--run-id", "r")
    changed.until(lambda: "deaf" in changed.cli("tasks", "logs", "stubborn", "r", "ignores").out, "the task runs")
    children = _processes(changed)
    changed.do("runs", "mark", "stubborn", "r", "--state", "failed")
    began = time.monotonic()
    changed.until(lambda: len(_processes(changed)) < len(children), "its process is gone")
    assert time.monotonic() - began < 30, "the default is 60 s"


def _processes(changed: Product) -> set[str]:
    """Processes whose standard output is the log of task `ignores`."""
    found = set()
    for one in Path("/proc").glob("[0-9]*/fd/1"):
        try:
            target = str(one.readlink())
        except OSError:
            continue
        if target.startswith(str(changed.home)) and "task_id=ignores" in target:
            found.add(one.parts[2])
    return found


@effect_of("database.sql_alchemy_conn", "logging.base_log_folder")
def test_database_and_logs_are_where_the_options_say(changed: Product) -> None:
    changed.run("slow", "--run-id", "for_its_log")
    assert not (changed.home / "gnomon.db").exists()
    assert Path(changed.env["GNOMON__DATABASE__SQL_ALCHEMY_CONN"].removeprefix("sqlite:///")).exists()
    assert list((changed.home / "protocols").glob("dag_id=slow/run_id=for_its_log/**/*.log"))
    assert not list((changed.home / "logs").glob("dag_id=*"))


@effect_of("logging.style", "logging.logging_level")
def test_services_log_in_the_style_and_from_the_level_on(changed: Product) -> None:
    changed.until(lambda: "WARNING: dag file failed" in changed.log(), "the broken file is told of")
    lines = changed.log().splitlines()
    assert not any(line.startswith("{") for line in lines)
    assert [line for line in lines if "WARNING" not in line and "ERROR" not in line] == []


@effect_of("logging.service_log_folder", "logging.service_log_max_bytes", "logging.service_log_backup_count")
def test_services_rotate_their_log_files_where_and_as_the_options_say() -> None:
    rules = {
        "GNOMON__LOGGING__SERVICE_LOG_FOLDER": "kept",
        "GNOMON__LOGGING__SERVICE_LOG_MAX_BYTES": "400",
        "GNOMON__LOGGING__SERVICE_LOG_BACKUP_COUNT": "2",
    }
    with product({"flows.py": FLOWS}, rules) as running:
        running.has_dag("stubborn")
        for number in range(6):
            running.write("flows.py", FLOWS + f"# {number}\n" + "x = (\n" * (number % 2 == 0))
            running.until(
                lambda number=number: bool(running.rows("dags", "errors")) == (number % 2 == 0), "the change is seen"
            )  # type: ignore[misc]
        texts: dict[str, str] = {}
        wanted = {"dag-processor.log", "dag-processor.log.1", "dag-processor.log.2", "scheduler.log", "worker.log"}

        def are_there() -> bool:
            try:
                texts.update({path.name: path.read_text() for path in (running.home / "kept").iterdir()})
            except FileNotFoundError:  # a service has rotated its files meanwhile
                return False
            return wanted <= texts.keys()

        running.until(are_there, f"the files {sorted(wanted)}")
        assert not any(name.endswith(".3") for name in texts)
        assert all(text.count("\n") <= 1 or len(text.encode()) <= 400 for text in texts.values())
        (found,) = (
            row["found"]
            for row in json.loads(running.cli("doctor", "-o", "json").out)
            if row["check"] == "service logs"
        )
        assert re.fullmatch(rf"\d+ files, [1-9]\d* of them rotated, use \d+\.\d MiB: {running.home}/kept", found)
        assert not (running.home / "logs" / "services").exists()


@pytest.mark.parametrize("folder", ["", None])
def test_a_service_that_runs_alone_writes_its_log_file_unless_the_folder_is_empty(
    tmp_path: Path, folder: str | None
) -> None:
    environ = {**os.environ, "GNOMON_HOME": str(tmp_path)} | (
        {} if folder is None else {"GNOMON__LOGGING__SERVICE_LOG_FOLDER": folder}
    )
    command = [sys.executable, "-m", "gnomon", "api-server", "--port", "0"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        line = next(line for line in service.stderr if '"listening"' in line)
        file = tmp_path / "logs" / "services" / "api-server.log"
        ends_at = time.monotonic() + PATIENCE_S
        while folder != "" and not (file.exists() and line in file.read_text()) and time.monotonic() < ends_at:
            time.sleep(0.05)  # the line is in the file after it is on standard error
        service.terminate()
    files = {path.relative_to(tmp_path).as_posix() for path in (tmp_path / "logs").rglob("*.log")}
    assert files == (set() if folder == "" else {"logs/services/api-server.log"})
    assert folder == "" or line in (tmp_path / "logs" / "services" / "api-server.log").read_text()


def test_by_default_services_log_json_from_info_on() -> None:
    with product({"broken.py": "from airflow import DAG(\n"}) as running:
        running.until(lambda: "dag_file_failed" in running.log(), "the broken file is told of")
        levels = {json.loads(line)["level"].lower() for line in running.log().splitlines()}
    assert {"info", "warning"} <= levels


@effect_of("workers.shutdown_grace")
@pytest.mark.parametrize(
    ("grace", "outcome", "reason"),
    [
        ("60", "success", None),
        (
            "0.5",
            "failed",
            "the worker was stopped, and the attempt did not end within 0.5 s ([workers] shutdown_grace)",
        ),
    ],
)
def test_running_tasks_may_end_within_the_grace_after_ctrl_c(grace: str, outcome: str, reason: str | None) -> None:
    with product(
        {"holds.py": HOLDS},
        {"GNOMON__WORKERS__SHUTDOWN_GRACE": grace, "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False"},
    ) as running:
        running.has_dag("holds")
        running.do("dags", "trigger", "holds", "--run-id", "r")
        running.until((running.home / "entered").exists, "the task runs")
        running.process.send_signal(signal.SIGINT)
        assert running.process.stdout is not None
        said = next(line for line in running.process.stdout if line.startswith("Gnomon stops"))
        assert said.startswith(f"Gnomon stops: 1 attempt runs and has {grace} s to end")
        if outcome == "success":
            (running.home / "go").touch()
        assert running.process.wait(PATIENCE_S) == 0
        row = running.tasks("holds", "r")["waits_for_go"]  # the store has the result, with nothing running
        assert (row["state"], row["reason"]) == (outcome, reason)


@effect_of("api.idle_timeout")
def test_the_api_server_starts_with_the_first_request_and_ends_when_nobody_asks() -> None:
    with product({}, {"GNOMON__API__IDLE_TIMEOUT": "0.5"}) as running:
        running.do("dags", "list")
        address = running.said.split()[3]
        assert "api_server_started" not in running.log()
        for number in (1, 2):
            with urllib.request.urlopen(f"{address}/health", timeout=PATIENCE_S) as answer:
                assert answer.status == 200
            ended = number
            running.until(lambda ended=ended: running.log().count("api_server_stopped") == ended, "it ended")
        assert "service_exited" not in running.log()
        assert running.log().count("api_server_idle") == 2


@effect_of("api.idle_timeout")
def test_an_api_server_that_never_ends_starts_at_once() -> None:
    with product({}, {"GNOMON__API__IDLE_TIMEOUT": "0"}) as running:
        running.until(lambda: "api_server_started" in running.log(), "it started")


# ---- the ground ------------------------------------------------------------------------------------------------------
@effect_of("api.host", "api.port")
def test_the_api_server_listens_where_the_options_say(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.2", 0))
        port = probe.getsockname()[1]
    with open_listener(options(tmp_path, api__host="127.0.0.2", api__port=port)) as listener:
        assert listener.getsockname() == ("127.0.0.2", port)
        with pytest.raises(
            ConfigurationError, match=f"port {port} of 127.0.0.2 is in use.*--port or GNOMON__API__PORT"
        ):
            open_listener(options(tmp_path, api__host="127.0.0.2", api__port=port))


@effect_of("core.executor")
def test_an_executor_that_gnomon_does_not_have_is_refused(tmp_path: Path) -> None:
    assert options(tmp_path, core__executor="airflow.executors.local_executor.LocalExecutor").text("core", "executor")
    with pytest.raises(
        OptionError,
        match="'EdgeExecutor' is no executor of Gnomon; write one or several of: LocalExecutor, CeleryExecutor",
    ):
        options(tmp_path, core__executor="EdgeExecutor")


@effect_of("database.synchronous")
@pytest.mark.parametrize(("word", "level"), [("FULL", 2), ("normal", 1)])
def test_a_commit_waits_for_the_disk_or_not(tmp_path: Path, word: str, level: int) -> None:
    cfg = options(tmp_path, database__synchronous=word)
    create_schema(cfg.database_url)
    database = open_when_ready(cfg, SystemClock(), time.sleep)
    with database.read() as tx:
        assert raw(tx, "PRAGMA synchronous") == [(level,)]
    database.close()


@effect_of("scheduler.scheduler_health_check_threshold")
@pytest.mark.parametrize(("threshold", "status"), [(30, HealthStatus.UNHEALTHY), (600, HealthStatus.HEALTHY)])
def test_a_scheduler_that_is_silent_for_longer_than_the_threshold_is_unhealthy(
    tmp_path: Path, threshold: int, status: HealthStatus
) -> None:
    cfg = options(tmp_path, scheduler__scheduler_health_check_threshold=threshold)
    create_schema(cfg.database_url)
    clock = SystemClock()
    a_while_ago = clock.now() - 120 * SECOND
    database = open_database(cfg.database_url, lease_clock=lambda: a_while_ago)
    with database.write() as tx:
        leases.register_scheduler(tx, "s1", "here")
    database.close()
    looker = HealthReader(cfg, clock)
    assert {part.name: part.status for part in looker.read_health().components}["scheduler"] is status
    looker.close()
