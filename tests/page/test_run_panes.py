"""A run in three panes: how high the first lines stand, one keyboard, and what is said of how it ended."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.acceptance.product import Product
from tests.page.task_dags import FILES
from tests.page.visit import SIZES, visit

LIMITS = {"wide": (120, 260), "narrow": (96, 300)}
"""By size of the window: the most pixels of the head, and those above the first line."""
MIXED = """
from airflow.sdk import DAG, Param, task

with DAG("mixed_ends", schedule=None, params={"day": Param(1, type="integer")}):

    @task
    def give(params=None):
        return params["day"]

    @task
    def fails(params=None):
        if params["day"] > 1:
            raise RuntimeError("not on this day")

    @task(trigger_rule="all_done")
    def ends():
        print("done")

    give() >> fails() >> ends()
"""


@pytest.fixture(scope="session")
def mixed(product: Product) -> Product:
    """A DAG whose run `good` is a success, and whose run `mixed` is one although a task of it failed; and one with a log that has groups."""
    product.write("mixed_ends.py", MIXED)
    product.write("talkative.py", FILES["talkative.py"])
    product.write("talkative.gate", "")
    product.has_dag("mixed_ends")
    product.has_dag("talkative")
    for run_id, day in (("good", 1), ("mixed", 2)):
        product.run("mixed_ends", "--run-id", run_id, "--conf", f'{{"day": {day}}}')
    product.run("talkative", "--run-id", "whole")
    return product


def _measure(page: Page, selector: str) -> float:
    expect(page.locator(selector).first).to_be_visible()
    return float(page.locator(selector).first.evaluate("one => one.getBoundingClientRect().top"))


@pytest.mark.parametrize("size", SIZES)
def test_heads_are_low_and_the_first_lines_of_tasks_chart_and_log_stand_high(
    browser: Browser, mixed: Product, size: str
) -> None:
    head, above = LIMITS[size]
    run = "/dags/nightly/runs/first"
    with visit(browser, mixed, size) as seen:
        seen.log_in(run)
        for path, line in (
            (run, ".task-line"),
            (f"{run}?pane=gantt", ".gantt-line"),
            (f"{run}/gantt", ".gantt-line"),
            (f"{run}/tasks/extract", ".log-line"),
            ("/dags/mixed_ends/runs/mixed", ".task-line"),
            ("/dags/mixed_ends/runs/mixed?pane=gantt", ".gantt-line"),
        ):
            seen.open(path)
            assert _measure(seen.page, line) < above, (path, line)
            box = seen.page.locator("[data-page-header]").bounding_box()
            assert box is not None
            assert box["height"] <= head, path
            assert seen.page.evaluate("document.documentElement.scrollHeight <= innerHeight"), (path, "two scroll bars")


def test_one_keyboard_chooses_the_task_its_part_and_its_page(browser: Browser, mixed: Product) -> None:
    with visit(browser, mixed) as seen:
        seen.log_in("/dags/mixed_ends/runs/mixed")
        page = seen.page
        pane = page.get_by_role("region", name="The chosen task")
        expect(pane).to_contain_text("fails")  # what failed is chosen, and its log is there
        expect(pane.get_by_role("log")).to_contain_text("not on this day")
        page.keyboard.press("ArrowUp")
        expect(page).to_have_url(re.compile(r"chosen=give$"))
        page.keyboard.press("x")
        expect(page).to_have_url(re.compile("part=xcoms"))
        expect(pane).to_contain_text("return_value")
        seen.check()
        page.keyboard.press("n")
        expect(page).to_have_url(re.compile("chosen=fails"))
        page.keyboard.press("l")
        expect(pane.get_by_role("log")).to_be_focused()
        page.get_by_label("Task instances").focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/runs/mixed/tasks/fails$"))
        page.go_back()
        page.keyboard.press("[")
        expect(page.get_by_role("heading", level=1)).to_have_text("good")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("in a run")


def test_a_click_chooses_and_a_link_opens_the_page_of_a_task(browser: Browser, mixed: Product) -> None:
    with visit(browser, mixed) as seen:
        seen.log_in("/dags/mixed_ends/runs/mixed")
        page = seen.page
        page.get_by_role("region", name="Gantt chart").get_by_role("link", name=re.compile("^ends")).click()
        expect(page).to_have_url(re.compile("chosen=ends"))
        page.reload()
        pane = page.get_by_role("region", name="The chosen task")
        expect(pane.get_by_role("log")).to_contain_text("done")
        pane.get_by_role("link", name="ends").click()
        expect(page).to_have_url(re.compile("/tasks/ends$"))


@pytest.mark.parametrize("size", SIZES)
def test_a_success_with_failed_tasks_says_so_and_what_is_different_from_the_last_good_run(
    browser: Browser, mixed: Product, size: str
) -> None:
    with visit(browser, mixed, size) as seen:
        seen.log_in("/dags/mixed_ends/runs/mixed")
        page = seen.page
        said = page.get_by_role("region", name="Failed tasks of a success")
        expect(said).to_contain_text("1 task failed, and the run is a success")
        if size == "wide":
            expect(said).to_contain_text("these did not fail: ends.")
        page.get_by_role("button", name="Different from the last good run: 1 param, 1 XCom").click()
        box = page.get_by_role("dialog")
        expect(box.get_by_role("row", name=re.compile("^day"))).to_have_text("day12")
        expect(box.get_by_role("row", name=re.compile("^give return_value"))).to_have_text("give return_value12")
        seen.check()
        seen.open("/dags/mixed_ends/runs/good")
        expect(page.locator("h1 + .badge")).to_contain_text("success")
        expect(page.get_by_role("button", name=re.compile("Different from"))).to_have_count(0)
        expect(said).to_have_count(0)


def test_a_log_fills_the_window_and_leads_to_its_errors(browser: Browser, mixed: Product) -> None:
    with visit(browser, mixed) as seen:
        seen.log_in("/dags/talkative/runs/whole/tasks/talk")
        page = seen.page
        log = page.get_by_role("log")
        expect(log).to_contain_text("needle at the end")
        page.get_by_role("button", name="Go to the next error").click()
        expect(log.locator(".log-chosen")).to_contain_text("an error of")
        page.get_by_role("button", name="Log in the whole window").click()
        box = log.bounding_box()
        assert box is not None
        assert (box["x"], box["width"]) == (0, 1440)
        seen.check()
        log.focus()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Log in the whole window")).to_be_visible()


def test_the_graph_takes_the_place_of_the_gantt_chart_and_a_click_chooses_a_task(
    browser: Browser, mixed: Product
) -> None:
    with visit(browser, mixed) as seen:
        seen.log_in("/dags/mixed_ends/runs/mixed?chosen=give")
        page = seen.page
        chosen = page.get_by_role("region", name="The chosen task")
        expect(chosen).to_contain_text("give")
        page.get_by_role("group", name="Picture of the run").get_by_role("button", name="Graph").click()
        page.locator('[data-node="task:ends"]').click()
        expect(page).to_have_url(re.compile("picture=graph"))
        expect(page).to_have_url(re.compile("chosen=ends"))
        expect(chosen).to_contain_text("ends")
        expect(page.get_by_role("dialog")).to_have_count(0)
        seen.check()
        page.reload()
        expect(page.locator('[data-node="task:ends"]')).to_be_visible()
