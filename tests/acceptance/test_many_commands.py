"""Ten processes trigger, pause, list and clear beside a busy standalone: nobody ever sees a locked database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator

import pytest
from tests import postgres
from tests.acceptance.product import Product, product
from tests.databases import BOTH
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
PROCESSES = 10
BUSY = """
import datetime as dt
from airflow.sdk import DAG
from airflow.providers.standard.operators.empty import EmptyOperator

with DAG("busy", schedule="@continuous", max_active_runs=1, start_date=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc),
         is_paused_upon_creation=False):
    [EmptyOperator(task_id=f"t{i}") for i in range(100)]
with DAG("acted_on", max_active_runs=4, is_paused_upon_creation=False):
    EmptyOperator(task_id="a") >> EmptyOperator(task_id="b")
"""
ACTOR = """
import contextlib, io, json, sys, time
from gnomon.changes.actions import owner_requests as acting
from gnomon.entry.cli.main import main

acting.ANSWER_S = float(sys.argv[3])
number, seconds = sys.argv[1], float(sys.argv[2])
took, failed, made = [], [], 0
while made < 2 or time.monotonic() < until:
    made += 1
    run = f"{number}-{made}"
    if made == 2:  # the first round imports
        until = time.monotonic() + seconds
    for words in (["dags", "trigger", "acted_on", "--run-id", run], ["dags", "pause", "acted_on"], ["dags", "unpause", "acted_on"],
                  ["dags", "list", "-o", "json"], ["runs", "list", "acted_on", "-o", "json"],
                  ["tasks", "states", "acted_on", run, "-o", "json"], ["runs", "clear", "acted_on", run],
                  ["variables", "set", number, run]):
        out, err = io.StringIO(), io.StringIO()
        began = time.monotonic()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
        if made > 1:
            took.append([" ".join(words[:2]), time.monotonic() - began])
        if code or "not done within" in err.getvalue():
            failed.append([words, code, err.getvalue()])
json.dump({"took": took, "failed": failed}, sys.stdout)
"""


@pytest.fixture(params=BOTH)
def busy(request: pytest.FixtureRequest) -> Iterator[Product]:
    """A standalone that is busy with a DAG of its own, on either database."""
    if request.param == "sqlite":
        with product({"busy.py": BUSY}) as running:
            running.has_dag("acted_on")
            yield running
        return
    with (
        postgres.own_schema() as url,
        product({"busy.py": BUSY}, {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}) as running,
    ):
        running.has_dag("acted_on")
        yield running


@pytest.mark.parametrize("seconds", [pytest.param(1, id="short"), pytest.param(60, id="long", marks=pytest.mark.soak)])
def test_ten_processes_act_beside_a_busy_standalone_without_an_error(
    seconds: int, busy: Product, capsys: pytest.CaptureFixture[str]
) -> None:
    actors = [
        subprocess.Popen(
            [sys.executable, "-c", ACTOR, str(number), str(seconds), str(PATIENCE_S)],
            env=busy.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    answers = [json.loads(actor.communicate(timeout=seconds + 2 * PATIENCE_S)[0]) for actor in actors]
    assert [failure for answer in answers for failure in answer["failed"]] == []
    took: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        for command, span in answer["took"]:
            took[command].append(span)
    with capsys.disabled():
        print(
            f"\n{sum(map(len, took.values()))} commands of {PROCESSES} processes in {seconds} s on {os.cpu_count()} cores"
        )
        for command, spans in took.items():
            spans.sort()
            print(f"  {command:<16} {len(spans):>5} times  p50 {_ms(spans, 0.5):>5} ms  p99 {_ms(spans, 0.99):>5} ms")
    assert busy.run("acted_on", "--run-id", "last")["state"] == "success"
    assert "database is locked" not in busy.log()


def _ms(ordered: list[float], share: float) -> int:
    return round(ordered[int(len(ordered) * share)] * 1000)
