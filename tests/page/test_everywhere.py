"""What every page has: the command palette, the preferences, the language, the frame of a DAG."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import SIZES, visit


@pytest.mark.parametrize("size", SIZES)
def test_the_palette_finds_a_dag_a_task_a_run_and_a_page_and_does_an_act(
    browser: Browser, product: Product, size: str
) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in()
        page = seen.page
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        page.keyboard.press("Control+k")
        box = page.get_by_role("combobox", name="Find a DAG")
        box.fill("nightl")
        expect(page.get_by_role("option", name="DAG nightly")).to_have_attribute("aria-selected", "true")
        seen.check()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/dags/nightly$"))
        page.keyboard.press("Control+k")
        box.fill("extr")
        page.get_by_role("option", name="Task extract").click()
        expect(page).to_have_url(re.compile("task=extract"))
        page.keyboard.press("Control+k")
        box.fill("nothing like this")
        expect(page.get_by_role("dialog")).to_contain_text("Nothing fits.")
        box.fill("pause mapped")
        expect(page.get_by_role("option", name="Pause mapped")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_contain_text("mapped is paused.")
        box.fill("unpause mapped")
        expect(page.get_by_role("option", name="Unpause mapped")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_contain_text("mapped is active.")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        seen.open("/")
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        page.keyboard.press("Control+k")
        box.fill("waiting")
        page.get_by_role("option", name="Run gated waiting").click()
        expect(page).to_have_url(re.compile("/dags/gated/runs/waiting$"))


def test_the_palette_opens_again_at_once(browser: Browser, product: Product) -> None:
    """The dialog tells of its end later than it ends: the key that comes between them opens the palette anew."""
    with visit(browser, product) as seen:
        seen.log_in()
        page = seen.page
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        page.keyboard.press("Control+k")
        box = page.get_by_role("combobox", name="Find a DAG")
        box.fill("typed before")
        page.evaluate("""() => {
            document.querySelector("dialog[open]").close();
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true}));
        }""")
        expect(box).to_have_value("")
        page.keyboard.press("Control+k")
        box.fill("nightl")
        expect(page.get_by_role("option", name="DAG nightly")).to_be_visible()
        seen.check()


def test_keys_that_are_typed_at_once_are_for_the_palette(browser: Browser, product: Product) -> None:
    """`g d` leads to the DAGs, but not when the palette has just been called."""
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        page.evaluate("""() => {
            const press = (key, ctrlKey) => (document.activeElement ?? document.body).dispatchEvent(
                new KeyboardEvent("keydown", {key, ctrlKey, bubbles: true, cancelable: true}));
            press("k", true);
            press("g", false);
            press("d", false);
        }""")
        expect(page.get_by_role("combobox", name="Find a DAG")).to_be_focused()
        expect(page).to_have_url(re.compile("/services$"))
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("gd")
        expect(page.get_by_role("combobox", name="Find a DAG")).to_have_value("gd")
        expect(page).to_have_url(re.compile("/services$"))


def test_the_palette_finds_tasks_of_all_dags_and_knows_the_words_of_airflow(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        page.keyboard.press("Control+k")
        box = page.get_by_role("combobox", name="Find a DAG")
        box.fill("trigger nightl")
        expect(page.get_by_role("option", name="Run nightly …")).to_be_visible()
        box.fill("required actions")
        expect(page.get_by_role("option", name="Questions to people")).to_be_visible()
        box.fill("extract")
        page.get_by_role("option", name="nightly › extract").click()
        expect(page).to_have_url(re.compile("/dags/nightly.*task=extract"))


def test_the_palette_shows_what_it_found_beside_what_it_could_not_read(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        page.route(
            "**/api/v2/dags/~/dagRuns?*", lambda route: route.fulfill(status=503, json={"detail": "the store is away"})
        )
        expect(page.get_by_role("button", name="Find")).to_be_visible()
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Find a DAG").fill("nightl")
        expect(page.get_by_role("option", name="DAG nightly")).to_be_visible()
        expect(page.get_by_role("dialog")).to_contain_text("the store is away")


def test_the_version_of_a_run_leads_to_its_code(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/nightly/runs/first")
        seen.page.get_by_role("link", name="version 1").first.click()
        expect(seen.page).to_have_url(re.compile("/dags/nightly/code.version=1"))
        expect(seen.page.get_by_role("region", name="Source")).to_be_visible()
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_preferences_hold_after_a_reload(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags")
        page = seen.page
        page.get_by_role("button", name="Display").click()
        page.get_by_role("radio", name="dark").check()
        page.get_by_role("radio", name="compact").check()
        seen.check()
        page.get_by_role("radio", name="UTC").check()
        page.keyboard.press("Escape")
        page.reload()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.locator("html")).to_have_attribute("data-density", "compact")
        expect(page.get_by_role("link", name="nightly")).to_be_visible()
        seen.check()
        page.get_by_role("button", name="Display").click()
        page.get_by_role("radio", name="中文").click()
        expect(page.locator("html")).to_have_attribute("lang", "zh")
        expect(page.get_by_role("button", name="显示")).to_be_visible()
        seen.check()


def test_the_zone_of_the_dag_holds_on_its_pages(browser: Browser, product: Product) -> None:
    product.has_dag("in_tokyo")
    with visit(browser, product) as seen:
        seen.log_in("/dags/in_tokyo")
        page = seen.page
        page.get_by_role("button", name="Display").click()
        page.get_by_role("radio", name="Zone of the DAG").check()
        page.keyboard.press("Escape")
        expect(page.get_by_role("list", name="Coming runs").locator("time").first).to_contain_text("06:30")
        seen.check()
