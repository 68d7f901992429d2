"""`gnomon standalone` as a user starts it: a new home, one DAG, an end without a trace."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.chaos.home import BUSY, GONE_S
from tests.commands import run_command
from tests.patience import PATIENCE_S

DAG_FILE = """
import datetime as dt
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG

with DAG("one", schedule="@once", start_date=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc), is_paused_upon_creation=False):
    PythonOperator(task_id="t", python_callable=lambda: None)

with DAG("long", schedule="@once", start_date=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc), is_paused_upon_creation=False):
    def wait():
        import time
        print("waiting", flush=True)
        time.sleep(600)
    PythonOperator(task_id="t", python_callable=wait)
"""
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")


class Standalone:
    """One running `gnomon standalone`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env = {
            **os.environ,
            "GNOMON_HOME": str(home),
            "GNOMON__LOGGING__STYLE": "json",
            "GNOMON__WORKERS__SHUTDOWN_GRACE": "0",
        }
        with (home / "stderr").open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gnomon", "standalone", "--port", "0"],
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Gnomon runs on http://localhost:"), line + (home / "stderr").read_text()
        self.address = line.split()[3]

    def cli(self, *words: str) -> subprocess.CompletedProcess[str]:
        return run_command(*words, env=self.env)

    def runs(self, dag_id: str) -> list[dict[str, object]]:
        done = self.cli("runs", "list", dag_id, "-o", "json")
        listed: list[dict[str, object]] = json.loads(done.stdout) if done.returncode == 0 else []
        return listed

    def health(self) -> dict[str, dict[str, str | None]]:
        with urllib.request.urlopen(f"{self.address}/health", timeout=PATIENCE_S) as answer:
            health: dict[str, dict[str, str | None]] = json.load(answer)
        return health

    def family(self) -> set[int]:
        """Every descendant, and the process itself."""
        parents = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                parents[int(name)] = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def services(self) -> dict[str, int]:
        """The processes that it keeps alive, by the name that `ps` shows."""
        found = {}
        for pid in map(int, Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()):
            try:
                found[Path(f"/proc/{pid}/comm").read_text().strip()] = pid
            except OSError:
                continue
        return found


def _until(what: Callable[[], object], why: str) -> object:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {PATIENCE_S:.0f} s for {why}")


@pytest.fixture
def standalone() -> Iterator[Standalone]:
    home = Path(tempfile.mkdtemp(prefix="gn"))
    (home / "dags").mkdir()
    (home / "dags" / "some.py").write_text(DAG_FILE)
    running = Standalone(home)
    yield running
    running.process.kill()
    running.process.communicate()
    shutil.rmtree(home, ignore_errors=True)


def _are_healthy(health: dict[str, dict[str, str | None]]) -> bool:
    """All of them; a triggerer begins when something waits for it."""
    expected = dict.fromkeys(("metadatabase", "scheduler", "worker", "dag_processor"), "healthy")
    return {name: part["status"] for name, part in health.items() if name != "triggerer"} == expected


def _is_alive(pid: int) -> bool:
    """It is there, and not only to be reaped by the first process of the machine, which may be late."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _waits(running: Standalone) -> bool:
    return any("waiting" in log.read_text() for log in running.home.glob("logs/dag_id=long/**/*.log"))


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT to its group", "SIGTERM to its group"])
def test_from_nothing_to_a_finished_run_and_to_nothing_again(standalone: Standalone, how: str) -> None:
    _until(lambda: [run for run in standalone.runs("one") if run["state"] == "success"], "the run of DAG one")
    _until(lambda: _waits(standalone), "the task of DAG long")
    _until(lambda: _are_healthy(standalone.health()), "the health of all services")
    second = standalone.cli("standalone", "--port", "0")
    assert second.returncode == 1
    assert f"another gnomon standalone runs in {standalone.home} ({standalone.address}" in second.stderr
    family = standalone.family()
    assert len(family) >= 7
    asked = time.monotonic()
    number = signal.SIGINT if "INT" in how else signal.SIGTERM
    if "group" in how:
        os.killpg(standalone.process.pid, number)
    else:
        standalone.process.send_signal(number)
    standalone.process.communicate(timeout=PATIENCE_S)
    assert time.monotonic() - asked < BUSY * GONE_S
    assert standalone.process.returncode == 0
    assert {pid for pid in family if _is_alive(pid)} == set()


def test_a_killed_scheduler_comes_back_while_the_worker_runs_on(standalone: Standalone) -> None:
    _until(lambda: _waits(standalone), "the task of DAG long")
    before = standalone.services()
    os.kill(before["gnomon-schedule"], signal.SIGKILL)
    _until(lambda: "service_exited" in (standalone.home / "stderr").read_text(), "the supervisor's word")
    _until(
        lambda: standalone.services().get("gnomon-schedule", before["gnomon-schedule"]) != before["gnomon-schedule"],
        "a new scheduler",
    )
    after = standalone.services()
    assert {name for name, pid in before.items() if after.get(name) != pid} == {"gnomon-schedule"}
    assert [run["state"] for run in standalone.runs("long")] == ["running"]
    _until(lambda: standalone.health()["scheduler"]["status"] == "healthy", "the new scheduler's beat")


def test_a_port_that_is_taken_ends_it_with_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = subprocess.run(
            [sys.executable, "-m", "gnomon", "standalone", "--port", str(taken.getsockname()[1])],
            env={**os.environ, "GNOMON_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
    assert done.returncode == 1
    assert "is in use by another program; choose another port with --port" in done.stderr
    assert "Traceback" not in done.stderr
