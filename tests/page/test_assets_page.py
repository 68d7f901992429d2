"""Assets with their events and the DAGs that wait for them; and the list of backfills."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.across_dags import STRANGE, write_across
from tests.page.visit import SIZES, visit


@pytest.fixture(scope="session", autouse=True)
def across(product: Product) -> None:
    write_across(product)


@pytest.mark.parametrize("size", SIZES)
def test_an_asset_shows_its_events_and_what_the_dag_that_waits_still_lacks(
    browser: Browser, product: Product, size: str
) -> None:
    with visit(browser, product, size, "dark") as seen:
        seen.log_in("/assets?search=across_o")
        page = seen.page
        expect(page.get_by_role("link", name="across_sales")).to_be_visible()
        seen.check()
        page.get_by_role("link", name="across_orders").click()
        page.get_by_role("button", name="Materialize").click()
        expect(page.get_by_text("The run was created:")).to_be_visible()
        expect(
            page.get_by_role(
                "link",
                name=re.compile("across_write_orders .*asset_mat|across_write_orders .*manual|across_write_orders "),
            ).first
        ).to_be_visible()
        expect(page.locator(".asset-why")).to_contain_text("still lacks an event of: asset across_customers")
        seen.check()
        page.get_by_role("link", name="Assets").first.click()
        page.get_by_role("searchbox", name="Search").fill("across_cust")
        page.get_by_role("link", name="across_customers").click()
        page.get_by_role("button", name="Add an event").click()
        page.get_by_label("Extra as JSON").fill("[1]")
        page.get_by_role("button", name="Add the event").click()
        expect(page.get_by_role("alert")).to_contain_text("must be an object")
        page.get_by_label("Extra as JSON").fill('{"rows": 3}')
        page.get_by_role("button", name="Add the event").click()
        row = page.get_by_role("row", name=re.compile("from outside")).first
        expect(row).to_contain_text('"rows":3')
        expect(row).to_contain_text(re.compile("success.*across_sales"))
        seen.check()


@pytest.mark.parametrize("path", ["/assets?search=strange", "/dependencies/graph?find=strange"])
def test_the_hostile_name_of_an_asset_is_shown_as_text(browser: Browser, product: Product, path: str) -> None:
    with visit(browser, product, "narrow") as seen:
        seen.log_in(path)
        expect(seen.page.get_by_text(STRANGE).locator("visible=true").first).to_be_visible()
        assert seen.page.title() != "broken"
        seen.check()


def test_backfills_show_their_progress_and_are_paused_continued_and_cancelled(
    browser: Browser, product: Product
) -> None:
    product.do("backfill", "create", "across_history", "--from-date", "2026-01-01", "--to-date", "2026-01-10")
    with visit(browser, product, "narrow") as seen:
        seen.log_in("/backfills?dag=across_history")
        page = seen.page
        expect(page.get_by_role("progressbar", name="0 of 10 slots finished")).to_be_visible()
        seen.check()
        page.get_by_role("button", name="Pause", exact=True).click()
        expect(page.locator(".backfill-paused")).to_be_visible()
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        page.get_by_role("button", name="Cancel …").click()
        page.get_by_role("button", name="Cancel the backfill").click()
        expect(page.locator(".backfill-cancelled")).to_be_visible()
        page.get_by_role("button", name="running", exact=True).click()
        expect(page.get_by_text("No backfill fits these filters.")).to_be_visible()
        seen.check()
