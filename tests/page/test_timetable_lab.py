"""The timetable lab: a schedule as one types it, its year, and what changes if another takes its place."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.across_dags import write_across
from tests.page.visit import SIZES, Visit, visit
from web.node import WEB

YEAR = "from=2026-11-01"


@pytest.fixture(scope="session", autouse=True)
def across(product: Product) -> None:
    write_across(product)


def forget_refusals(seen: Visit) -> None:
    """The browser itself writes a line about each schedule that the server refuses."""
    seen.faults = [fault for fault in seen.faults if "status of 4" not in fault]


@pytest.mark.parametrize("size", SIZES)
def test_a_schedule_that_is_typed_shows_its_fault_beside_the_field_and_then_its_year(
    browser: Browser, product: Product, size: str
) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in(f"/timetables?{YEAR}")
        page = seen.page
        field = page.get_by_label("Cron", exact=True)
        field.fill("0 6 * *")
        expect(page.get_by_role("alert")).to_contain_text("4 fields")
        expect(field).to_have_attribute("aria-invalid", "true")
        field.fill("0 6 * * 1-5")
        expect(page.get_by_label("What it means")).to_contain_text("Monday through Friday")
        expect(page.get_by_role("alert")).to_have_count(0)
        page.get_by_role("combobox", name="Calendar").select_option("across")
        expect(page.get_by_role("button", name="2026-12-24: no slot, skipped")).to_be_visible()
        page.get_by_label("Zone", exact=True).fill("Europe/Berlin")
        expect(page.get_by_role("button", name="2027-03-28")).to_contain_text("the clocks change by +01:00")
        forget_refusals(seen)
        seen.check()
        page.get_by_role("button", name="2026-12-24").click()
        expect(page).to_have_url(re.compile("day=2026-12-24"))
        expect(page.get_by_text(re.compile("No slot: "))).to_be_visible()


def test_a_link_shows_the_same_comparison(browser: Browser, product: Product) -> None:
    with visit(browser, product, "wide", "dark") as seen:
        seen.log_in(f"/timetables?cron=0+6+*+*+*&kind2=cron&cron2=0+7+*+*+1-5&{YEAR}")
        page = seen.page
        changes = page.get_by_label("What changes")
        expect(changes.get_by_role("status")).to_contain_text("365 runs before, 260 runs after")
        expect(changes).to_contain_text("105 removed")
        expect(page.get_by_role("button", name="2026-11-02")).to_contain_text("1 moved")
        seen.check()
        page.get_by_role("button", name="Swap them").click()
        expect(changes).to_contain_text("105 added")
        page.reload()
        expect(changes).to_contain_text("105 added")
        page.get_by_role("button", name="Stop the comparison").click()
        expect(changes).to_have_count(0)


def test_the_days_of_a_year_are_walked_by_keys(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in(f"/timetables?cron=*/10+*+*+*+*&{YEAR}")
        page = seen.page
        page.get_by_role("button", name="2026-11-01").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator(".lab-dayWords")).to_have_text("2026-11-08: 144 slots")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Slots of 2026-11-08")).to_be_visible()


def test_the_schedule_of_a_dag_and_each_built_in_timetable(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in(f"/timetables?kind=dag&dag=across_loads&{YEAR}")
        page = seen.page
        expect(page.get_by_label("What it means")).to_contain_text("0 4,5,12 * * *")
        page.get_by_role("combobox", name="Kind").select_option("timetable")
        choice = page.get_by_role("combobox", name="Timetable")
        expect(choice.locator("option", has_text="BusinessDays")).to_have_count(1)
        names = choice.locator("option").all_inner_texts()
        examples = set(
            re.findall(
                r"^  (\w+): \{",
                (WEB / "src/pages/timetables/labView.ts").read_text().split("EXAMPLES")[1],
                re.MULTILINE,
            )
        )
        assert examples < set(names)
        for name in sorted(examples):
            choice.select_option(name)
            expect(page.get_by_label("Parameters as JSON")).not_to_have_value("")
            expect(page.get_by_label("What it means")).not_to_be_empty()
            expect(page.get_by_role("alert")).to_have_count(0)
        page.get_by_label("Parameters as JSON").fill(json.dumps({"days": 40})[:-1])
        expect(page.get_by_role("alert")).to_be_visible()
        assert not seen.faults
