"""The lists of runs and of task instances over all DAGs, and what every view has: title, focus, keys, print."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import SIZES, visit


@pytest.mark.parametrize("size", SIZES)
def test_runs_are_filtered_by_dag_run_id_state_type_and_duration_and_the_filters_are_the_address(
    browser: Browser, home_dags: Product, size: str
) -> None:
    with visit(browser, home_dags, size) as seen:
        seen.log_in("/runs?dag=home_")
        page = seen.page
        expect(page.get_by_role("link", name="good_since")).to_be_visible()
        page.get_by_role("button", name="failed", exact=True).click()
        expect(page.get_by_role("link", name="good_since")).to_have_count(0)
        page.get_by_role("button", name="Turn round: State is failed").click()
        expect(page.get_by_role("link", name="good_since")).to_be_visible()
        expect(page.get_by_role("link", name="bad_once")).to_have_count(0)
        page.get_by_role("button", name="Filters", exact=True).click()
        page.get_by_label("Type", exact=True).select_option("manual")
        page.keyboard.press("Escape")
        page.get_by_label("Run", exact=True).fill("good")
        expect(page).to_have_url(re.compile("run=good"))
        expect(page.locator("tbody tr")).to_have_count(1)
        expect(page.get_by_role("status").filter(has_text=re.compile(r"^1 of [\d,]+( or more)?$"))).to_be_visible()
        expect(
            page.get_by_label("Filters that hold").get_by_role("button", name="Turn round: Run is good")
        ).to_be_visible()
        seen.check()
        page.get_by_role("button", name="Filters", exact=True).click()
        page.get_by_label("took at least (s)").fill("9999")
        expect(page.get_by_text("No run fits these filters.")).to_be_visible()
        page.reload()
        expect(page.get_by_text("No run fits these filters.")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_task_instances_are_filtered_by_state_and_pool(browser: Browser, home_dags: Product, size: str) -> None:
    with visit(browser, home_dags, size) as seen:
        seen.log_in("/tasks?dag=home_&state=failed&pool=default_pool&map=-1")
        page = seen.page
        expect(page.get_by_role("link", name="bad_once")).to_be_visible()
        expect(page.get_by_role("link", name="good_since")).to_have_count(0)
        expect(page.get_by_role("status").filter(has_text=re.compile(r"^\d+ of [\d,]+( or more)?$"))).to_be_visible()
        page.get_by_role("button", name="Turn round: Pool is default_pool").click()
        expect(page).to_have_url(re.compile("pool=!default_pool|pool=%21default_pool"))
        expect(page.get_by_text("No task instance fits these filters.")).to_be_visible()
        page.get_by_role("button", name="Turn round: Pool is not default_pool").click()
        seen.check()
        page.locator("tr", has_text="bad_once").get_by_role("link", name="check_source").click()
        expect(page.get_by_role("log")).to_contain_text("the source is empty")


def test_each_view_has_its_title_and_the_focus_goes_to_its_heading(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        page = seen.page
        expect(page).to_have_title("Home · Gnomon")
        page.get_by_role("link", name="DAGs", exact=True).click()
        expect(page).to_have_title("DAGs · Gnomon")
        expect(page.get_by_role("heading", name="DAGs", level=1)).to_be_focused()


def test_keys_lead_to_the_pages_and_a_question_mark_lists_them(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        page = seen.page
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("go to the DAGs")
        seen.check()
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("r")
        expect(page).to_have_url(re.compile("/runs$"))
        page.keyboard.press("g")
        page.keyboard.press("d")
        expect(page.get_by_role("heading", name="DAGs", level=1)).to_be_visible()
        page.keyboard.press("/")
        expect(page.get_by_label("Search", exact=True)).to_be_focused()


def test_print_leaves_out_what_leads_elsewhere_and_shows_tables_whole(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in("/dags")
        page = seen.page
        expect(page.get_by_role("link", name="home_dense", exact=True)).to_be_visible()
        page.emulate_media(media="print")
        expect(page.get_by_role("link", name="home_dense", exact=True)).to_be_visible()
        for hidden in (".layout-top", "form[role=search]", ".dags-rowActs"):
            expect(page.locator(hidden).first).to_be_hidden()
        assert page.locator(".scroll").evaluate("one => getComputedStyle(one).overflowX") == "visible"


def test_a_part_of_the_page_that_is_gone_after_an_upgrade_is_loaded_anew(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        page = seen.page
        expect(page.get_by_role("heading", name="Home")).to_be_visible()
        gone: list[str] = []

        def lose(route):  # type: ignore[no-untyped-def]
            gone.append(route.request.url)
            route.fulfill(status=404)

        page.route("**/page-assets/RunsPage*.js", lose)
        with page.expect_event("load"):
            page.keyboard.press("g")
            page.keyboard.press("r")
        page.unroute("**/page-assets/RunsPage*.js")
        page.reload()
        expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()
        assert gone
        assert page.url.endswith("/runs")
