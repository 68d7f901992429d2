"""Setups and teardowns as a user meets them on Celery workers and PostgreSQL: marks, clears, time limits, fail_fast, lost processes, backfills."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.celery_product import CeleryProduct, celery_product
from tests.acceptance.product import Product
from tests.brokers import require_broker
from tests.databases import new_database

pytestmark = pytest.mark.postgres

_DAGS = """
import os
import time
from datetime import datetime, timedelta
from pathlib import Path

from airflow.sdk import DAG, get_current_context, task, task_group
from airflow.sdk.exceptions import AirflowSkipException

MARKS = Path(__file__).parent


@task
def step():
    ti = get_current_context()["ti"]
    print("step", ti.task_id)


@task
def hang():
    ti = get_current_context()["ti"]
    (MARKS / f"{ti.dag_id}.{ti.run_id}.began").write_text(str(os.getpid()))
    while not (MARKS / f"{ti.dag_id}.{ti.run_id}.gate").exists():
        time.sleep(0.05)


@task
def fail():
    context = get_current_context()
    while not (MARKS / f"fails_fast.{context['ti'].run_id}.began").exists():
        time.sleep(0.05)
    raise ValueError("no")


def named(function, task_id, **others):
    return function.override(task_id=task_id, **others)()


for dag_id in ("marked", "killed"):
    with DAG(dag_id, schedule=None):
        create, work, drop = named(step, "create"), named(hang, "work"), named(step, "drop")
        create >> work >> named(step, "after") >> drop.as_teardown(setups=create)

with DAG("late", schedule=None, dagrun_timeout=timedelta(seconds=3)):
    create, work, drop = named(step, "create"), named(hang, "work"), named(step, "drop")
    create >> work >> drop.as_teardown(setups=create)

with DAG("fails_fast", schedule=None, fail_fast=True):
    create, drop = named(step, "create"), named(step, "drop")
    bad, long, after = named(fail, "bad"), named(hang, "long"), named(step, "after")
    create >> [bad, long] >> drop.as_teardown(setups=create)
    bad >> after >> drop

with DAG("cleared", schedule=None):
    s, w1, w2, w3, t = (named(step, task_id) for task_id in ("s", "w1", "w2", "w3", "t"))
    s >> w1 >> w2 >> w3 >> t.as_teardown(setups=s)

with DAG("mapped", schedule=None):

    @task
    def prepare(x):
        if x == 1:
            raise AirflowSkipException
        if x == 2:
            raise ValueError("no cluster")

    @task
    def use(x):
        print("use", x)

    @task_group
    def group(x):
        s, w1 = prepare.override(task_id="s")(x), use.override(task_id="w1")(x)
        w2, t = use.override(task_id="w2", trigger_rule="all_done")(x), use.override(task_id="t")(x)
        s >> w1 >> w2 >> t.as_teardown(setups=s)

    group.expand(x=[0, 1, 2])

with DAG("daily", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False, is_paused_upon_creation=True):
    create, work, drop = named(step, "create"), named(step, "work"), named(step, "drop")
    create >> work >> drop.as_teardown(setups=create)
"""


@pytest.fixture(scope="module")
def deployment() -> Iterator[CeleryProduct]:
    with (
        new_database("postgresql") as url,
        celery_product(
            require_broker("redis"), {"dags.py": _DAGS}, {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}
        ) as running,
    ):
        running.start_worker(concurrency=4)
        running.product.has_dag("marked")
        yield running


@pytest.fixture
def product(deployment: CeleryProduct) -> Product:
    return deployment.product


def _states(product: Product, dag_id: str, run_id: str) -> dict[str, str]:
    """By the names of the task instances, in the order of the DAG."""
    rows = product.rows("tasks", "states", dag_id, run_id)
    return {row["task_id"] + (f"[{row['map_index']}]" if row["map_index"] >= 0 else ""): row["state"] for row in rows}


def _tries(product: Product, dag_id: str, run_id: str) -> dict[str, int]:
    return {row["task_id"]: row["try_number"] for row in product.rows("tasks", "states", dag_id, run_id)}


def _start(product: Product, dag_id: str, run_id: str) -> int:
    """Start a run whose task hangs; returns the process of the task."""
    product.do("dags", "trigger", dag_id, "--run-id", run_id)
    began = product.dags / f"{dag_id}.{run_id}.began"
    product.until(lambda: began.exists() and began.read_text() != "", "the task hangs")
    return int(began.read_text())


def _is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_a_run_that_is_marked_failed_is_torn_down_and_its_process_has_ended(product: Product) -> None:
    pid = _start(product, "marked", "r")
    preview = {
        row["task_id"]: row["becomes"]
        for row in product.rows("runs", "mark", "marked", "r", "--state", "failed", "--dry-run")
    }
    assert preview == {"work": "failed", "after": "skipped"}
    assert "its teardowns run first" in product.do("runs", "mark", "marked", "r", "--state", "failed")
    assert product.ended("marked", "r")["state"] == "failed"
    assert _states(product, "marked", "r") == {
        "create": "success",
        "work": "failed",
        "after": "skipped",
        "drop": "success",
    }
    product.until(lambda: not _is_alive(pid), "the process of the task has ended")


def test_a_single_task_that_is_marked_failed_is_torn_down(product: Product) -> None:
    pid = _start(product, "marked", "one")
    preview = product.rows("tasks", "mark", "marked", "one", "work", "--state", "failed", "--dry-run")
    assert [(row["task_id"], row["becomes"]) for row in preview] == [("work", "failed")]
    product.do("tasks", "mark", "marked", "one", "work", "--state", "failed")
    assert product.ended("marked", "one")["state"] == "failed"
    assert _states(product, "marked", "one") == {
        "create": "success",
        "work": "failed",
        "after": "upstream_failed",
        "drop": "success",
    }
    product.until(lambda: not _is_alive(pid), "the process of the task has ended")


def test_a_task_whose_process_is_killed_is_torn_down(product: Product) -> None:
    os.kill(_start(product, "killed", "r"), signal.SIGKILL)
    assert product.ended("killed", "r")["state"] == "failed"
    assert _states(product, "killed", "r") == {
        "create": "success",
        "work": "failed",
        "after": "upstream_failed",
        "drop": "success",
    }


def test_a_run_that_takes_longer_than_it_may_is_not_torn_down_as_in_airflow(product: Product) -> None:
    pid = _start(product, "late", "r")
    assert product.ended("late", "r")["state"] == "failed"
    assert _states(product, "late", "r") == {"create": "success", "work": "skipped", "drop": "skipped"}
    product.until(lambda: not _is_alive(pid), "the process of the task has ended")


def test_a_run_that_fails_fast_is_torn_down(product: Product) -> None:
    pid = _start(product, "fails_fast", "r")
    assert product.ended("fails_fast", "r")["state"] == "failed"
    assert _states(product, "fails_fast", "r") == {
        "create": "success",
        "bad": "failed",
        "long": "failed",
        "after": "skipped",
        "drop": "success",
    }
    product.until(lambda: not _is_alive(pid), "the process of the task has ended")


def test_a_cleared_task_takes_its_setup_and_its_teardown_as_the_preview_says(product: Product) -> None:
    assert product.run("cleared", "--run-id", "r")["state"] == "success"
    preview = [row["task_id"] for row in product.rows("tasks", "clear", "cleared", "r", "w2", "--dry-run")]
    done = [row["task_id"] for row in product.rows("tasks", "clear", "cleared", "r", "w2")]
    assert preview == done == ["s", "w2", "t"]
    product.until(
        lambda: _tries(product, "cleared", "r") == {"s": 2, "w1": 1, "w2": 2, "w3": 1, "t": 2}, "these three ran again"
    )
    assert product.ended("cleared", "r")["state"] == "success"
    rows = product.tasks("cleared", "r")
    assert rows["s"]["end_date"] <= rows["w2"]["start_date"] <= rows["w2"]["end_date"] <= rows["t"]["start_date"]


def test_each_index_of_a_mapped_group_has_a_setup_of_its_own(product: Product) -> None:
    assert product.run("mapped", "--run-id", "r")["state"] == "failed"
    rows = [("success", "success", "success", "success"), ("skipped",) * 4, ("failed", *("upstream_failed",) * 3)]
    expected = {
        f"group.{task_id}[{index}]": rows[index][place]
        for place, task_id in enumerate(("s", "w1", "w2", "t"))
        for index in range(3)
    }
    assert _states(product, "mapped", "r") == expected
    done = product.rows("tasks", "clear", "mapped", "r", "group.w1[0]")
    assert [(row["task_id"], row["map_index"]) for row in done] == [("group.s", 0), ("group.w1", 0), ("group.t", 0)]
    assert product.ended("mapped", "r")["state"] == "failed"


def test_a_backfill_that_runs_runs_again_sets_up_and_tears_down_again(product: Product) -> None:
    product.do("dags", "unpause", "daily")
    words = ("backfill", "create", "daily", "--from", "2024-02-01", "--to", "2024-02-02")
    product.do(*words, "--wait")
    runs = [row["run_id"] for row in product.rows("runs", "list", "daily") if row["run_id"].startswith("backfill")]
    assert len(runs) == 2
    product.do(*words, "--reprocess", "completed", "--wait")
    for run_id in runs:
        assert product.ended("daily", run_id)["state"] == "success"
        assert _tries(product, "daily", run_id) == {"create": 2, "work": 2, "drop": 2}
