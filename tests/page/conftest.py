"""One standalone with accounts and one browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.acceptance.product import Product
from tests.acceptance.product import product as run_product
from tests.page.page_dags import FILES
from tests.page.page_tools import require_chromium
from tests.page.visit import ARGUMENTS, PASSWORD

from gnomon.api.page_files import find_page_files


@pytest.fixture(scope="session")
def product() -> Iterator[Product]:
    if find_page_files().index is None:
        pytest.skip(f"there is no page in this installation: {find_page_files().reason}")
    with run_product(FILES, {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False"}) as running:
        running.do("users", "reset-password", "admin", "--password", PASSWORD)
        running.do("pools", "set", "none_free", "0", "no slot")
        for dag_id in ("nightly", "gated", "hostile", "mapped"):
            running.has_dag(dag_id)
        for dag_id in ("nightly", "hostile"):
            running.run(dag_id, "--run-id", "first")
        running.do("dags", "trigger", "gated", "--run-id", "waiting")
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=require_chromium(), args=ARGUMENTS)
        yield browser
        browser.close()
