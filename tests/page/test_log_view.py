"""The log of a task in the browser: search, levels, groups, links to lines, keys, and following."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.acceptance.product import Product
from tests.page.task_dags import FILES
from tests.page.visit import SIZES, visit

TALK = "/dags/talkative/runs/one/tasks/talk"
FOLLOW = "/dags/talkative/runs/one/tasks/follow"


@pytest.fixture(scope="session")
def ready(product: Product) -> Iterator[Product]:
    """A run whose task `talk` has ended, and whose task `follow` writes a line every 0.05 s until its gate is open."""
    product.write("talkative.py", FILES["talkative.py"])
    product.has_dag("talkative")
    product.do("dags", "trigger", "talkative", "--run-id", "one")
    product.until(lambda: product.tasks("talkative", "one")["talk"]["state"] == "success", "talk has ended")
    yield product
    product.write("talkative.gate", "")


@pytest.mark.parametrize("size", SIZES)
def test_a_virtualised_log_is_searched_as_a_whole_with_a_count_and_jumps(
    browser: Browser, ready: Product, size: str
) -> None:
    with visit(browser, ready, size) as seen:
        seen.log_in(TALK)
        page = seen.page
        log = page.get_by_role("log")
        expect(log).to_contain_text("needle at the end")
        expect(log).not_to_contain_text("installed package 3")
        seen.check()
        page.get_by_role("searchbox", name="Search").fill("PACKAGE 3")
        expect(page.get_by_label("Matches", exact=True)).to_have_text("1 / 1 line matches")
        page.get_by_role("button", name="next match").click()
        expect(log.locator("mark")).to_have_text("package 3")
        expect(page).to_have_url(re.compile("find=.*line=9"))
        seen.check()
        page.reload()
        expect(log.locator(".log-chosen")).to_contain_text("installed package 3")


def test_a_log_keeps_its_place_when_the_window_changes_its_size(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(TALK)
        page = seen.page
        page.get_by_role("searchbox", name="Search").fill("row 1500")
        page.get_by_role("button", name="next match").click()
        mark = page.get_by_role("log").locator("mark")
        for width, height in ((844, 390), (390, 844), (1440, 2600), (1440, 900)):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            expect(mark).to_have_text("row 1500")


def test_a_log_stays_at_its_end_when_the_window_changes_its_size(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(TALK)
        page = seen.page
        log = page.get_by_role("log")
        expect(log).to_contain_text("needle at the end")
        for height in (1300, 900, 500, 900):
            page.set_viewport_size({"width": 1440, "height": height})
            page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            expect(page.get_by_role("button", name="To the end")).to_have_count(0)
            expect(log).to_contain_text("needle at the end")


def test_a_log_is_paged_by_keys(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(TALK)
        page = seen.page
        log = page.get_by_role("log")
        expect(log).to_contain_text("needle at the end")
        page.get_by_role("button", name="Unfold all groups").click()
        log.focus()
        page.keyboard.press("Home")
        expect(log.get_by_text("green")).to_be_in_viewport()
        page.keyboard.press("PageDown")
        expect(log.get_by_text("installed package 29")).to_be_in_viewport()
        page.keyboard.press("End")
        expect(log.get_by_text("needle at the end")).to_be_in_viewport()


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_levels_colours_groups_and_long_lines_are_shown(
    browser: Browser, ready: Product, size: str, scheme: str
) -> None:
    with visit(browser, ready, size, scheme) as seen:
        seen.log_in(f"{TALK}?line=1")
        page = seen.page
        log = page.get_by_role("log")
        expect(log.locator(".ansi-green")).to_have_text("green")
        expect(log).to_contain_text("<b>no markup</b>")
        seen.check()
        expect(log).not_to_contain_text("installed package 0")
        log.get_by_role("button", name="Install packages").click()
        expect(log).to_contain_text("installed package 0")
        log.get_by_role("button", name="show the line").click()
        expect(log.locator(".log-text").filter(has_text=re.compile("x{10000}"))).to_have_count(1)
        seen.check()
        page.get_by_label("Level", exact=True).select_option("error")
        expect(log.locator(".log-line")).to_have_count(1)
        expect(log).to_contain_text("an error of")
        seen.check()


def _next_poll(page: Page) -> tuple[int, int]:
    """The first line that the next request for lines asks for, and how many lines its answer has."""
    with page.expect_response(re.compile("/lines")) as poll:
        pass
    return int(re.search(r"first=(-?\d+)", poll.value.url).group(1)), len(poll.value.json()["lines"])  # type: ignore[union-attr]


HOLD_SCROLL_EVENTS = """() => {
    window.heldScroll = event => event.stopImmediatePropagation();
    window.addEventListener("scroll", window.heldScroll, true);
    const log = document.querySelector("[role=log]");
    log.scrollTop -= 200;
    return log.scrollTop;
}"""
RELEASE_SCROLL_EVENTS = """() => {
    window.removeEventListener("scroll", window.heldScroll, true);
    document.querySelector("[role=log]").dispatchEvent(new Event("scroll"));
}"""


def test_lines_that_arrive_before_the_event_of_a_scroll_do_not_undo_it(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(FOLLOW)
        page = seen.page
        log = page.get_by_role("log")
        expect(log).to_contain_text(re.compile("beat [1-9][0-9]"))
        page.wait_for_function("document.querySelector('[role=log]').scrollTop > 220")
        place = page.evaluate(HOLD_SCROLL_EVENTS)
        newest = log.locator(".log-line").last
        expect(newest).not_to_have_text(newest.text_content() or "")
        assert abs(log.evaluate("log => log.scrollTop") - place) <= 1
        page.evaluate(RELEASE_SCROLL_EVENTS)
        expect(page.get_by_role("button", name="Follow")).to_be_visible()


def test_follow_stops_when_one_scrolls_up_and_starts_again_at_the_end(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(FOLLOW)
        page = seen.page
        log = page.get_by_role("log")
        status = page.get_by_role("status").filter(has_text="following")
        expect(status).to_be_visible()
        expect(log).to_contain_text(re.compile("beat [1-9][0-9]"))
        polls = [_next_poll(page) for _ in range(2)]
        assert polls[1][0] == polls[0][0] + polls[0][1] > 5  # it asks for the lines after those that it has
        log.hover()
        page.mouse.wheel(0, -200)
        expect(page.get_by_role("button", name="Follow")).to_be_visible()
        page.get_by_role("button", name="Follow").click()
        expect(status).to_be_visible()
        newest = log.locator(".log-line").last
        expect(newest).not_to_have_text(newest.text_content() or "")
        seen.check()


def test_a_log_is_downloaded_and_a_range_is_copied(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(f"{TALK}?line=6-8")
        page = seen.page
        with page.expect_download() as download:
            page.get_by_role("link", name="Download").click()
        assert download.value.path().read_text().count("\n") == 3038
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy 3 lines").click()
        expect(page.get_by_text("3 lines are copied.")).to_be_visible()
        where, address, *lines = page.evaluate("navigator.clipboard.readText()").splitlines()
        assert where == "talkative / one / talk / 1 : 6-8"
        assert address == f"{seen.address}{TALK}?line=6-8"
        assert lines == [f"installed package {number}" for number in range(3)]
