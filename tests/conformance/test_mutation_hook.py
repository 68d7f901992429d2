"""`task_instance_mutation_hook` as Airflow's guide describes it, in a running product: of an installed package and of `airflow_local_settings`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product

PACKAGE = """
from airflow.policies import hookimpl

@hookimpl
def task_instance_mutation_hook(task_instance, dag_run):
    if task_instance.task_id == "trains":
        task_instance.pool = dag_run.conf.get("pool", "gpu")
        task_instance.pool_slots = 2
    task_instance.priority_weight = 7
"""
LOCAL = """
def task_instance_mutation_hook(task_instance):
    if task_instance.try_number >= 1:
        task_instance.queue = "retry_queue"
    if task_instance.map_index == 1:
        task_instance.priority_weight = 70
"""
DAG = """
from datetime import datetime, timedelta, timezone
from airflow.sdk import DAG, task

with DAG("hooked", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), is_paused_upon_creation=False):
    def show(ti):
        print("SEEN", ti.map_index, ti.try_number, ti.queue, ti.pool, ti.pool_slots, ti.priority_weight)

    @task(retries=1, retry_delay=timedelta(0))
    def trains(ti=None):
        show(ti)
        if ti.try_number == 1:
            raise ValueError("once")

    @task
    def mapped(n, ti=None):
        show(ti)

    trains() >> mapped.expand(n=[1, 2])
"""


def seen(running: Product, run_id: str, task_id: str, *words: str) -> list[str]:
    """What the task printed in this run: map index, try, queue, pool, slots, priority."""
    lines = running.do("tasks", "logs", "hooked", run_id, task_id, *words).splitlines()
    return [line.partition("SEEN ")[2] for line in lines if "SEEN " in line]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with an installed package that brings a cluster policy."""
    (tmp_path / "router.py").write_text(PACKAGE)
    info = tmp_path / "router-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: router\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[airflow.policy]\nrouter = router\n")
    return tmp_path


def test_the_hook_routes_each_try_before_it_is_queued(packages: Path) -> None:
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    with product({"../config/airflow_local_settings.py": LOCAL}, {"PYTHONPATH": path}) as running:
        running.write("hooked.py", DAG)
        running.has_dag("hooked")
        run_id = running.do("dags", "trigger", "hooked").strip()
        running.until(
            lambda: "the pool 'gpu', which does not exist" in running.do("explain", "hooked", run_id),
            "explain names the pool",
        )
        running.do("pools", "set", "gpu", "2")
        assert running.ended("hooked", run_id)["state"] == "success"
        assert seen(running, run_id, "trains", "--try", "1") == ["-1 1 default gpu 2 7"]
        assert seen(running, run_id, "trains", "--try", "2") == ["-1 2 retry_queue gpu 2 7"]
        assert seen(running, run_id, "mapped", "--map-index", "0") == ["0 1 default default_pool 1 7"]
        assert seen(running, run_id, "mapped", "--map-index", "1") == ["1 1 default default_pool 1 70"]

        (running.home / "config" / "airflow_local_settings.py").write_text(
            LOCAL + "    task_instance.priority_weight += 'x'\n"
        )
        run_id = running.do("dags", "trigger", "hooked", "--conf", '{"pool": "default_pool"}').strip()
        running.until(
            lambda: "TypeError" in running.do("explain", "hooked", run_id), "explain names the error of the policy"
        )
        explained = running.do("explain", "hooked", run_id)
        assert (
            "trains: its queue and its pool are not known, because the cluster policy task_instance_mutation_hook failed at"
            in explained
        )
        (running.home / "config" / "airflow_local_settings.py").write_text(LOCAL.replace("70", "71"))
        running.do("dags", "reserialize")  # the dag-processor itself looks at the policies every thirty seconds
        assert running.ended("hooked", run_id)["state"] == "success", "the policies are asked again when they change"
        assert seen(running, run_id, "trains", "--try", "2") == ["-1 2 retry_queue default_pool 2 7"]
        assert seen(running, run_id, "mapped", "--map-index", "1") == ["1 1 default default_pool 1 71"]
