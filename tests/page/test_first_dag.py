"""An installation without DAGs: the home page and the list say where the first one goes, and what it may look like."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.acceptance.product import product as run_product
from tests.page.visit import PASSWORD, visit

from gnomon.api.page_files import find_page_files


@pytest.fixture
def empty() -> Iterator[Product]:
    if find_page_files().index is None:
        pytest.skip(f"there is no page in this installation: {find_page_files().reason}")
    with run_product({}, {}) as running:
        running.do("users", "reset-password", "admin", "--password", PASSWORD)
        yield running


def test_the_text_that_is_offered_becomes_the_first_dag(browser: Browser, empty: Product) -> None:
    with visit(browser, empty) as seen:
        seen.log_in("/dags")
        page = seen.page
        expect(page.get_by_text("There is no DAG yet.")).to_be_visible()
        seen.check()
        page.get_by_role("link", name="Home", exact=True).click()
        expect(page.get_by_text(f"Write this one to {empty.dags}/hello.py")).to_be_visible()
        expect(page.get_by_role("region", name="Failed")).to_have_count(0)
        seen.check()
        empty.write("hello.py", page.locator("main pre").inner_text())
        expect(page.get_by_text("There is no DAG yet.")).to_have_count(0)
        expect(page.get_by_text("cannot be loaded")).to_have_count(0)
        page.get_by_role("link", name="DAGs", exact=True).click()
        expect(page.get_by_role("link", name="hello", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Warnings of hello")).to_have_count(0)
