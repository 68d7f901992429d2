"""Ten processes trigger, pause, list and clear beside a busy standalone: nobody ever sees a locked database."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
PROCESSES = 10
BUSY = """
from airflow.sdk import DAG
from airflow.providers.standard.operators.empty import EmptyOperator

with DAG("busy", schedule="@continuous", max_active_runs=1, start_date=__import__("datetime").datetime(2026, 1, 1), is_paused_upon_creation=False):
    [EmptyOperator(task_id=f"t{i}") for i in range(100)]
with DAG("acted_on", max_active_runs=4, is_paused_upon_creation=False) as acted_on:
    EmptyOperator(task_id="a") >> EmptyOperator(task_id="b")
"""
ACTOR = """
import contextlib, io, json, sys, time
from gnomon.cli.main import main

number, seconds = sys.argv[1], float(sys.argv[2])
took, failed, made = [], [], 0
until = time.monotonic() + seconds
while time.monotonic() < until:
    made += 1
    run = f"{number}-{made}"
    for words in (["dags", "trigger", "acted_on", "--run-id", run], ["dags", "pause", "acted_on"], ["dags", "unpause", "acted_on"],
                  ["dags", "list", "-o", "json"], ["tasks", "states", "acted_on", run], ["runs", "clear", "acted_on", run]):
        out, err = io.StringIO(), io.StringIO()
        began = time.monotonic()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
        if made > 1:  # the first round imports
            took.append(time.monotonic() - began)
        if code or "not done within" in err.getvalue():
            failed.append([words, code, err.getvalue()])
json.dump({"took": took, "failed": failed}, sys.stdout)
"""


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """The environment of a home with a busy standalone."""
    with tempfile.TemporaryDirectory(prefix="g-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        (home / "dags").mkdir(parents=True)
        (home / "dags" / "busy.py").write_text(BUSY)
        env = {**os.environ, "GNOMON_HOME": str(home)}
        with (Path(folder) / "log").open("w") as log:
            standalone = subprocess.Popen([sys.executable, "-m", "gnomon", "standalone", "--port", "0"], env=env, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 60
            while "acted_on" not in _gnomon(env, "dags", "list").stdout:
                assert time.monotonic() < deadline, (Path(folder) / "log").read_text()
            yield env
        finally:
            standalone.send_signal(signal.SIGTERM)
            assert standalone.wait(15) == 0


def _gnomon(env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "gnomon", *words], env=env, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("seconds", [pytest.param(3, id="short"), pytest.param(60, id="long", marks=pytest.mark.soak)])
def test_ten_processes_act_beside_a_busy_standalone_without_an_error(
    seconds: int, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    actors = [
        subprocess.Popen([sys.executable, "-c", ACTOR, str(number), str(seconds)], env=environment, stdout=subprocess.PIPE, text=True)
        for number in range(PROCESSES)
    ]
    answers = [json.loads(actor.communicate(timeout=seconds + 120)[0]) for actor in actors]
    failed = [failure for answer in answers for failure in answer["failed"]]
    assert failed == []
    took = sorted(span for answer in answers for span in answer["took"])
    assert took, "nobody came to a second round"
    p50, p99 = took[len(took) // 2], took[int(len(took) * 0.99)]
    with capsys.disabled():
        print(f"\n{len(took)} commands of {PROCESSES} processes in {seconds} s: p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms")
