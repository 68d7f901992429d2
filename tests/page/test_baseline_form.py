"""Baselines that are made, changed and deleted on the page, and how good predictions were."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.acceptance.product import Product
from tests.page.visit import visit


def _fill_new(page: Page, name: str) -> None:
    page.get_by_role("button", name="New baseline").click()
    form = page.get_by_role("form", name="New baseline")
    form.get_by_label("Name").fill(name)
    form.get_by_role("combobox", name="What must be done").fill("nightly")
    form.get_by_role("combobox", name="What must be done").press("Enter")
    form.get_by_label("By").fill("06:30")
    form.get_by_label("Day", exact=True).select_option("1 day later")
    form.get_by_label("Zone").fill("Europe/Berlin")
    form.get_by_label("Fri").check()
    form.get_by_label("Margin in minutes").fill("20")
    form.get_by_label("Owner").fill("ann")


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_a_baseline_is_made_changed_and_deleted_and_its_page_says_who_did_it(
    browser: Browser, promised: Product, size: str, scheme: str
) -> None:
    name = f"evening-{size}"
    with visit(browser, promised, size, scheme) as seen:
        seen.log_in("/baselines")
        page = seen.page
        _fill_new(page, name)
        seen.check()
        page.get_by_role("button", name="Save").click()
        expect(page).to_have_url(re.compile(f"/baselines/{name}$"))
        promise = page.get_by_role("region", name="The promise")
        expect(promise).to_contain_text("06:30 Europe/Berlin, 1 day later")
        expect(promise).to_contain_text("20 min")
        page.get_by_role("button", name="Edit").click()
        form = page.get_by_role("form", name=f"Change baseline {name}")
        form.get_by_label("Zone").fill("Mars")
        page.get_by_role("button", name="Save").click()
        expect(form.get_by_role("alert")).to_contain_text("there is no time zone 'Mars'")
        seen.faults.clear()  # the browser writes a line about the refusal
        form.get_by_label("Zone").fill("UTC")
        page.get_by_role("button", name="Save").click()
        expect(form).to_have_count(0)
        history = page.get_by_role("region", name="Table of the changes of the definition")
        expect(history).to_contain_text("Zone Europe/Berlin → UTC")
        expect(history).to_contain_text("admin")
        seen.check()
        page.get_by_role("button", name=f"Delete baseline {name}").click()
        page.get_by_role("button", name="Delete the baseline").click()
        expect(page).to_have_url(re.compile("/baselines$"))
        expect(page.get_by_role("list", name="Baselines").get_by_role("listitem")).to_have_count(2)


def test_one_of_a_file_is_not_changed_on_the_page_which_says_where_it_stands(
    browser: Browser, promised: Product
) -> None:
    with visit(browser, promised) as seen:
        seen.log_in("/baselines/morning")
        expect(seen.page.get_by_role("region", name="The promise")).to_contain_text("gnomon.toml, line")
        expect(seen.page.get_by_role("button", name="Edit")).to_have_count(0)


@pytest.mark.parametrize(("size", "scheme"), [("wide", "dark"), ("narrow", "light")])
def test_the_accuracy_of_predictions_is_a_view_of_the_forecast(
    browser: Browser, promised: Product, size: str, scheme: str
) -> None:
    with visit(browser, promised, size, scheme) as seen:
        seen.log_in("/forecast")
        seen.page.get_by_role("link", name="Accuracy").click()
        table = seen.page.get_by_role("region", name="Table of the accuracy of predictions")
        expect(table).to_contain_text("nightly")
        expect(table).to_contain_text("1 failed")
        expect(table).to_contain_text("until it has 3, the durations of its tasks are assumed")
        seen.check()
        seen.open("/baselines/morning")
        expect(table).to_contain_text("nightly")
