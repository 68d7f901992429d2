"""What users who are new here looked for and did not find: each is a test."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import SIZES, visit

SCRIPTS = "**/page-assets/*.js"


@pytest.mark.parametrize("size", SIZES)
def test_a_page_whose_files_do_not_load_says_so_and_offers_to_load_again(
    browser: Browser, product: Product, size: str
) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in()
        page = seen.page
        expect(page.get_by_role("heading", name="Home")).to_be_visible()
        page.route(SCRIPTS, lambda route: route.abort())
        page.goto(f"{seen.address}/dags?search=night#top")
        for words in ("This page did not load", "页面未能加载"):
            expect(page.get_by_text(words)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.unroute(SCRIPTS)
        page.get_by_role("link", name="Load it again").click()
        expect(page.get_by_role("heading", name="DAGs", level=1)).to_be_visible()
        assert page.url.endswith("/dags?search=night")
        expect(page.get_by_text("This page did not load")).to_have_count(0)


def test_a_page_that_loads_as_it_should_does_not_show_the_text_about_its_files(
    browser: Browser, product: Product
) -> None:
    with visit(browser, product) as seen:
        seen.log_in()
        page = seen.page
        expect(page.get_by_role("heading", name="Home")).to_be_visible()
        page.route(SCRIPTS, lambda route: None)  # never answered: the page goes on loading
        page.goto(seen.address, wait_until="commit")
        page.locator(".not-loaded").wait_for(state="attached")
        expect(page.locator(".not-loaded")).not_to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_the_state_of_a_run_on_the_home_page_leads_to_it(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in()
        page = seen.page
        line = page.get_by_role("region", name="Failed").get_by_role("listitem").filter(has_text="nightly")
        line.get_by_role("link", name="failed", exact=True).click()
        expect(page).to_have_url(re.compile("/dags/nightly/runs/first$"))


@pytest.mark.parametrize("size", SIZES)
def test_a_pool_that_a_sentence_names_is_a_link_and_what_waits_is_not_marked_as_failed(
    browser: Browser, product: Product, size: str
) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/gated/runs/waiting")
        page = seen.page
        why = page.get_by_role("region", name="Why", exact=True).first
        why.get_by_role("button", name="All conditions").click()
        expect(why.locator(".condition-mark").first).to_have_text("✕")  # a pool without slots never gets room by itself
        why.get_by_role("link", name="none_free").first.click()  # the second one is in the command that makes it larger
        expect(page).to_have_url(re.compile("/pools#pool-none_free$"))
        expect(page.get_by_role("row", name="Pool none_free")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_the_name_of_a_task_in_the_grid_leads_to_its_instances_in_all_runs(
    browser: Browser, product: Product, size: str
) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/nightly")
        page = seen.page
        page.get_by_role("rowheader").get_by_role("link", name="extract").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Task instances")
        expect(page.get_by_text("Task is extract")).to_be_visible()
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_a_new_backfill_begins_with_the_past_week(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/nightly/trigger")
        page = seen.page
        page.locator("form").get_by_role("link", name="Backfills").click()
        expect(page.get_by_role("button", name="the past 7 days")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_label("Slots of the range").get_by_role("heading")).to_have_text("7 slots in the range")
        page.get_by_role("button", name="the past 30 days").click()
        expect(page.get_by_role("button", name="Create the backfill")).to_be_disabled()
        expect(page.get_by_label("Slots of the range").get_by_role("heading")).to_have_text("30 slots in the range")
        seen.check()


def test_pools_are_offered_once_in_the_navigation_and_once_by_the_palette(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in()
        page = seen.page
        page.get_by_role("navigation", name="Pages", exact=True).get_by_role("button", name="Work").click()
        page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name="Pools and limits").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Pools and limits")
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Find a DAG").fill("pools and limits")
        expect(page.get_by_role("option", name=re.compile("Pools and limits"))).to_have_count(1)


def test_a_run_leads_to_all_of_its_events(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/nightly/runs/first")
        page = seen.page
        page.get_by_role("button", name="Details", exact=True).first.click()
        page.get_by_role("link", name="All events").click()
        expect(page).to_have_url(re.compile("/dags/nightly/audit\\?run=first$"))
        rows = page.get_by_role("region", name="Audit log").get_by_role("row")
        expect(rows.filter(has_text="run ended").first).to_contain_text("first")


def test_the_sentence_about_the_newest_run_of_a_dag_leads_to_it(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/hostile")
        page = seen.page
        page.get_by_role("region", name="Why", exact=True).first.get_by_role("link", name="first", exact=True).click()
        expect(page).to_have_url(re.compile("/dags/hostile/runs/first$"))
        seen.check()


def test_the_palette_knows_the_words_of_others_for_acts(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in()
        page = seen.page
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        for typed, offered in (
            ("rerun nightly", "Clear the failed run of nightly …"),
            ("backfill nightly", "Backfill nightly …"),
            ("trigger nightly", "Run nightly …"),
        ):
            page.keyboard.press("Control+k")
            page.get_by_role("combobox", name="Find a DAG").fill(typed)
            expect(page.get_by_role("option", name=offered)).to_be_visible()
            page.keyboard.press("Escape")


def test_enter_in_the_palette_waits_for_what_was_typed(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.keyboard.press("Control+k")
        expect(page.get_by_role("option").first).to_be_visible()
        page.keyboard.type("mapped")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("mapped")


def test_a_form_opens_at_its_first_field(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/pools")
        page = seen.page
        page.get_by_role("button", name="Edit pool none_free").click()
        expect(page.get_by_label("Slots (-1: no limit)")).to_be_focused()
        page.keyboard.press("Escape")
        page.goto(f"{seen.address}/variables")
        page.get_by_role("button", name="New Variable").click()
        expect(page.get_by_label("Key", exact=True)).to_be_focused()
        seen.check()


def test_a_link_keeps_the_part_of_a_graph_and_the_chosen_dags(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags#chosen=mapped")
        page = seen.page
        expect(page.get_by_role("row", selected=True)).to_have_count(1)
        expect(page.get_by_role("checkbox", name="Select mapped")).to_be_checked()
        page.goto(f"{seen.address}/dags/nightly/graph#graph=40+20+0.5")
        expect(page.locator("[data-graph-place='40 20 0.5']")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_a_run_or_a_task_that_does_not_exist_leads_to_what_is_there(
    browser: Browser, product: Product, size: str
) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/nightly/runs/no_such_run")
        page = seen.page
        expect(page.get_by_role("alert")).to_contain_text("there is no run 'no_such_run' of DAG 'nightly'")
        page.get_by_role("link", name="The runs of nightly").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("nightly")
        seen.open("/dags/nightly/runs/first/tasks/no_such_task")
        page.get_by_role("link", name="The tasks of the run").click()
        expect(page).to_have_url(re.compile("/dags/nightly/runs/first$"))
        seen.open("/dags/no_such_dag/runs/first")
        expect(page.get_by_role("link", name="All DAGs")).to_be_visible()
        expect(page.get_by_role("link", name="The runs of no_such_dag")).to_have_count(0)


def test_the_sheet_of_a_run_offers_to_run_what_failed_only_if_something_failed(
    browser: Browser, product: Product
) -> None:
    product.run("mapped", "--run-id", "well")
    with visit(browser, product) as seen:
        seen.log_in("/dags/mapped?run=well")
        sheet = seen.page.get_by_role("dialog", name="well")
        expect(sheet.get_by_text("success").first).to_be_visible()
        expect(sheet.get_by_role("button", name="double [0]")).to_be_visible()
        expect(sheet.get_by_role("button", name=re.compile("failed again"))).to_have_count(0)
        seen.open("/dags/nightly?run=first")
        sheet = seen.page.get_by_role("dialog", name="first")
        expect(sheet.get_by_role("button", name=re.compile("^Run [12] failed again$"))).to_be_visible()


def test_an_installation_without_a_forecast_says_once_that_there_is_none(browser: Browser, untouched: Product) -> None:
    with visit(browser, untouched) as seen:
        seen.log_in()
        seen.page.goto(f"{seen.address}/forecast")
        expect(seen.page.get_by_text("the monitor makes one every 1 min", exact=False)).to_be_visible()
        expect(seen.page.get_by_text(re.compile("there is no forecast", re.IGNORECASE))).to_have_count(1)


def test_the_focus_goes_to_the_next_row_when_the_row_of_a_pressed_button_is_gone(
    browser: Browser, product: Product
) -> None:
    for name in ("focus_a", "focus_b"):
        product.do("pools", "set", name, "1", "to be deleted")
    with visit(browser, product) as seen:
        seen.log_in("/pools")
        page = seen.page
        for gone, row in (("focus_a", "focus_b"), ("focus_b", "")):
            page.get_by_role("button", name=f"Delete pool {gone}").focus()
            page.keyboard.press("Enter")
            expect(page.get_by_role("button", name="Keep it")).to_be_focused()
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            expect(page.get_by_role("row", name=f"Pool {gone}")).to_have_count(0)
            expect(page.get_by_role("row", name=f"Pool {row}").locator(":focus")).to_have_count(1)
        seen.check()
