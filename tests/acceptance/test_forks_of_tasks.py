"""Tasks that fork, reconfigure logging, redirect their descriptors or raise what has no text: each ends as its author meant, and its log says why."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pytest
from tests.acceptance.product import Product, Row, product

from gnomon.model.serde import loads
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs, xcom_values

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
OPTIONS = {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False", "GNOMON__CORE__PARALLELISM": "8"}
HEAD = """
import concurrent.futures, multiprocessing, os, signal, time
from airflow.sdk import DAG, task
"""
SIGTERM_TO_CHILD = """
with DAG("sigterm_to_forked_child", schedule=None):
    @task
    def fork_term():
        pid = os.fork()
        if pid == 0:
            time.sleep(20); os._exit(0)
        time.sleep(0.3); os.kill(pid, signal.SIGTERM)
        return os.waitpid(pid, 0)[1]
    fork_term()
"""
CHILD_REPORTS = """
with DAG("forked_child_reports_result", schedule=None):
    @task
    def fork_return():
        pid = os.fork()
        if pid == 0: return "child"
        os.waitpid(pid, 0); return "parent"
    @task
    def fork_raise():
        pid = os.fork()
        if pid == 0: raise RuntimeError("only the child fails")
        os.waitpid(pid, 0); return "parent"
    fork_return(); fork_raise()
"""
DICTCONFIG = """
with DAG("log_lost_after_dictconfig", schedule=None):
    @task
    def f():
        import logging.config
        logging.config.dictConfig({"version": 1, "disable_existing_loggers": True, "root": {"level": "ERROR", "handlers": []}})
        raise ValueError("after dictconfig")
    f()
"""
DUP2 = """
with DAG("log_lost_after_dup2", schedule=None):
    @task
    def f():
        n = os.open("/dev/null", os.O_WRONLY); os.dup2(n, 1); os.dup2(n, 2)
        raise ValueError("fd gone")
    f()
"""
NO_TEXT = """
with DAG("exception_str_raises", schedule=None):
    class E(Exception):
        def __str__(self): raise ValueError("no str")
    @task
    def f(): raise E()
    f()
"""
POOLS = """
with DAG("pools", schedule=None, max_active_tasks=64):
    @task
    def pool(i):
        with multiprocessing.Pool(2) as p: return p.map(abs, [-1, -2, 3])
    @task
    def executor(i):
        with concurrent.futures.ProcessPoolExecutor(2) as p: return list(p.map(abs, [-1, -2, 3]))
    pool.expand(i=list(range(COUNT)))
    executor.expand(i=list(range(COUNT)))

with DAG("load", schedule=None, max_active_tasks=64):
    @task
    def busy(i):
        ends_at = time.monotonic() + 0.05
        while time.monotonic() < ends_at: pass
    busy.expand(i=list(range(2 * COUNT)))
"""
FILES = {
    "sigterm.py": SIGTERM_TO_CHILD,
    "reports.py": CHILD_REPORTS,
    "dictconfig.py": DICTCONFIG,
    "dup2.py": DUP2,
    "no_text.py": NO_TEXT,
}
TRIAL = (
    HEAD
    + """
def forks(context):
    if os.fork() == 0:
        return
    os.wait()

with DAG("trial", schedule=None):
    @task(on_success_callback=[forks, lambda context: print("called once")])
    def fork_return():
        pid = os.fork()
        if pid == 0: return "child"
        print("code", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        return "parent"
    @task
    def fork_raise():
        pid = os.fork()
        if pid == 0: raise RuntimeError("only the child fails")
        os.waitpid(pid, 0)
        with multiprocessing.Pool(2) as p: return p.map(abs, [-1, -2, 3])
    fork_return(); fork_raise()
"""
)


class Task(NamedTuple):
    """A task of a run that has ended."""

    run: Row
    row: Row
    log: str


@pytest.fixture(scope="module")
def home() -> Iterator[Product]:
    with product({name: HEAD + text for name, text in FILES.items()}, OPTIONS) as running:
        for text in FILES.values():
            running.has_dag(text.split('"')[1])
        yield running


def ended(home: Product, dag_id: str, task_id: str) -> Task:
    run = home.run(dag_id)
    return Task(run, home.tasks(dag_id, run["run_id"])[task_id], home.task_log(dag_id, run["run_id"], task_id))


def returned(home: Product, dag_id: str, run_id: str, task_id: str) -> object:
    """The value that the task pushed."""
    with closing(open_database(f"sqlite:///{home.home / 'gnomon.db'}")) as db, db.read() as tx:
        run = dag_runs.find_stored_run(tx, dag_id, run_id)
        assert run is not None
        (found,) = xcom_values.read_xcoms(tx, run, "return_value", [task_id])
        return loads(found.value)


def test_a_child_that_is_terminated_dies_and_the_task_goes_on(home: Product) -> None:
    task = ended(home, "sigterm_to_forked_child", "fork_term")
    assert task.row["state"] == "success", task.log
    assert returned(home, "sigterm_to_forked_child", task.run["run_id"], "fork_term") == 15


def test_a_child_that_returns_or_raises_does_not_report_as_the_task(home: Product) -> None:
    run = home.run("forked_child_reports_result")
    for task_id in ("fork_return", "fork_raise"):
        assert home.tasks("forked_child_reports_result", run["run_id"])[task_id]["state"] == "success"
        assert returned(home, "forked_child_reports_result", run["run_id"], task_id) == "parent"


@pytest.mark.parametrize(
    ("dag_id", "text"),
    [("log_lost_after_dictconfig", "ValueError: after dictconfig"), ("log_lost_after_dup2", "ValueError: fd gone")],
)
def test_the_log_ends_with_the_failure_and_its_traceback(home: Product, dag_id: str, text: str) -> None:
    lines = ended(home, dag_id, "f").log.splitlines()
    assert any(f"ERROR    task failed: {text}" in line for line in lines)
    assert any("Traceback (most recent call last)" in line for line in lines) and lines[-1].endswith(text)


def test_an_error_whose_text_cannot_be_made_is_the_reason_of_its_task(home: Product) -> None:
    task = ended(home, "exception_str_raises", "f")
    assert (task.row["state"], task.row["reason"]) == ("failed", "E: <its text cannot be made: ValueError: no str>")


def test_forks_of_tasks_and_callbacks_end_in_a_run_of_dags_test_too(home: Product) -> None:
    path = home.home / "trial.py"
    path.write_text(TRIAL)
    done = home.cli("dags", "test", str(path))
    assert done.code == 0, done.out + done.err
    said = done.out + done.err
    assert said.count("called once") == 1 and "code 0" in said and "RuntimeError: only the child fails" in said


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_pools_of_processes_end_beside_load(count: int) -> None:
    with product({"pools.py": HEAD + f"COUNT = {count}\n" + POOLS}, OPTIONS) as running:
        running.has_dag("pools")
        running.has_dag("load")
        load = running.do("dags", "trigger", "load").strip()
        pools = running.do("dags", "trigger", "pools").strip()
        for dag_id, run_id in (("pools", pools), ("load", load)):
            found: list[Row] = []

            def over(dag_id: str = dag_id, run_id: str = run_id, found: list[Row] = found) -> bool:
                found[:] = [row for row in running.rows("runs", "list", dag_id) if row["run_id"] == run_id]
                return found[0]["state"] in ("success", "failed")

            running.until(over, f"run {run_id} of {dag_id} has ended", patience_s=60 + 6.0 * count)
            assert found[0]["state"] == "success"
