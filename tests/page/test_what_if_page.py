"""The page What if: a stored answer in words and as a picture, and changes that go into the address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import visit
from tests.stored_simulation import ADDRESS


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_the_answer_says_what_is_different_in_words_and_as_a_picture(
    browser: Browser, promised: Product, size: str, scheme: str
) -> None:
    with visit(browser, promised, size, scheme) as seen:
        seen.log_in(ADDRESS)
        page = seen.page
        expect(page.get_by_text("2 runs end later")).to_be_visible()
        expect(page.get_by_text("Baseline morning: will break.")).to_be_visible()
        expect(page.get_by_text("It would not hold: gated ends before 07:00.")).to_be_visible()
        chart = page.get_by_role("region", name="Chart of both futures")
        expect(chart.get_by_role("link", name="nightly", exact=True)).to_be_visible()
        expect(chart.get_by_role("link", name="hostile", exact=True)).to_have_count(0)
        seen.check()
        page.get_by_role("button", name="All", exact=True).click()
        expect(chart.get_by_role("link", name="hostile", exact=True)).to_be_visible()
        rows = page.get_by_role("region", name="Runs that are different").locator("tbody tr")
        expect(rows).to_have_count(4)
        expect(rows.first).to_contain_text("gated")


def test_changes_are_added_in_words_and_go_into_the_address(browser: Browser, promised: Product) -> None:
    with visit(browser, promised) as seen:
        seen.log_in(ADDRESS)
        page = seen.page
        page.get_by_role("combobox", name="Change").select_option("freeze")
        page.get_by_role("form", name="New change").locator("input").fill("mapped")
        page.get_by_role("button", name="Add").click()
        changes = page.get_by_role("list", name="Changes")
        expect(changes).to_contain_text("DAG mapped does not run")
        expect(page).to_have_url(re.compile("freeze"))
        expect(page.get_by_text("The changes are others than those of this answer")).to_be_visible()
        page.get_by_role("button", name="Remove: pool narrow has 1 slot").click()
        expect(changes).not_to_contain_text("narrow")
        page.get_by_role("button", name="As a file for gnomon simulate").click()
        expect(page.locator("pre")).to_contain_text('freeze = ["mapped"]')
