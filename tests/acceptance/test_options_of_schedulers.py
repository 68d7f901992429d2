"""Options of the scheduler process and of the names of machines, and options that do not act."""

from __future__ import annotations

import io
import json
import os
import platform
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of, options
from tests.databases import create_schema

from gnomon.entry.app.scheduler_health import open_health_server
from gnomon.entry.app.services import warn_of_options_without_effect
from gnomon.ground import log
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import OptionError, load_config
from gnomon.ground.config.host_name import read_host_name
from gnomon.model.instants import SECOND
from gnomon.model.spec import FileInputs, ParsedFile
from gnomon.services.dagfiles.parse_statistics import ParseStatistics
from gnomon.services.dagfiles.settings import build_dag_processor_settings
from gnomon.services.scheduler.lease import Lease
from gnomon.storage.store import open_database

START = 1_767_225_600 * SECOND


def gnomon(home: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GNOMON_HOME": str(home), "GNOMON__LOGGING__STYLE": "json", **environ}
    return subprocess.run(
        [sys.executable, "-m", "gnomon", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def entries() -> io.StringIO:
    """What this process logs, as JSON lines."""
    stream = io.StringIO()
    log.configure("test", "INFO", "json", stream)
    return stream


@effect_of("scheduler.num_runs", "scheduler.only_idle")
@pytest.mark.parametrize("only_idle", ["False", "True"])
def test_a_scheduler_ends_after_so_many_rounds(tmp_path: Path, only_idle: str) -> None:
    ended = gnomon(tmp_path, "scheduler", GNOMON__SCHEDULER__NUM_RUNS="2", AIRFLOW__SCHEDULER__ONLY_IDLE=only_idle)
    assert ended.returncode == 0, ended.stderr
    done = [json.loads(line) for line in ended.stderr.splitlines() if "rounds_done" in line]
    assert [entry["rounds"] for entry in done] == [2]


@effect_of(
    "scheduler.enable_health_check",
    "scheduler.scheduler_health_check_server_host",
    "scheduler.scheduler_health_check_server_port",
)
def test_the_scheduler_answers_health_on_a_port_of_its_own(tmp_path: Path) -> None:
    cfg = options(
        tmp_path,
        scheduler__enable_health_check=True,
        scheduler__scheduler_health_check_server_host="127.0.0.1",
        scheduler__scheduler_health_check_server_port=0,
        scheduler__scheduler_health_check_threshold=30,
    )
    create_schema(cfg.database_url)
    database, clock = open_database(cfg.database_url, synchronous="OFF"), VirtualClock(START)
    lease = Lease(database, clock, "s", "here")
    assert open_health_server(options(tmp_path), lease, clock) is None
    server = open_health_server(cfg, lease, clock)
    assert server is not None
    address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        assert _status(f"{address}/health") == 503, "no heartbeat was stored yet"
        lease.renew_and_claim()
        assert _status(f"{address}/health") == 200
        clock.advance(31)
        assert _status(f"{address}/health") == 503
        assert _status(f"{address}/other") == 404
    finally:
        server.close()
        database.close()


def test_a_health_port_that_is_taken_is_told_and_the_scheduler_runs_without(
    tmp_path: Path, entries: io.StringIO
) -> None:
    cfg = options(
        tmp_path, scheduler__enable_health_check=True, scheduler__scheduler_health_check_server_host="256.0.0.1"
    )
    create_schema(cfg.database_url)
    database, clock = open_database(cfg.database_url, synchronous="OFF"), VirtualClock(START)
    assert open_health_server(cfg, Lease(database, clock, "s", "here"), clock) is None
    database.close()
    assert "scheduler_health_check_server_port" in entries.getvalue()


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@effect_of("dag_processor.print_stats_interval")
@pytest.mark.parametrize(("interval", "logged"), [("10", 1), ("0", 0)])
def test_parses_are_counted_in_the_log_every_interval(
    tmp_path: Path, entries: io.StringIO, interval: str, logged: int
) -> None:
    settings = build_dag_processor_settings(options(tmp_path, dag_processor__print_stats_interval=interval))
    statistics = ParseStatistics(settings.stats_interval_s, 0.0)
    for path in ("/dags/a.py", "/dags/b.py"):
        statistics.on_parsed(ParsedFile(path=path, inputs=FileInputs(input_hash="h")))
    assert statistics.log_if_due(9.0, files=5) == (10.0 if logged else None)
    assert entries.getvalue() == ""
    statistics.log_if_due(10.0, files=5)
    statistics.log_if_due(20.0, files=5)  # nothing was parsed since
    found = [json.loads(line) for line in entries.getvalue().splitlines()]
    assert [(entry["files"], entry["parses"], entry["files_with_errors"]) for entry in found] == [(5, 2, 0)] * logged


@effect_of("core.hostname_callable")
def test_the_name_of_the_machine_is_what_the_function_returns() -> None:
    assert read_host_name("platform.node") == platform.node()
    with pytest.raises(OptionError, match=r"hostname_callable.*'nowhere\.at_all'.*cannot be loaded.*socket\.getfqdn"):
        read_host_name("nowhere.at_all")
    with pytest.raises(OptionError, match="returned 0|returned [0-9]"):
        read_host_name("os.getppid")


def test_an_option_that_is_set_and_does_not_act_is_named_with_its_reason(tmp_path: Path, entries: io.StringIO) -> None:
    (tmp_path / "gnomon.toml").write_text("[scheduler]\njob_heartbeat_sec = 3\n[core]\nparallelism = 4\n")
    warn_of_options_without_effect(options(tmp_path))
    (entry,) = [json.loads(line) for line in entries.getvalue().splitlines()]
    assert (entry["event"], entry["option"], entry["level"]) == (
        "option_without_effect",
        "[scheduler] job_heartbeat_sec",
        "warning",
    )
    assert entry["source"].endswith("gnomon.toml, line 2")
    assert "every second" in entry["reason"]


def test_a_variable_that_sets_no_option_is_named_with_the_reason_and_the_nearest_option(
    tmp_path: Path, entries: io.StringIO
) -> None:
    environ = {
        "AIRFLOW__CORE__PARALELLISM": "4",
        "AIRFLOW__SCHEDULER__PARALLELISM": "4",
        "AIRFLOW__NOWHERE__AT_ALL_XYZ": "secret",
        "AIRFLOW__PARALLELISM": "4",
        "AIRFLOW_CORE__DAGS_FOLDER": "/x",
        "GNOMON_CORE_DAGS_FOLDER": "/x",
        "AIRFLOW__CORE": "1",
        "AIRFLOW_CONN_CORE__PARALLELISM": "http://a",
        "AIRFLOW_HOME": "/x",
    }
    warn_of_options_without_effect(load_config(environ, tmp_path))
    found = [json.loads(line) for line in entries.getvalue().splitlines()]
    assert {entry["event"] for entry in found} == {"option_unknown"}
    unknown = "Gnomon has no such option; only DAG files and tasks that read it see the value."
    form = "The variable of an option is {}__SECTION__KEY."
    assert {entry["source"]: entry["reason"] for entry in found} == {
        "AIRFLOW__CORE__PARALELLISM": f"{unknown} Did you mean [core] parallelism?",
        "AIRFLOW__SCHEDULER__PARALLELISM": f"{unknown} Did you mean [core] parallelism?",
        "AIRFLOW__NOWHERE__AT_ALL_XYZ": unknown,
        "AIRFLOW__PARALLELISM": f"{form.format('AIRFLOW')} Did you mean [core] parallelism?",
        "AIRFLOW_CORE__DAGS_FOLDER": f"{form.format('AIRFLOW')} Did you mean [core] dags_folder?",
        "GNOMON_CORE_DAGS_FOLDER": f"{form.format('GNOMON')} Did you mean [core] dags_folder?",
        "AIRFLOW__CORE": form.format("AIRFLOW"),
    }
    assert "secret" not in entries.getvalue()


def test_each_service_and_each_command_about_options_names_a_variable_that_sets_no_option(tmp_path: Path) -> None:
    environ = {"AIRFLOW__CORE__PARALELLISM": "4"}
    started = gnomon(tmp_path, "scheduler", GNOMON__SCHEDULER__NUM_RUNS="1", **environ)
    assert [json.loads(line)["source"] for line in started.stderr.splitlines() if "option_unknown" in line] == [
        "AIRFLOW__CORE__PARALELLISM"
    ]
    checks = json.loads(gnomon(tmp_path, "doctor", "-o", "json", **environ).stdout)
    assert [row["found"] for row in checks if row["check"] == "options"] == [
        "set and without effect: AIRFLOW__CORE__PARALELLISM"
    ]
    listed = gnomon(tmp_path, "config", "list", **environ)
    assert (
        listed.stderr
        == "AIRFLOW__CORE__PARALELLISM does not act. Gnomon has no such option; only DAG files and tasks that read it see the value. Did you mean [core] parallelism?\n"
    )


@pytest.mark.parametrize(
    ("variable", "remedy"),
    [("GNOMON__PARALLELISM", "Did you mean GNOMON__CORE__PARALLELISM"), ("GNOMON__CORE", "gnomon config list")],
)
def test_a_variable_of_gnomon_without_section_or_key_is_refused(tmp_path: Path, variable: str, remedy: str) -> None:
    with pytest.raises(
        OptionError, match=rf"{variable}: the variable of an option is GNOMON__SECTION__KEY\. .*{remedy}"
    ):
        load_config({variable: "4"}, tmp_path)


def test_config_says_of_an_option_whether_it_acts(tmp_path: Path) -> None:
    environ = {"AIRFLOW__CORE__MULTI_TEAM": "True", "AIRFLOW__CELERY__FLOWER_PORT": "5555"}
    listed = json.loads(gnomon(tmp_path, "config", "list", "-o", "json", "--section", "core", **environ).stdout)
    acts = {row["option"]: row["acts"] for row in listed}
    assert acts["core.parallelism"] == "yes"
    assert acts["core.multi_team"] == "no: Not used: there are no teams."
    value = gnomon(tmp_path, "config", "get-value", "core", "multi_team", **environ)
    assert (value.stdout, value.stderr) == ("True\n", "[core] multi_team does not act. Not used: there are no teams.\n")
    lint = gnomon(tmp_path, "config", "lint", "-o", "json", **environ)
    assert lint.returncode == 1
    assert [(row["option"], row["source"]) for row in json.loads(lint.stdout)] == [
        ("[core] multi_team", "AIRFLOW__CORE__MULTI_TEAM"),
        ("[celery] flower_port", "AIRFLOW__CELERY__FLOWER_PORT"),
    ]
    assert gnomon(tmp_path, "config", "lint").returncode == 0
