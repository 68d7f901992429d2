"""The grid, the graph and the Gantt chart of a DAG with groups."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.acceptance.product import Product
from tests.page.graph_dags import GROUPED
from tests.page.visit import SIZES, visit

TASKS = 5_000
RUNS = 365


@pytest.fixture(scope="session")
def grouped(product: Product) -> Product:
    product.write("folded.py", GROUPED)
    product.has_dag("folded")
    product.run("folded", "--run-id", "first")
    return product


@pytest.mark.parametrize("size", SIZES)
def test_the_graph_folds_by_group_opens_in_place_and_leads_to_the_task(
    browser: Browser, grouped: Product, size: str
) -> None:
    with visit(browser, grouped, size) as seen:
        seen.log_in("/dags/folded/graph")
        page = seen.page
        picture = page.get_by_role("group", name="Picture of the graph")
        expect(picture).to_contain_text("clean")
        expect(picture).to_contain_text("valid rows")
        expect(picture).to_contain_text("3 success")
        if size == "wide":  # what is far outside of a narrow window is not drawn
            expect(picture).to_contain_text("grouped_table")
        seen.check()
        page.get_by_role("button", name="Fold all groups").click()
        expect(page).to_have_url(re.compile("open=-"))
        expect(picture).not_to_contain_text("clean")
        expect(picture).to_contain_text("1 failed")
        page.reload()
        expect(picture).to_contain_text("transform")
        expect(picture).not_to_contain_text("clean")
        page.get_by_role("searchbox", name="Search").fill("merge")
        details = page.get_by_role("region", name="The chosen node")
        chosen = picture.locator(".graph-chosen")
        expect(chosen).to_contain_text("transform")
        if size == "narrow":  # the sheet covers a narrow window: it opens with a press
            chosen.click()
        expect(details).to_contain_text("transform")
        details.get_by_role("button", name="Open the group").click()
        if size == "narrow":
            page.get_by_role("button", name="Close").click()
        expect(picture).to_contain_text("clean")
        page.get_by_role("searchbox", name="Search").fill("transform.clean")
        expect(page.get_by_role("status").filter(has_text="1 node has this in its name")).to_be_visible()
        expect(chosen).to_contain_text("clean")
        expect(chosen).to_contain_text("failed")
        if size == "wide":
            expect(details).to_contain_text("transform.clean")
            expect(details).to_contain_text("failed")
            expect(details.get_by_role("link", name="Log")).to_be_visible()
        picture.focus()
        ahead, back = (
            ("ArrowRight", "ArrowLeft") if size == "wide" else ("ArrowDown", "ArrowUp")
        )  # a narrow picture goes from top to bottom
        page.keyboard.press(ahead)
        expect(chosen).to_contain_text("join")
        page.keyboard.press(back)
        expect(chosen).to_contain_text("clean")
        seen.check()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/dags/folded/runs/first/tasks/transform.clean"))


def test_the_path_of_a_task_is_told_from_the_rest_and_the_picture_is_saved_whole(
    browser: Browser, grouped: Product
) -> None:
    with visit(browser, grouped) as seen:
        seen.log_in("/dags/folded/graph")
        page = seen.page
        picture = page.get_by_role("group", name="Picture of the graph")
        picture.locator("[data-node='task:store_the_result_of_all_transformations']").hover()
        expect(picture.locator(".graph-onPath", has_text="close_session")).to_have_count(1)
        expect(picture.locator(".graph-onPath", has_text="clean")).to_have_count(1)
        expect(picture.locator(".graph-near path").first).to_be_attached()
        picture.locator("[data-node='task:close_session']").hover()
        expect(picture.locator(".graph-onPath", has_text="grouped_table")).to_have_count(0)
        for name, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
            page.get_by_role("button", name="Save the picture").click()
            with page.expect_download() as saved:
                page.get_by_role("menuitem", name=f"As {name}").click()
            content = Path(saved.value.path()).read_bytes()
            assert saved.value.suggested_filename == f"folded.{name.lower()}"
            assert content.startswith(start)
            if name == "SVG":
                text = content.decode()
                assert "grouped_table" in text
                assert "class=" not in text  # its colours are written into it
                assert 'fill="rgb(' in text


@pytest.mark.parametrize("size", SIZES)
def test_the_graph_fills_the_window_and_stands_in_the_middle_of_it(
    browser: Browser, grouped: Product, size: str
) -> None:
    with visit(browser, grouped, size) as seen:
        seen.log_in("/dags/folded/graph")
        page = seen.page
        node = page.locator(".graph-node").first
        expect(node).to_be_visible()
        frame = page.locator(".graph-frame").bounding_box()
        controls = page.get_by_role("group", name="Controls of the graph").bounding_box()
        boxes = [box for box in (one.bounding_box() for one in page.locator(".graph-box").all()) if box]
        above = min(box["y"] for box in boxes) - frame["y"] if frame else 0
        below = frame["y"] + frame["height"] - max(box["y"] + box["height"] for box in boxes) if frame else 0
        assert frame and controls and page.viewport_size
        assert 0 < above <= below or below <= 16  # a larger one begins at the edge
        assert controls["height"] < 48
        bottom = page.viewport_size["height"] - frame["y"] - frame["height"]
        assert 0 <= bottom < 40 or frame["height"] < 330  # a low window scrolls


def test_the_graph_is_a_table_for_those_who_do_not_see_it(browser: Browser, grouped: Product) -> None:
    with visit(browser, grouped) as seen:
        seen.log_in("/dags/folded/graph")
        seen.page.get_by_role("button", name="As a table").click()
        row = seen.page.get_by_role("row", name=re.compile("^transform.join.merge"))
        expect(row).to_contain_text("all_done")
        expect(row).to_contain_text("transform.clean")
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_the_gantt_chart_shows_tries_and_the_critical_path_and_keeps_no_line_that_a_filter_removes(
    browser: Browser, grouped: Product, size: str
) -> None:
    with visit(browser, grouped, size) as seen:
        seen.log_in("/dags/folded/runs/first")
        page = seen.page
        if size == "narrow":
            page.get_by_role("button", name="Gantt", exact=True).click()
        page.get_by_role("link", name="Gantt in the whole window").click()
        chart = page.get_by_role("region", name="Gantt chart")
        expect(chart.get_by_role("link", name=re.compile("transform.clean, failed"))).to_be_visible()
        expect(chart.get_by_role("link", name=re.compile(r"extract.read \[2\], success"))).to_be_visible()
        page.get_by_text("Critical path:").click()
        expect(page.get_by_role("cell", name="close_session")).to_be_visible()
        seen.check()
        page.keyboard.press("Escape")
        page.get_by_label("Show", exact=True).select_option("failed")
        expect(chart.get_by_role("link")).to_have_count(1)
        page.reload()
        expect(chart.get_by_role("link")).to_have_count(1)
        chart.get_by_role("link").focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("tasks/transform.clean"))


def test_the_gantt_chart_of_a_running_run_grows(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/gated/runs/waiting/gantt")
        chart = seen.page.get_by_role("region", name="Gantt chart")
        bar = chart.locator(".gantt-part")
        expect(bar).to_have_count(1)
        before = chart.get_by_role("link").get_attribute("title")
        expect(chart.get_by_role("link")).not_to_have_attribute("title", before or "")
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_the_grid_folds_groups_and_moves_by_keys(browser: Browser, grouped: Product, size: str) -> None:
    with visit(browser, grouped, size) as seen:
        seen.log_in("/dags/folded")
        page = seen.page
        grid = page.get_by_role("grid", name="Runs and tasks")
        expect(grid.get_by_role("gridcell", name="transform.clean, first: failed")).to_be_visible()
        seen.check()
        grid.get_by_role("rowheader", name="transform").first.click()
        expect(page).to_have_url(re.compile("fold=transform"))
        expect(grid.get_by_role("gridcell", name="transform.clean, first: failed")).to_have_count(0)
        expect(grid.get_by_role("gridcell", name="transform, first: 1 failed, 1 success")).to_be_visible()
        grid.focus()
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        expect(grid.get_by_role("gridcell", name="transform.clean, first: failed")).to_be_visible()
        grid.focus()
        page.keyboard.press("f")
        expect(page).to_have_url(re.compile("state=failed"))
        expect(grid.get_by_role("gridcell", name=re.compile("open_session"))).to_have_count(0)
        seen.check()
        page.get_by_role("button", name="Filters").click()
        page.get_by_label("Runs shown").select_option("queued")
        expect(page.get_by_text("No run fits these filters.")).to_be_visible()


def test_the_last_day_of_the_grid_is_part_of_it(browser: Browser, grouped: Product) -> None:
    with visit(browser, grouped) as seen:
        seen.log_in("/dags/folded")
        page = seen.page
        cell = page.get_by_role("gridcell", name="transform.clean, first: failed")
        expect(cell).to_be_visible()
        day = page.evaluate(
            "fetch('/api/v2/dags/folded/dagRuns/first').then(answer => answer.json()).then(run => new Date(run.run_after).toLocaleDateString('sv'))"
        )
        page.get_by_role("button", name="Filters").click()
        page.get_by_label("due from", exact=True).fill(day)
        page.get_by_label("due to", exact=True).fill(day)
        expect(page).to_have_url(re.compile("to="))
        expect(page.get_by_label("due to", exact=True)).to_have_value(day)
        expect(cell).to_be_visible()
        expect(page.get_by_text("No run fits these filters.")).to_have_count(0)
        page.get_by_label("due to", exact=True).fill("2020-01-01")
        expect(page.get_by_text("No run fits these filters.")).to_be_visible()


def test_grid_of_5000_tasks_and_365_runs_asks_the_server_once_and_scrolls(browser: Browser, grouped: Product) -> None:
    answer = {
        "dag_id": "folded",
        "states": ["success", "failed"],
        "has_older": False,
        "groups": [],
        "mapped": [],
        "task_groups": [None] * TASKS,
        "runs": [
            {
                "run_id": f"run_{number}",
                "run_type": "scheduled",
                "state": "success",
                "run_after": "2026-01-01T00:00:00Z",
                "start_date": "2026-01-01T00:00:00Z",
                "end_date": "2026-01-01T00:01:00Z",
            }
            for number in range(RUNS)
        ],
        "task_ids": [f"task_{number}" for number in range(TASKS)],
        "cells": [[int(number % 97 == 96)] * RUNS for number in range(TASKS)],
    }
    asked: list[str] = []

    def send(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(json=answer)

    with visit(browser, grouped) as seen:
        seen.page.route(re.compile("/api/gnomon/v1/dags/folded/grid"), send)
        seen.log_in("/dags/folded?runs=365")
        page = seen.page
        grid = page.get_by_role("grid", name="Runs and tasks")
        expect(grid.get_by_role("gridcell", name="task_0, run_364: success")).to_be_visible()
        grid.focus()
        page.keyboard.press("n")
        expect(grid.get_by_role("gridcell", name="task_96, run_364: failed")).to_be_visible()
        grid.evaluate("element => { element.scrollTop = element.scrollHeight; element.scrollLeft = 0; }")
        expect(grid.get_by_role("gridcell", name=f"task_{TASKS - 1}, run_0: success")).to_be_visible()
        assert page.evaluate("document.querySelectorAll('[role=gridcell]').length") < 3_000
        assert len(asked) == 1


@pytest.mark.parametrize(("size", "head", "cell"), [("wide", 120, 260), ("narrow", 96, 300)])
def test_the_head_of_a_dag_leaves_the_window_to_its_grid(
    browser: Browser, grouped: Product, size: str, head: int, cell: int
) -> None:
    grouped.write(
        "calm.py", GROUPED.replace('"folded"', '"calm"').replace('raise ValueError("a bad row")', 'print("clean")')
    )
    grouped.has_dag("calm")
    grouped.run("calm", "--run-id", f"well_{size}")
    with visit(browser, grouped, size) as seen:
        seen.log_in("/dags/calm")
        first = seen.page.get_by_role("gridcell").first
        expect(first).to_be_visible()
        assert seen.page.locator("[data-page-header]").bounding_box()["height"] <= head  # type: ignore[index]
        assert first.bounding_box()["y"] < cell  # type: ignore[index]
        seen.check()


def test_a_cell_opens_a_sheet_beside_the_grid_and_the_address_keeps_it(browser: Browser, grouped: Product) -> None:
    with visit(browser, grouped) as seen:
        seen.log_in("/dags/folded")
        page = seen.page
        page.get_by_role("gridcell", name="transform.clean, first: failed").click()
        sheet = page.get_by_role("dialog", name="transform.clean")
        expect(sheet.get_by_role("log")).to_be_visible()
        expect(page).to_have_url(re.compile(r"run=first.*instance=transform\.clean"))
        seen.check()
        sheet.get_by_role("button", name="Tries").click()
        page.reload()
        expect(sheet.get_by_role("table")).to_be_visible()
        page.get_by_role("grid", name="Runs and tasks").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")  # over the group to its task
        expect(page.get_by_role("dialog", name="transform.join.merge")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page).not_to_have_url(re.compile("run="))
        page.get_by_role("button", name=re.compile("^first, manual, success")).click()
        run = page.get_by_role("dialog", name="first")
        run.get_by_role("button", name=re.compile("^transform.clean")).click()
        expect(page.get_by_role("dialog", name="transform.clean").get_by_role("log")).to_be_visible()
        seen.check()


def test_the_card_of_a_cell_says_why_it_failed_and_stays_below_the_pointer(browser: Browser, grouped: Product) -> None:
    with visit(browser, grouped) as seen:
        seen.log_in("/dags/folded")
        page = seen.page
        expect(page.get_by_role("gridcell", name="transform.clean, first: failed")).to_be_visible()
        page.wait_for_load_state("networkidle")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.get_by_role("gridcell", name="transform.clean, first: failed").hover()
        card = page.locator("[data-grid-card]")
        expect(card).to_contain_text("it ended in state failed")
        assert len(asked) == 1, asked
        page.keyboard.press("Escape")  # the card lies over the cells below
        page.get_by_role("gridcell", name="transform.join.merge, first: success").hover()
        expect(card).to_contain_text("started")
        assert len(asked) == 2, asked
        page.get_by_role("gridcell", name="transform.clean, first: failed").hover()
        expect(card).to_contain_text("it ended in state failed")
        card.get_by_role("link", name="Whole page").hover()
        expect(card).to_be_visible()
        seen.check()
        card.get_by_role("link", name="Whole page").click()
        expect(page).to_have_url(re.compile("/dags/folded/runs/first/tasks/transform.clean"))
