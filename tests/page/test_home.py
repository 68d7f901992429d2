"""The home page: what failed and is still broken, what is late, what waits, what runs next."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.acceptance.product import Product
from tests.page.visit import SIZES, visit


def section(page: Page, title: str):  # type: ignore[no-untyped-def]
    """The part of the page with that heading."""
    return page.locator("section").filter(has=page.get_by_role("heading", name=title, exact=True))


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_what_is_still_broken_stands_apart_from_what_a_later_run_has_healed(
    browser: Browser, home_dags: Product, size: str, scheme: str
) -> None:
    with visit(browser, home_dags, size, scheme) as seen:
        seen.log_in()
        failed = section(seen.page, "Failed")
        broken, healed = (
            failed.locator("h3", has_text=text).locator("xpath=following-sibling::ul[1]")
            for text in ("still broken", "succeeded since")
        )
        expect(broken).to_contain_text("home_broken")
        expect(broken).not_to_contain_text("home_healed")
        expect(healed.locator("li", has_text="home_healed")).to_contain_text("healed by good_since")
        seen.check()
        broken.locator("li", has_text="home_broken").get_by_role("link", name="log of check_source").click()
        expect(seen.page.get_by_role("log")).to_contain_text("the source is empty")


def test_a_failure_is_marked_as_seen_with_undo_and_stays_seen_after_a_reload(
    browser: Browser, home_dags: Product
) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in("/?window=7d")
        page = seen.page
        line = section(page, "Failed").locator("li", has_text="home_broken")
        mark = page.get_by_role("button", name="home_broken is seen")
        mark.click()
        expect(line).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(line).to_be_visible()
        mark.click()
        expect(line).to_have_count(0)
        page.reload()
        page.get_by_role("link", name="that are seen").click()
        expect(page).to_have_url(re.compile("window=7d&seen=shown"))
        expect(line.get_by_role("button", name="home_broken is not seen")).to_be_visible()
        seen.check()


def test_the_failed_runs_of_the_window_are_those_that_ended_in_it(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        seen.page.get_by_role("link", name="All failed runs of this time").click()
        expect(seen.page).to_have_url(re.compile(r"/runs\?state=.*failed.*from="))
        expect(seen.page.get_by_role("link", name="bad_once")).to_be_visible()
        expect(seen.page.get_by_role("link", name="good_since")).to_have_count(0)
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_the_time_line_is_grouped_by_tag_owner_folder_pool_and_state_and_a_group_opens(
    browser: Browser, home_dags: Product, size: str
) -> None:
    with visit(browser, home_dags, size) as seen:
        seen.log_in()
        page = seen.page
        line = page.get_by_role("region", name="Time line")
        dense = line.get_by_role("row", name="home_dense")
        expect(dense.get_by_role("cell", name=re.compile(r"^6\s*due$")).first).to_be_attached()
        for name, row in {
            "owner": "home_bob",
            "folder": "dags",
            "pool": "default_pool",
            "state of the last run": "failed",
        }.items():
            page.get_by_label("Grouped by").get_by_role("link", name=name, exact=True).click()
            expect(line.get_by_role("row", name=row).first).to_be_visible()
        expect(page).to_have_url(re.compile("group=state"))
        page.get_by_label("Grouped by").get_by_role("link", name="tag", exact=True).click()
        line.get_by_role("link", name="home_red").click()
        expect(page).to_have_url(re.compile("group=dag&within=tag&value=home_red"))
        expect(line.get_by_role("row", name="home_broken")).to_be_visible()
        expect(line.get_by_role("row", name="home_dense")).to_have_count(0)
        seen.check()


def test_what_waits_says_for_what_and_an_import_error_its_line_and_remedy(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        page = seen.page
        expect(section(page, "Blocked").locator("li", has_text="gated")).to_contain_text("none_free")
        errors = page.get_by_label("Import errors")
        errors.get_by_text("DAG files cannot be loaded").click()
        expect(errors.locator("summary", has_text="home_line.py").last).to_contain_text("line 3: ZeroDivisionError")
        errors.locator("summary", has_text="home_line.py").last.click()
        expect(errors).to_contain_text("Correct the file")
        seen.check()


def test_what_asks_a_person_what_is_blocked_and_what_goes_as_planned_stand_apart(
    browser: Browser, settled: Product
) -> None:
    with visit(browser, settled) as seen:
        seen.log_in()
        page = seen.page
        expect(section(page, "For you").locator("li", has_text="asks")).to_contain_text("Publish the report of March?")
        expect(section(page, "Blocked").locator("li", has_text="asks")).to_have_count(0)
        page.locator("summary", has_text="As planned").click()
        expect(page.locator("details", has_text="As planned").locator("li", has_text="waits").first).to_be_visible()
        seen.check()


def test_the_home_page_is_live(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        line = section(seen.page, "Failed").locator("li", has_text="home_broken")
        expect(line).to_contain_text("bad")
        home_dags.run("home_broken", "--run-id", "bad_again", "--conf", '{"fails": true}')
        expect(line).to_contain_text("bad_again")
        expect(line).to_contain_text(re.compile(r"[2-9] runs failed"))  # another test may have made one


@pytest.mark.parametrize("size", SIZES)
def test_each_failed_run_names_the_task_that_failed_and_its_error(
    browser: Browser, home_dags: Product, size: str
) -> None:
    with visit(browser, home_dags, size) as seen:
        seen.log_in()
        line = section(seen.page, "Failed").locator("li", has_text="home_healed")
        expect(line.locator(".home-failedTask")).to_have_text("check_source: RuntimeError: the source is empty")
        expect(line.get_by_role("link", name="log of check_source")).to_be_visible()
        seen.check()


def test_what_failed_runs_again_from_the_home_page(browser: Browser, home_dags: Product) -> None:
    home_dags.run("home_again", "--run-id", "bad_night", "--conf", '{"fails": true}')
    with visit(browser, home_dags) as seen:
        seen.log_in()
        page = seen.page
        page.get_by_role("button", name="Run failed again: home_again").click()
        expect(page.get_by_role("status").filter(has_text="What failed in home_again runs again.")).to_be_visible()
        seen.check()
    home_dags.until(lambda: _count_tries(home_dags, "home_again", "bad_night") == 2, "the failed task has run again")


def _count_tries(product: Product, dag_id: str, run_id: str) -> int:
    """Of the only task of the run."""
    return max(int(row["try_number"]) for row in product.rows("tasks", "states", dag_id, run_id))


def test_the_numbers_of_the_page_lead_to_their_parts(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        page = seen.page
        short = page.get_by_role("list", name="In short")
        expect(short.get_by_role("link", name=re.compile(r"^[1-9]\d* DAGs? broken$"))).to_be_visible()
        expect(short.get_by_role("img", name=re.compile("runs that ended, hour by hour: "))).to_be_visible()
        short.get_by_role("link", name=re.compile(r"due within the hour$")).click()
        expect(page.get_by_role("heading", name="The coming 24 hours, and the past 6")).to_be_in_viewport()
        seen.check()
