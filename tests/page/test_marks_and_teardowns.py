"""Marks in the page: the preview lists what continues in each run, and a marked run tears down first and says so."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import choose_act, visit

_DAGS = """
import time
from pathlib import Path

from airflow.sdk import DAG, get_current_context, task

MARKS = Path(__file__).parent


@task
def step():
    pass


@task
def hang():
    context = get_current_context()
    while not (MARKS / f"{context['dag'].dag_id}.{context['run_id']}.{context['ti'].task_id}").exists():
        time.sleep(0.05)


@task
def fail():
    raise RuntimeError("no")


def named(function, task_id):
    return function.override(task_id=task_id)()


with DAG("torn", schedule=None):
    create, work, drop = named(step, "create"), named(hang, "work"), named(hang, "drop")
    create >> work >> named(step, "after") >> drop.as_teardown(setups=create)

with DAG("continued", schedule=None):
    named(fail, "load") >> named(hang, "report")
"""


@pytest.fixture(scope="session")
def marked(product: Product) -> Product:
    product.write("marked.py", _DAGS)
    product.has_dag("torn")
    product.has_dag("continued")
    for run_id in ("one", "two"):
        product.run("continued", "--run-id", run_id)
    return product


def test_a_mark_in_earlier_runs_shows_what_continues_in_each_and_does_it(browser: Browser, marked: Product) -> None:
    with visit(browser, marked) as seen:
        seen.log_in("/dags/continued/runs/two/tasks/load")
        page = seen.page
        choose_act(page, re.compile("^Mark as success"))
        preview = page.get_by_label("What the act touches")
        expect(preview.get_by_role("listitem")).to_have_text(["load ✕ failed", "report ⚠ upstream failed"])
        preview.get_by_label("earlier runs").check()
        expect(preview).to_contain_text("2 task instances become success:")
        expect(preview).to_contain_text("2 task instances run again:")
        expect(preview.get_by_text("run one of continued")).to_have_count(2)
        expect(preview.get_by_role("listitem")).to_have_text(
            ["load ✕ failed", "load ✕ failed", "report ⚠ upstream failed", "report ⚠ upstream failed"]
        )
        seen.check()
        page.get_by_role("button", name="Mark them").click()
        expect(page.get_by_role("status").filter(has_text="2 task instances are success")).to_be_visible()
    for run_id in ("one", "two"):
        marked.until(
            lambda run_id=run_id: marked.tasks("continued", run_id)["report"]["state"] == "running",
            "the task below runs again",
        )
        (marked.dags / f"continued.{run_id}.report").touch()
        assert marked.ended("continued", run_id)["state"] == "success"


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_run_that_is_marked_failed_says_that_its_teardown_runs_first(
    browser: Browser, marked: Product, size: str
) -> None:
    marked.do("dags", "trigger", "torn", "--run-id", size)
    marked.until(lambda: marked.tasks("torn", size)["work"]["state"] == "running", "the work runs")
    with visit(browser, marked, size) as seen:
        seen.log_in(f"/dags/torn/runs/{size}")
        page = seen.page
        choose_act(page, re.compile("^Stop"))
        preview = page.get_by_label("What the act touches")
        expect(preview.get_by_role("listitem")).to_have_text(["work ▶ running", "after · no state"])
        page.get_by_role("button", name="Stop the run").click()
        expect(page.get_by_role("region", name="Why", exact=True)).to_contain_text("marked failed by")
        expect(page.locator("h1 + .badge")).to_contain_text("running")
        marked.until(lambda: marked.tasks("torn", size)["drop"]["state"] == "running", "the teardown runs")
        seen.check()
        (marked.dags / f"torn.{size}.drop").touch()
        expect(page.locator("h1 + .badge")).to_contain_text("failed")
        seen.check()
    assert {task_id: row["state"] for task_id, row in marked.tasks("torn", size).items()} == {
        "create": "success",
        "work": "failed",
        "after": "skipped",
        "drop": "success",
    }
