"""`apache-airflow-ctl` from the package index, unmodified, against `gnomon standalone`: every command that it has."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.acceptance.airflow_packages import require_airflowctl
from tests.acceptance.product import Product, product
from tests.patience import PATIENCE_S

SESSION = Path(__file__).parent / "airflowctl_session.py"
DAGS = """
from datetime import datetime
from gnomon import DAG, task
from airflow.sdk import Asset, AssetAlias

with DAG("letters", schedule=None, tags=["text"]):
    @task(outlets=[Asset("sent"), AssetAlias("some")])
    def count():
        return {"n": 2}

    count()

with DAG("daily", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):
    @task
    def nothing():
        pass

    nothing()

with DAG("reader", schedule=[Asset("sent"), Asset("other")]):
    @task
    def read():
        pass

    read()
"""
BACKFILL = (
    "--dag-id",
    "daily",
    "--from-date",
    "2026-01-01T00:00:00+00:00",
    "--to-date",
    "2026-01-03T00:00:00+00:00",
    "--reprocess-behavior",
    "none",
    "--max-active-runs",
    "1",
)
UNUSABLE = {
    "connections create-defaults": "Gnomon brings no default connections",
    "backfill create-dry-run": "airflowctl reads the answer as that of `backfill create`, which it is not in Airflow either",
    "dags get-tags": "airflowctl cannot print what the operation answers: a list of texts",
}
"""Commands that end with an error here, and why."""


LATER = "2100-01-01T00:00:00+00:00"
PRINT_FAILED = "AttributeError: 'Namespace' object has no attribute 'output'"
"""How commands without --output end: the request has succeeded, and airflowctl fails when it prints the answer."""


class Ended(NamedTuple):
    """How a command ended."""

    code: int | str
    """The exit code, or the exception that airflowctl raised."""
    out: str
    err: str

    def json(self) -> Any:
        """The output as JSON."""
        return json.loads(self.out)


class Airflowctl:
    """Runs commands, and remembers which."""

    def __init__(self, python: str, gnomon: Product) -> None:
        self.host = gnomon.said.split(" with its home")[0].removeprefix("Gnomon runs on ")
        self.token = gnomon.do("tokens", "create", "admin", "--name", "airflowctl", "--role", "admin").strip()
        folder = gnomon.home / "airflowctl"
        folder.mkdir()
        self._env = {**os.environ, "AIRFLOW_HOME": str(folder), "AIRFLOW_CLI_TOKEN": self.token}
        self._process = subprocess.Popen(
            [python, "-I", str(SESSION)], env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.commands = set(
            json.loads(
                subprocess.check_output(
                    [python, "-I", str(SESSION), "commands"], env=self._env, text=True, timeout=PATIENCE_S
                )
            )
        )
        self.called: set[str] = set()

    def call(self, *words: str) -> Ended:
        """Run a command to its end."""
        known = [name for name in self.commands if words[: len(name.split())] == tuple(name.split())]
        assert len(known) == 1, (words, known)
        self.called.add(known[0])
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return Ended(*json.loads(self._process.stdout.readline()))

    def do(self, *words: str) -> str:
        """The output of a command that must succeed."""
        ended = self.call(*words)
        assert ended.code == 0, (words, ended)
        return ended.out

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """The records that a command prints; some commands print sentences before them."""
        out = self.do(*words, "--output", "json")
        try:
            found: list[dict[str, Any]] = json.loads(out.splitlines()[-1])
        except (ValueError, IndexError):
            raise AssertionError(f"{words} printed {out!r}") from None
        return found

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._process.stdout.close()


@contextmanager
def _airflowctl(python: str, gnomon: Product) -> Iterator[Airflowctl]:
    made = Airflowctl(python, gnomon)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.network
def test_every_command_of_airflowctl_does_what_it_says(tmp_path: Path) -> None:
    python = require_airflowctl()
    files = {"letters.py": DAGS, "broken.py": "from gnomon import DAG\nDAG(\n"}
    with product(files, {"GNOMON__CORE__TEST_CONNECTION": "Enabled"}) as gnomon, _airflowctl(python, gnomon) as ctl:
        gnomon.has_dag("letters")
        gnomon.until(lambda: bool(gnomon.rows("dags", "errors")), "the broken file is reported")
        _log_in(ctl, gnomon)
        _dags_and_runs(ctl, gnomon)
        _assets(ctl, gnomon)
        _backfills(ctl, gnomon)
        _xcoms(ctl)
        _connections_pools_variables(ctl, tmp_path)
        _installation(ctl)
        ctl.do("dags", "delete", "reader")
        assert {
            name for name in UNUSABLE if ctl.call(*name.split(), *(BACKFILL if "backfill" in name else ())).code == 0
        } == set(), "these succeed"
        assert ctl.commands - ctl.called == set(), "commands that were not called"


def _log_in(ctl: Airflowctl, gnomon: Product) -> None:
    password = "a longer secret"
    gnomon.do("users", "reset-password", "admin", "--password", password)
    ctl.do("auth", "login", "--api-token", ctl.token, "--api-url", ctl.host, "--skip-keyring")
    assert ctl.rows("auth", "list-envs")[0]["api_url"] == ctl.host
    assert (
        len(
            ctl.do("auth", "token", "--api-url", ctl.host, "--username", "admin", "--password", password)
            .split()[-1]
            .split(".")
        )
        == 3
    )


def _dags_and_runs(ctl: Airflowctl, gnomon: Product) -> None:
    assert [row["dag_id"] for row in ctl.rows("dags", "list")] == ["daily", "letters", "reader"]
    assert (
        ctl.rows("dags", "get", "letters")[0]["is_paused"],
        ctl.rows("dags", "unpause", "letters")[0]["is_paused"],
    ) == ("True", "False")
    assert ctl.rows("dags", "update", "reader", "--no-is-paused")[0]["is_paused"] == "False"
    assert ctl.rows("dags", "pause", "reader")[0]["is_paused"] == "True"
    assert ctl.rows("dags", "get-details", "letters")[0]["file_token"]
    assert ctl.rows("dags", "get-version", "letters", "1") == ctl.rows("dags", "list-version", "letters")
    assert ctl.rows("dags", "list-warning") == []
    (error,) = ctl.rows("dags", "list-import-errors")
    assert ctl.rows("dags", "get-import-error", error["import_error_id"]) == [error]
    assert "No upcoming run" in ctl.do("dags", "next-execution", "letters")
    created = ctl.rows("dags", "trigger", "letters", "--dag-run-id", "first", "--note", "by airflowctl")[0]
    assert (created["dag_run_id"], created["run_type"]) == ("first", "manual")
    gnomon.until(lambda: ctl.rows("dagrun", "get", "letters", "first")[0]["state"] == "success", "the run ends")
    assert ctl.rows("dags", "get-stats", "letters") == [], "airflowctl asks for a DAG of each letter"
    (listed,) = ctl.rows("dagrun", "list", "--dag-id", "letters", "--state", "success", "--limit", "5")
    assert "first" in json.dumps(listed)
    assert ctl.call("dags", "get", "lettres").code != 0


def _assets(ctl: Airflowctl, gnomon: Product) -> None:
    sent, other = (row for name in ("sent", "other") for row in ctl.rows("assets", "list") if row["name"] == name)
    assert ctl.rows("assets", "get", sent["id"])[0]["uri"] == sent["uri"]
    (alias,) = ctl.rows("assets", "list-by-alias")
    assert ctl.rows("assets", "get-by-alias", alias["id"])[0]["name"] == "some"
    event = ctl.rows("assets", "create-event", "--asset-id", other["id"])[0]
    assert event["asset_id"] == other["id"]
    assert ctl.rows("assets", "get-dag-queued-event", "reader", other["id"])[0]["dag_id"] == "reader"
    for listing in (("get-queued-events", other["id"]), ("get-dag-queued-events", "reader", LATER)):
        assert '"reader"' in ctl.do("assets", *listing, "--output", "json")
    for wrong in (
        ("delete-queued-event", "reader", other["id"]),
        ("delete-queued-events", other["id"]),
        ("delete-dag-queued-events", "reader", LATER),
    ):
        assert "there is no operation" in ctl.call("assets", *wrong).out, (
            "airflowctl asks for paths that Airflow does not have either"
        )
    assert ctl.call("assets", "materialize", sent["id"]).code == PRINT_FAILED


def _backfills(ctl: Airflowctl, gnomon: Product) -> None:
    made = ctl.rows("backfill", "create", *BACKFILL)[0]
    assert ctl.rows("backfill", "get", made["id"])[0]["dag_id"] == "daily"
    assert [row["id"] for row in ctl.rows("backfill", "list", "daily")] == [made["id"]]
    for command, value in (("pause", "True"), ("unpause", "False")):
        assert ctl.call("backfill", command, made["id"]).code == PRINT_FAILED
        assert ctl.rows("backfill", "get", made["id"])[0]["is_paused"] == value, command
    assert ctl.call("backfill", "cancel", made["id"]).code == PRINT_FAILED
    gnomon.until(
        lambda: ctl.rows("backfill", "get", made["id"])[0]["completed_at"] is not None,
        "the scheduler ends the backfill",
    )


def _xcoms(ctl: Airflowctl) -> None:
    place = ("letters", "first", "count")
    assert ctl.rows("xcom", "get", *place, "return_value")[0]["key"] == "return_value"
    ctl.do("xcom", "add", *place, "mine", '"text"')
    assert ctl.rows("xcom", "edit", *place, "mine", '"other"')[0]["key"] == "mine"
    assert sorted(row["key"] for row in ctl.rows("xcom", "list", *place)) == ["mine", "return_value"]
    ctl.call("xcom", "delete", *place, "mine")
    assert [row["key"] for row in ctl.rows("xcom", "list", *place)] == ["return_value"]


def _connections_pools_variables(ctl: Airflowctl, folder: Path) -> None:
    fields = ("--connection-id", "files", "--conn-type", "fs", "--password", "geheim")
    assert ctl.rows("connections", "create", *fields)[0]["password"] == "***"
    assert (
        ctl.rows("connections", "update", "--connection-id", "files", "--conn-type", "fs", "--host", "h")[0]["host"]
        == "h"
    )
    assert ctl.rows("connections", "get", "files") == ctl.rows("connections", "list")
    assert ctl.call("connections", "test", "--connection-id", "files", "--conn-type", "fs").code == PRINT_FAILED
    ctl.do("connections", "delete", "files")
    _write(folder / "connections.json", {"db": {"conn_type": "postgres", "host": "h"}})
    ctl.do("connections", "import", str(folder / "connections.json"))
    assert ctl.rows("connections", "list")[0]["connection_id"] == "db"

    assert ctl.rows("pools", "create", "--name", "p", "--slots", "3")[0]["slots"] == "3"
    assert ctl.rows("pools", "update", "--pool", "p", "--slots", "4")[0]["slots"] == "4"
    ctl.do("pools", "export", str(folder / "pools.json"))
    ctl.do("pools", "delete", "p")
    ctl.do("pools", "import", str(folder / "pools.json"), "--action-on-existing-key", "overwrite")
    assert ctl.rows("pools", "get", "p")[0] in ctl.rows("pools", "list")

    assert ctl.rows("variables", "create", "--key", "k", "--value", "v")[0]["value"] == "v"
    assert ctl.rows("variables", "update", "--key", "k", "--value", "w")[0]["value"] == "w"
    assert ctl.rows("variables", "get", "k") == ctl.rows("variables", "list")
    ctl.do("variables", "delete", "k")
    _write(folder / "variables.json", {"m": "n"})
    ctl.do("variables", "import", str(folder / "variables.json"))
    assert ctl.rows("variables", "get", "m")[0]["value"] == "n"


def _installation(ctl: Airflowctl) -> None:
    assert "3.3.2" in ctl.do("version", "--remote")
    assert {row["job_type"] for row in ctl.rows("jobs", "list")} >= {"SchedulerJob", "DagProcessorJob"}
    assert (
        ctl.rows("plugins", "list") == ctl.rows("plugins", "list-import-errors") == ctl.rows("providers", "list") == []
    )
    assert "dags_folder" in ctl.do("config", "get", "core", "dags_folder")
    assert len(ctl.rows("config", "list")) > 5
    ctl.do("config", "lint")


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content))
