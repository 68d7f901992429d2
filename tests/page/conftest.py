"""One standalone with accounts and one browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright
from tests.acceptance.product import Product
from tests.acceptance.product import product as run_product
from tests.page.administration_dags import settle
from tests.page.asked_dags import asked  # noqa: F401 - a fixture
from tests.page.browsers import LOOP, launch
from tests.page.home_dags import home_dags  # noqa: F401 - a fixture
from tests.page.page_dags import FILES
from tests.page.page_tools import require_light_chromium
from tests.page.promised_baselines import promised  # noqa: F401 - a fixture
from tests.page.visit import PASSWORD

from gnomon.api.page_files import find_page_files


@contextmanager
def _prepared_product() -> Iterator[Product]:
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
def product() -> Iterator[Product]:
    """The standalone of most tests: what one of them leaves, others see."""
    with _prepared_product() as running:
        yield running


@pytest.fixture
def untouched() -> Iterator[Product]:
    """A standalone that no other test has used: for tests of what is not there."""
    with _prepared_product() as running:
        yield running


@pytest.fixture(scope="session")
def settled(product: Product) -> Product:
    """The standalone with tasks that wait for people, triggers, timers, slots and limits."""
    settle(product)
    return product


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright
        LOOP.show()


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launch(playwright, require_light_chromium()) as browser:
        yield browser


@pytest.fixture(autouse=True)
def loop_of_playwright(request: pytest.FixtureRequest) -> Iterator[None]:
    if "browser" in request.fixturenames:
        request.getfixturevalue("browser")
    LOOP.show()
    yield
    LOOP.hide()
