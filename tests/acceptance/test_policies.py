"""Pauses, changed schedules and overlapping runs in a running product."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.acceptance.product import Product, product

DAG = """
import datetime as dt
import time

from gnomon import DAG, task

with DAG("{dag_id}", schedule="{schedule}", start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC), {arguments}):
    @task
    def work():
        time.sleep({seconds})

    work()
"""
EVERY_2_S = "*/2 * * * * *"
_NOW = dt.datetime.now(dt.UTC)
HOURLY = f"{(_NOW.minute + 30) % 60} * * * *"
"""No slot of it is near while these tests run."""
MONTHLY = f"0 0 {(_NOW.day + 13) % 28 + 1} * *"
LONG_S = 300


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    with product({}) as it:
        yield it


def write(running: Product, dag_id: str, schedule: str = HOURLY, seconds: int = 0, **arguments: Any) -> None:
    told = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    running.write(f"{dag_id}.py", DAG.format(dag_id=dag_id, schedule=schedule, seconds=seconds, arguments=told))


def runs(running: Product, dag_id: str) -> list[dict[str, Any]]:
    return sorted(running.rows("runs", "list", dag_id), key=lambda row: row["run_after"])


def ahead(running: Product, dag_id: str, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(running.do("dags", "next-runs", dag_id, "-o", "json", *words))
    return found


def test_what_unpausing_does_is_told_before_and_then_done(running: Product) -> None:
    write(running, "paused", is_paused_upon_creation=True, catchup=False)
    running.has_dag("paused")
    told = ahead(running, "paused")
    now = [row["run_id"] for row in told["next_runs"] if row["state"] == "now"]
    assert len(now) == 1 and told["skipped"][0]["reason"].startswith("catchup=False")
    assert now[0] in running.do("dags", "unpause", "--dry-run", "paused")
    assert runs(running, "paused") == []
    assert now[0] in running.do("dags", "unpause", "paused")
    assert running.ended("paused", now[0])["state"] == "success"
    slot = dt.datetime.fromisoformat(runs(running, "paused")[0]["run_after"]) - dt.timedelta(hours=3)
    assert "only the newest runs" in running.do("explain", "paused", slot.isoformat())


def test_a_changed_schedule_is_shown_before_it_is_written_and_does_what_was_shown(running: Product) -> None:
    write(running, "changing", MONTHLY, is_paused_upon_creation=False)
    running.has_dag("changing")
    running.until(lambda: len(runs(running, "changing")) == 1, "the newest slot of the month runs")
    told = ahead(running, "changing", "--schedule", HOURLY, "--count", "2")
    at_once = [row["run_id"] for row in told["next_runs"] if row["state"] == "now"]
    write(running, "changing", HOURLY, is_paused_upon_creation=False)
    running.until(lambda: len(runs(running, "changing")) == 2, "the newest slot of the hour runs")
    assert runs(running, "changing")[-1]["run_id"] in at_once
    running.write("changing.py", (running.dags / "changing.py").read_text() + "\n# edited\n")
    running.restart()
    running.do("dags", "pause", "changing")
    running.do("dags", "unpause", "changing")
    assert len(runs(running, "changing")) == 2


def test_a_due_run_ends_the_one_that_is_active(running: Product) -> None:
    write(running, "relay", EVERY_2_S, LONG_S, is_paused_upon_creation=False, overlap="cancel_running")
    running.until(
        lambda: len([row for row in running.rows("dags", "list") if row["dag_id"] == "relay"]) == 1, "relay is listed"
    )
    running.until(lambda: len(runs(running, "relay")) >= 3, "three runs were due")
    running.do("dags", "pause", "relay")
    first = running.ended("relay", str(runs(running, "relay")[0]["run_id"]))
    assert first["state"] == "failed"
    ended = running.do("explain", "relay", first["run_id"])
    assert 'overlap="cancel_running"' in ended
    assert running.tasks("relay", first["run_id"])["work"]["state"] in ("failed", "skipped")


def test_a_slot_is_passed_while_a_run_is_active_and_explain_says_so(running: Product) -> None:
    write(running, "calm", EVERY_2_S, LONG_S, is_paused_upon_creation=False, overlap="skip")
    running.has_dag("calm")
    running.until(lambda: 'overlap="skip": a run was active' in running.do("explain", "calm"), "a slot is passed")
    assert len(runs(running, "calm")) == 1
