"""An account that may only read is offered no act; one with a grant is offered those on its DAGs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import PASSWORD, Visit, visit

READER = "reader"
ACTS = re.compile(
    r"^(Pause|Unpause|▶ Run it …|Run it …|Run now|Clear|Mark(?! all as seen)|Delete|Create|Cancel …|Continue|Send the answer|Add a note|Change the note"
    r"|Run \d+ failed again|Run again|Set the pool|Kill|Add an event …|Materialize|New |Edit |Do it|Revoke|Acknowledge|Release)"
)
"""The beginnings of the names of what changes something."""
VIEWS = (
    "/",
    "/dags",
    "/dags/nightly",
    "/dags/nightly/details",
    "/dags/nightly/trigger",
    "/dags/nightly/backfill",
    "/dags/nightly/runs/first",
    "/dags/nightly/runs/first/tasks/extract",
    "/dags/gated/runs/waiting",
    "/runs",
    "/tasks",
    "/backfills",
    "/baselines",
    "/assets",
    "/pools",
    "/inbox",
    "/triggers",
    "/services",
)
GRANTED = {"/dags": "Run it …", "/dags/gated/runs/waiting": "Set the pool …"}
"""The views with acts on the DAG of the grant, and the name of one."""


@pytest.fixture
def reader(product: Product) -> Iterator[Product]:
    """The standalone with an account that may read everything, and change the DAG `gated`."""
    product.do("users", "create", READER, "--role", "viewer", "--password", PASSWORD)
    product.do("users", "grant", READER, "--role", "user", "--dag", "gated")
    yield product
    product.do("users", "delete", READER)


def _log_in(seen: Visit) -> None:
    seen.open("/")
    seen.page.get_by_label("Name", exact=True).fill(READER)
    seen.page.get_by_label("Password", exact=True).fill(PASSWORD)
    seen.page.get_by_role("button", name="Log in").click()
    expect(seen.page.get_by_role("button", name="Find")).to_be_visible()


def _list_acts(seen: Visit) -> list[str]:
    page = seen.page
    expect(page.locator("h1, h2").first).to_be_visible()
    expect(page.locator('[aria-busy="true"]')).to_have_count(0)
    names = [*_list_menus(seen), *_list_links(seen)]
    return [name for name in names if ACTS.match(name.strip())]


def _list_menus(seen: Visit) -> list[str]:
    """The items of all menus of the view."""
    page, names = seen.page, []
    for menu in page.locator("main button[aria-haspopup=menu]:visible").all():
        menu.click()
        expect(page.get_by_role("menuitem").first).to_be_visible()
        names += page.get_by_role("menuitem").all_inner_texts()
        page.keyboard.press("Escape")
        expect(page.get_by_role("menuitem")).to_have_count(0)
    return names


def _list_links(seen: Visit) -> list[str]:
    page = seen.page
    return [
        *page.locator("main button:visible").all_inner_texts(),
        *page.locator("main a.button:visible, main a.button-button:visible").all_inner_texts(),
    ]


def test_a_reader_is_offered_no_act_on_any_view(browser: Browser, reader: Product) -> None:
    with visit(browser, reader) as seen:
        _log_in(seen)
        offered = {}
        for view in VIEWS:
            seen.open(view)
            if view in GRANTED:  # the role on the DAG is asked for after the view is there
                expect(seen.page.locator("main").get_by_text(GRANTED[view]).first).to_be_visible()
            if acts := _list_acts(seen):
                offered[view] = acts
        assert offered.pop("/dags") == ["Run it …"]  # that of the DAG of the grant
        assert offered.pop("/baselines") == ["New baseline"]  # about that DAG
        assert "Clear all (run all again) …" in offered.pop("/dags/gated/runs/waiting")
        assert offered == {}
        page = seen.page
        seen.open("/dags/nightly/trigger")
        expect(page.get_by_text("to run it needs the role user, which an administrator gives")).to_be_visible()
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Find a DAG").fill("pause nightly")
        expect(page.get_by_role("dialog")).to_contain_text("Nothing fits.")


def test_a_grant_offers_the_acts_on_its_dag(browser: Browser, reader: Product) -> None:
    with visit(browser, reader) as seen:
        _log_in(seen)
        seen.open("/dags/gated")
        expect(seen.page.get_by_role("switch", name="gated is active")).to_be_visible()
        seen.open("/dags/gated/trigger")
        expect(seen.page.get_by_role("button", name="Run now")).to_be_visible()
        seen.check()
