"""Backfills in the page: a preview of the slots with reasons, creating one, its progress, pausing and cancelling it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.plan_dags import PLAN_FILES
from tests.page.visit import visit


@pytest.fixture(scope="session", autouse=True)
def plans(product: Product) -> Product:
    """The DAG that is backfilled: its runs wait for a pool without a slot, except those of the second of the month."""
    product.write("plan_daily.py", PLAN_FILES["plan_daily.py"])
    product.has_dag("plan_daily")
    return product


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_a_backfill_is_previewed_created_and_cancelled(
    browser: Browser, product: Product, size: str, scheme: str
) -> None:
    with visit(browser, product, size, scheme) as seen:
        seen.log_in("/dags/plan_daily/backfill")
        page = seen.page
        page.get_by_label("From", exact=True).fill("")
        expect(page.get_by_text("Give the start of the range, with date and time.")).to_be_visible()
        expect(page.get_by_role("button", name="Create the backfill")).to_be_disabled()
        month = "03" if size == "wide" else "04"
        page.get_by_label("From", exact=True).fill(f"2026-{month}-02T00:00:00")
        page.get_by_label("To", exact=True).fill(f"2026-{month}-06T23:00:00")
        slots = page.get_by_label("Slots of the range")
        expect(slots.get_by_role("heading")).to_have_text("5 slots in the range")
        expect(slots.get_by_role("status")).to_have_text("5 will run")
        expect(slots.get_by_role("listitem").first).to_contain_text("the slot has no run: one is created")
        seen.check()
        page.get_by_role("button", name="Create the backfill").click()
        backfill = page.get_by_role("listitem").filter(has_text="of 5 slots finished").first
        backfill.get_by_role("button", name="Pause").click()
        backfill.get_by_role("button", name="Continue").click()
        expect(slots.get_by_role("listitem").first).to_contain_text("it is left as it is")
        expect(slots.get_by_role("status")).to_contain_text("stay")
        expect(page.get_by_role("button", name="Create the backfill")).to_have_attribute(
            "title", "No slot of the range would run."
        )
        page.get_by_role("button", name="Cancel …").click()
        page.get_by_role("button", name="Cancel the backfill").click()
        expect(page.get_by_text("cancelled").first).to_be_visible()
        seen.check()


def test_a_dag_without_slots_says_that_it_cannot_be_backfilled(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/mapped/backfill")
        expect(seen.page.get_by_text("This DAG cannot be backfilled")).to_be_visible()
        seen.check()
