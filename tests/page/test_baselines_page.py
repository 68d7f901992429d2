"""Baselines and the forecast in the page: what is promised, what decides, and when the coming runs will end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import visit

HEADER_MAX = 120
ROWS_MAX = 120
"""Of the rows of a chart so many are in the document, however many there are."""


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_the_list_has_the_most_urgent_baseline_first_with_its_sentence(
    browser: Browser, promised: Product, size: str, scheme: str
) -> None:
    with visit(browser, promised, size, scheme) as seen:
        seen.log_in("/baselines")
        page = seen.page
        rows = page.get_by_role("list", name="Baselines").get_by_role("listitem")
        expect(rows).to_have_count(2)
        morning = rows.first
        expect(morning).to_contain_text("at risk")
        expect(morning).to_contain_text(re.compile(r"done about .*, nine of ten by "))
        expect(morning).to_contain_text("34%")
        expect(morning).to_contain_text("15 min too late")
        expect(morning).to_contain_text("ann")
        expect(morning).to_contain_text("is at risk: it is late in 34% of the futures")
        expect(rows.last).to_contain_text("has no run to judge: DAG mapped has no schedule")
        seen.check()
        page.get_by_role("button", name="safe 0").click()
        expect(page.get_by_text("No baseline fits these filters.")).to_be_visible()
        expect(page).to_have_url(re.compile("level=safe"))
        seen.open("/baselines?search=ANN")
        expect(rows).to_have_count(1)


@pytest.mark.parametrize(("size", "scheme"), [("wide", "dark"), ("narrow", "light")])
def test_a_baseline_shows_the_path_that_decides_how_its_prediction_changed_and_how_it_ended_before(
    browser: Browser, promised: Product, size: str, scheme: str
) -> None:
    with visit(browser, promised, size, scheme) as seen:
        seen.log_in("/baselines/morning")
        page = seen.page
        expect(page.get_by_role("heading", level=1, name="morning")).to_be_visible()
        height = page.locator("[data-page-header]").evaluate("header => header.getBoundingClientRect().height")
        assert height <= HEADER_MAX
        expect(page.get_by_role("region", name="How it stands")).to_contain_text(re.compile("extract.* takes the most"))
        path = page.get_by_role("region", name="Chart of the key path")
        expect(path.get_by_role("listitem")).to_have_count(2)
        expect(path.get_by_role("listitem").first).to_contain_text("slower than usual")
        expect(path.get_by_role("listitem").last).to_contain_text("waits 5 min before it")
        expect(page.get_by_role("img", name=re.compile("3 predictions of the end"))).to_be_visible()
        earlier = page.get_by_role("region", name="Table of the earlier due times")
        expect(earlier).to_contain_text("20 min before it")
        expect(earlier).to_contain_text("40 min too late")
        expect(page.get_by_role("region", name="Assumptions")).to_contain_text("is assumed to take")
        seen.check()
        path.get_by_role("link", name="wait_for_slot").click()
        expect(page).to_have_url(re.compile("/dags/gated/runs/waiting/tasks/wait_for_slot"))


def test_an_unknown_baseline_says_which_there_are(browser: Browser, promised: Product) -> None:
    with visit(browser, promised) as seen:
        seen.log_in("/baselines/evening")
        expect(seen.page.get_by_role("alert")).to_contain_text("the baselines are morning, unknown")


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_the_forecast_has_thousands_of_runs_by_dag_and_the_due_times(
    browser: Browser, promised: Product, size: str, scheme: str
) -> None:
    with visit(browser, promised, size, scheme) as seen:
        seen.log_in("/forecast")
        page = seen.page
        chart = page.get_by_role("region", name="Chart of the coming runs")
        expect(chart.get_by_role("listitem").first).to_contain_text("gated")
        expect(chart.get_by_role("link", name="gated")).to_be_visible()
        expect(chart).to_contain_text(re.compile("runs since .*, ends about "))
        expect(chart).to_contain_text("morning")
        hostile = chart.get_by_role("button", name="Runs of hostile")
        expect(hostile).to_have_attribute("aria-expanded", "false")
        seen.check()
        hostile.click()
        expect(hostile).to_have_attribute("aria-expanded", "true")
        expect(chart.get_by_role("listitem").nth(20)).to_be_attached()
        assert chart.get_by_role("listitem").count() < ROWS_MAX
        page.get_by_role("searchbox", name="DAG").fill("night")
        expect(chart.get_by_role("listitem")).to_have_count(2)
        expect(page).to_have_url(re.compile("search=night"))
        page.get_by_role("combobox", name="How far").select_option("1 hour")
        expect(page).to_have_url(re.compile("hours=1"))
        expect(chart.get_by_role("link", name="nightly")).to_be_visible()


def test_the_list_of_dags_says_when_a_running_run_will_end(browser: Browser, promised: Product) -> None:
    with visit(browser, promised) as seen:
        seen.log_in("/dags?search=gated")
        expect(seen.page.get_by_role("row").filter(has_text="gated")).to_contain_text("ends about")


def test_without_a_baseline_the_page_says_how_to_make_one(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/baselines")
        expect(seen.page.get_by_text("There is no baseline.")).to_be_visible()
        expect(seen.page.locator("pre").first).to_contain_text('baselines=[Baseline("07:00")]')
        expect(seen.page.locator("pre").last).to_contain_text("[baselines.morning_report]")
        seen.check()
