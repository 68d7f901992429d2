"""The calendar of a DAG: past and coming runs in the chosen zone, and why a day has none."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.plan_dags import PLAN_FILES
from tests.page.visit import SIZES, visit


@pytest.fixture(scope="session", autouse=True)
def plans(product: Product) -> Product:
    """The DAGs with the calendars, one of them with runs in 2026."""
    for name in ("plan_year.py", "plan_odd.py"):
        product.write(name, PLAN_FILES[name])
    for dag_id in ("plan_year", "plan_minutes", "plan_assets", "plan_author"):
        product.has_dag(dag_id)
    product.cli("backfill", "create", "plan_year", "--from", "2026-02-02", "--to", "2026-02-04", "--wait")
    return product


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_a_year_shows_runs_coming_runs_and_why_a_day_has_none(
    browser: Browser, product: Product, size: str, scheme: str
) -> None:
    with visit(browser, product, size, scheme) as seen:
        seen.log_in("/dags/plan_year/calendar?year=2026")
        page = seen.page
        failed = page.get_by_role("button", name=re.compile("2026-02-03.*1 run .1 failed."))
        expect(failed).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("2026-02-07.*weekend"))).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("2026-01-02.*before the start_date"))).to_be_visible()
        seen.check()
        failed.click()
        expect(page).to_have_url(re.compile("day=2026-02-03"))
        expect(page.get_by_role("complementary")).to_contain_text("3 Feb")
        seen.check()
        page.get_by_role("button", name=re.compile("2026-02-03")).press("ArrowRight")
        expect(page.get_by_role("button", name=re.compile("2026-02-10"))).to_be_focused()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("day=2026-02-10"))
        page.get_by_role("link", name="Year 2027").click()
        expect(page).to_have_url(re.compile("year=2027"))
        expect(page.get_by_role("button", name=re.compile("2027-01-04.*1 slot planned"))).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("2027-03-01.*after the end_date"))).to_be_visible()


def test_days_are_those_of_the_chosen_zone_around_clock_changes(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/plan_minutes/calendar?year=2027")
        page = seen.page
        expect(
            page.get_by_role("button", name=re.compile("2027-03-28.*1440 slots|2027-03-28.*1,440 slots"))
        ).to_be_visible()
        page.get_by_role("button", name="Display").click()
        page.get_by_role("radio", name="Zone of the DAG").check()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="About the days").click()
        expect(page.get_by_text("The clocks change on 2027-03-28 (+01:00), 2027-10-31 (-01:00).")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name=re.compile("2027-03-28.*1,380 slots planned"))).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("2027-10-31.*1,500 slots planned"))).to_be_visible()
        page.get_by_role("button", name=re.compile("2027-03-28")).click()
        expect(page.get_by_role("complementary")).to_contain_text("The first 50 of 1,380 are shown.")
        seen.check()


@pytest.mark.parametrize(
    ("dag_id", "words"),
    [
        ("plan_assets", "by asset events"),
        ("mapped", "manually only"),
        ("plan_author", "1 slot planned"),
    ],
)
def test_each_kind_of_schedule_has_a_calendar(browser: Browser, product: Product, dag_id: str, words: str) -> None:
    with visit(browser, product) as seen:
        seen.log_in(f"/dags/{dag_id}/calendar?year=2027")
        expect(seen.page.locator("[data-view=calendar]")).to_contain_text(words)
        if dag_id == "plan_author":
            expect(seen.page.get_by_role("button", name=re.compile("2027-06-05.*1 slot planned"))).to_be_visible()
            expect(
                seen.page.get_by_role("button", name=re.compile("2027-06-06.*the schedule has no slot"))
            ).to_be_visible()
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_next_runs_stand_below_the_grid_with_the_skipped_slots(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/plan_year")
        page = seen.page
        expect(page.get_by_role("region", name="Next runs").get_by_role("listitem")).to_have_count(5)
        page.get_by_text("Why has a slot no run?").click()
        page.get_by_label("Logical date or due time").fill("2026-01-02T12:00:00")
        page.get_by_role("button", name="Why no run?").click()
        expect(page.get_by_text("before the start_date")).to_be_visible()
        seen.check()
