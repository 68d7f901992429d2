"""What one gives to others: a picture of any view, and a link that opens at the same place."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.acceptance.product import Product
from tests.page.task_dags import FILES
from tests.page.visit import SIZES, Visit, visit

NEAR_PX = 3
LARGE = 400
ROW = 150
PAGES_UP = 6
MEASURE = """async (data) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const colours = new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer));
    return [bitmap.width, bitmap.height, colours.size];
}"""
"""Its width, its height, and how many colours it has: letters alone have dozens."""
COLOURS_MIN = 40


@pytest.fixture(scope="module")
def talkative(product: Product) -> Product:
    """A run with a log of 3,000 lines."""
    product.write("talkative.py", FILES["talkative.py"])
    product.write("talkative.gate", "")
    product.has_dag("talkative")
    product.do("dags", "trigger", "talkative", "--run-id", "shared")
    product.until(lambda: product.tasks("talkative", "shared")["talk"]["state"] == "success", "talk has ended")
    return product


def _measure(browser: Browser, picture: bytes) -> list[int]:
    page = browser.new_page()
    try:
        page.goto("about:blank")
        return page.evaluate(MEASURE, base64.b64encode(picture).decode())
    finally:
        page.close()


def _share(page: Page, act: str) -> None:
    page.get_by_role("button", name="Share this view").click()
    page.get_by_role("button", name=act).click()


def _save(page: Page) -> bytes:
    with page.expect_download() as download:
        _share(page, "Save a picture of this view")
    assert re.fullmatch(r"[\w.-]+\.png", download.value.suggested_filename)
    expect(page.get_by_text("The picture is saved").first).to_be_visible()
    return Path(download.value.path()).read_bytes()


@pytest.mark.parametrize(("size", "scheme"), [("wide", "dark"), ("narrow", "light")])
@pytest.mark.parametrize(
    "view", ["/", "/dags", "/dags/hostile", "/dags/hostile/graph", "/dags/hostile/runs/first", "/dags/nightly/calendar"]
)
def test_a_view_is_saved_as_a_picture_in_which_nothing_of_hostile_texts_runs(
    browser: Browser, product: Product, view: str, size: str, scheme: str
) -> None:
    with visit(browser, product, size, scheme) as seen:
        seen.log_in(view)
        page = seen.page
        expect(page.locator("main h1")).to_be_visible()
        expect(page.locator('[aria-busy="true"]')).to_have_count(0)
        width, height, colours = _measure(browser, _save(page))
        assert width == 2 * SIZES[size][0]
        assert height >= 2 * min(300, page.locator("main").evaluate("main => main.children[0].offsetHeight"))
        assert colours >= COLOURS_MIN
        assert "broken" not in page.title()
        seen.check()


def test_texts_that_xml_has_no_room_for_are_in_the_picture_too(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/pools")
        page = seen.page
        expect(page.get_by_role("link", name="none_free").or_(page.get_by_text("none_free")).first).to_be_visible()
        page.evaluate("""() => {
            const line = document.createElement("p");
            line.textContent = "\\u0000\\u0008\\u001b[31m \\ud800 ]]> </style></svg><script>document.title = 'broken'</script> \\ufffe";
            line.title = line.textContent;
            document.querySelector("main").append(line);
        }""")
        assert _measure(browser, _save(page))[2] >= COLOURS_MIN
        assert "broken" not in page.title()


def test_the_picture_has_what_is_scrolled_typed_and_chosen(browser: Browser, talkative: Product) -> None:
    """The copy is drawn from markup, which knows nothing of it."""
    with visit(browser, talkative) as seen:
        seen.log_in("/dags/talkative/runs/shared/tasks/talk")
        page = seen.page
        expect(page.get_by_role("log")).to_contain_text("needle at the end")
        before = _save(page)
        page.get_by_role("searchbox", name="Search").fill("typed here")
        typed = _save(page)
        page.get_by_role("log").press("Home")
        expect(page.get_by_role("log")).to_contain_text("green and plain")
        assert len({before, typed, _save(page)}) == 3


def test_a_picture_is_copied_and_the_palette_saves_one(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        expect(page.locator("main h1")).to_be_visible()
        page.get_by_role("button", name="Share this view").click()
        seen.check()
        page.get_by_role("button", name="Copy a picture").click()
        expect(page.get_by_text("The picture is copied.").first).to_be_visible()
        types = page.evaluate("async () => (await navigator.clipboard.read()).flatMap((item) => item.types)")
        assert types == ["image/png"]
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Find a DAG").fill("screenshot")
        with page.expect_download():
            page.get_by_role("option", name="Save a picture of this view").click()
        expect(page.get_by_role("dialog")).to_contain_text("The picture is saved")


def _copy_link(seen: Visit) -> str:
    seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    _share(seen.page, "Copy a link to this place")
    expect(seen.page.get_by_text("The link to this place is copied.").first).to_be_visible()
    return seen.page.evaluate("navigator.clipboard.readText()")


def _open_anew(seen: Visit, link: str) -> None:
    seen.open("/services")
    expect(seen.page.locator("main h1")).to_be_visible()
    seen.page.goto(link)


@pytest.mark.parametrize("size", SIZES)
def test_a_link_to_a_place_of_a_long_view_opens_at_the_same_row(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/options")
        page = seen.page
        row = page.locator("main tbody tr").nth(ROW)
        expect(row).to_be_attached()
        row.evaluate("row => window.scrollBy(0, row.getBoundingClientRect().top - 90)")
        top = row.bounding_box()["y"]  # type: ignore[index]
        link = _copy_link(seen)
        assert "#at=" in link
        _open_anew(seen, link)
        page.wait_for_function(
            "([at, top, near]) => { const row = document.querySelectorAll('main tbody tr')[at];"
            " return row && Math.abs(row.getBoundingClientRect().top - top) <= near; }",
            arg=[ROW, top, NEAR_PX],
        )
        page.get_by_role("link", name="Home").first.or_(page.get_by_role("link", name="Gnomon")).first.click()
        expect(page).not_to_have_url(re.compile("#"))
        seen.check()


def _answer_grid(tasks: list[str]) -> dict[str, object]:
    return {
        "dag_id": "nightly",
        "states": ["success"],
        "has_older": False,
        "groups": [],
        "mapped": [],
        "task_groups": [None] * len(tasks),
        "runs": [
            {
                "run_id": "only",
                "run_type": "scheduled",
                "state": "success",
                "run_after": "2026-01-01T00:00:00Z",
                "start_date": "2026-01-01T00:00:00Z",
                "end_date": "2026-01-01T00:01:00Z",
            }
        ],
        "task_ids": tasks,
        "cells": [[0]] * len(tasks),
    }


def test_a_link_to_a_place_of_a_grid_opens_at_the_same_task_also_when_it_has_moved(
    browser: Browser, product: Product
) -> None:
    tasks = [f"task_{number}" for number in range(LARGE)]
    with visit(browser, product) as seen:
        page = seen.page
        page.route(
            re.compile("/api/gnomon/v1/dags/nightly/grid"), lambda route: route.fulfill(json=_answer_grid(tasks))
        )
        seen.log_in("/dags/nightly")
        grid = page.get_by_role("grid", name="Runs and tasks")
        expect(grid.get_by_role("gridcell", name="task_0, only: success")).to_be_visible()
        grid.evaluate("grid => grid.scrollTo(0, 27 * 200)")
        expect(grid.get_by_role("gridcell", name="task_205, only: success")).to_be_visible()
        link = _copy_link(seen)
        assert "task_" in unquote(link), link
        name = re.search(r"task_\d+", unquote(link)).group()  # type: ignore[union-attr]
        cell = grid.get_by_role("gridcell", name=f"{name}, only: success")
        top = cell.bounding_box()["y"]  # type: ignore[index]
        for added in ([], [f"new_{number}" for number in range(LARGE)]):
            tasks[:0] = added
            _open_anew(seen, link)
            expect(cell).to_be_in_viewport()
            page.wait_for_function(
                "([name, top, near]) => [...document.querySelectorAll('[role=gridcell]')].some((cell) =>"
                " cell.ariaLabel === name && Math.abs(cell.getBoundingClientRect().top - top) <= near)",
                arg=[f"{name}, only: success", top, NEAR_PX],
            )


@pytest.mark.parametrize("size", SIZES)
def test_a_link_to_a_place_of_a_log_opens_at_the_same_line(browser: Browser, talkative: Product, size: str) -> None:
    with visit(browser, talkative, size) as seen:
        seen.log_in("/dags/talkative/runs/shared/tasks/talk")
        page = seen.page
        log = page.get_by_role("log")
        expect(log).to_contain_text("needle at the end")
        assert "line=" not in _copy_link(seen)
        for _ in range(PAGES_UP):
            log.press("PageUp")
        expect(log).not_to_contain_text("needle at the end")
        link = _copy_link(seen)
        line = re.search(r"line=(\d+)", link).group(1)  # type: ignore[union-attr]
        _open_anew(seen, link)
        expect(log.locator(f"[data-line='{line}']")).to_be_in_viewport()
        expect(log.locator(".log-chosen")).to_have_attribute("data-line", line)
        seen.check()
