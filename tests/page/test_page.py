"""The page in a browser, beside a standalone with accounts: what a user does on the first day."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.acceptance.product import Product
from tests.acceptance.product import product as run_product
from tests.page.page_dags import HOSTILE
from tests.page.visit import PASSWORD, SIZES, visit


def test_a_wrong_password_is_named_and_a_login_leads_to_the_address_that_was_asked_for(
    browser: Browser, product: Product
) -> None:
    with visit(browser, product) as seen:
        seen.log_in_by_form("/dags?search=night", "wrong")
        expect(seen.page.get_by_role("alert")).to_contain_text("name or password")
        seen.log_in_by_form("/dags?search=night")
        expect(seen.page).to_have_url(re.compile(r"/dags\?search=night$"))
        expect(seen.page.get_by_role("link", name="nightly")).to_be_visible()
        expect(seen.page.get_by_role("link", name="gated")).to_have_count(0)
        seen.check()


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_from_the_failed_run_to_its_reason_its_log_and_a_clear_that_is_seen_live(
    browser: Browser, product: Product, size: str, scheme: str
) -> None:
    source = product.dags / "source.csv"
    source.unlink(missing_ok=True)
    run_id = f"night_{size}"
    product.run("nightly", "--run-id", run_id)
    with visit(browser, product, size, scheme) as seen:
        seen.log_in()
        page = seen.page
        page.get_by_role("link", name=run_id).click()
        expect(page.get_by_role("region", name="Why", exact=True)).to_contain_text(
            "extract FileNotFoundError: source.csv has not"
        )
        seen.check()
        page.get_by_role("link", name="extract").first.click()
        expect(page.get_by_role("log")).to_contain_text("source.csv has not arrived")
        expect(page.get_by_role("region", name="Why", exact=True)).to_contain_text("source.csv has not arrived")
        seen.check()
        page.go_back()
        source.write_text("x")
        page.get_by_role("button", name="Run 2 failed again").click()
        expect(page.get_by_label("What the act touches")).to_contain_text("extract")
        page.get_by_role("button", name="Clear them").click()
        expect(page.locator("h1 + .badge")).to_contain_text("success")
        seen.check()


def test_a_waiting_task_says_why_where_its_state_stands(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/gated/runs/waiting/tasks/wait_for_slot")
        expect(seen.page.get_by_role("region", name="Why", exact=True)).to_contain_text("none_free")
        seen.open("/")
        expect(
            seen.page.get_by_role("region", name="Blocked").or_(seen.page.locator("section", has_text="Blocked"))
        ).to_contain_text("none_free")
        seen.check()


def test_pause_and_run_with_parameters(browser: Browser, product: Product) -> None:
    (product.dags / "source.csv").write_text("x")
    with visit(browser, product) as seen:
        seen.log_in("/dags/nightly")
        page = seen.page
        switch = page.get_by_role("switch", name="nightly is active")
        switch.click()
        expect(switch).not_to_be_checked()
        page.get_by_role("button", name="Unpause").click()
        expect(switch).to_be_checked()
        page.get_by_role("link", name="Run it …").click()
        field = page.get_by_label("day", exact=True)
        expect(field).to_have_value("3")
        field.fill("Monday")
        expect(page.get_by_text("Monday is no number")).to_be_visible()
        page.get_by_role("button", name="Run now").click()
        expect(page.get_by_role("alert")).to_contain_text("no valid value")
        expect(field).to_be_focused()
        page.get_by_label("JSON", exact=True).check()
        raw = page.get_by_label("Parameters as JSON")
        expect(raw).to_have_value(re.compile('"day": "Monday"'))
        raw.fill(json.dumps({"day": 7}))
        page.get_by_role("button", name="Run now").click()
        expect(page).to_have_url(re.compile("/dags/nightly/runs/manual__"))
        expect(page.get_by_text("is created.")).to_be_visible()
        seen.check()
    newest = product.rows("runs", "list", "nightly", "--limit", "1")[0]
    assert newest["conf"] in ({"day": 7}, '{"day": 7}', json.dumps({"day": 7})), newest


def test_the_grid_is_moved_through_by_keys_and_its_filters_are_the_address(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/hostile")
        page = seen.page
        page.get_by_role("grid").focus()
        page.keyboard.press("n")
        page.keyboard.press("Shift+Enter")
        expect(page).to_have_url(re.compile("/dags/hostile/runs/first/tasks/say"))
        seen.open("/dags/nightly?task=load&runs=10")
        expect(page.get_by_role("rowheader")).to_have_text(["load"])
        page.reload()
        expect(page.get_by_role("rowheader")).to_have_text(["load"])
        seen.check()


def test_a_mapped_task_leads_to_the_list_of_its_instances_and_each_to_its_log(
    browser: Browser, product: Product
) -> None:
    product.run("mapped", "--run-id", "three")
    with visit(browser, product) as seen:
        seen.log_in("/dags/mapped")
        seen.page.get_by_role("gridcell", name="double, three: 3 success").dblclick()
        expect(seen.page.get_by_label("Task instances").get_by_role("link")).to_have_count(3)
        seen.check()
        seen.page.get_by_role("link", name="double [1]").click()
        expect(seen.page.get_by_role("log")).to_contain_text("doubled 4")
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_hostile_texts_are_shown_as_text(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags")
        expect(seen.page.get_by_role("link", name=HOSTILE[:30])).to_be_visible()
        seen.check()
        for path in ("/", "/dags/hostile", "/dags/hostile/runs/first", "/dags/hostile/runs/first/tasks/say"):
            seen.open(path)
            expect(seen.page.get_by_role("heading", level=1)).to_be_visible()
            seen.page.wait_for_load_state("load")
            seen.check()
        expect(seen.page.get_by_role("log")).to_contain_text("<script>")
        assert seen.page.title().endswith(" · Gnomon")


def test_an_import_error_is_on_the_first_page_with_its_file(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in()
        expect(seen.page.get_by_label("Import errors")).to_contain_text("broken.py")
        seen.check()


def test_a_missing_dag_is_said_once_with_a_way_on(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/nothing")
        alert = seen.page.get_by_role("alert")
        expect(alert).to_have_count(1)
        expect(alert).to_contain_text("there is no DAG 'nothing'")
        alert.get_by_role("link", name="All DAGs").click()
        expect(seen.page).to_have_url(re.compile(r"/dags$"))


def test_what_cannot_be_read_says_what_and_offers_to_try_again(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags")
        seen.page.route("**/api/gnomon/v1/dags/hostile/grid**", lambda route: route.abort())
        seen.open("/dags/hostile")
        alert = seen.page.get_by_role("alert").filter(has_text="Could not read")
        expect(alert).to_be_visible()
        seen.page.unroute("**/api/gnomon/v1/dags/hostile/grid**")
        alert.get_by_role("button", name="Try again").click()
        expect(alert).to_have_count(0)


def test_what_changes_before_the_stream_is_open_is_seen(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        waiting: list[Route] = []
        seen.page.route("**/api/gnomon/v1/events**", lambda route: waiting.append(route))
        with seen.page.expect_request("**/api/gnomon/v1/events**"):
            seen.open("/dags?search=nightly")
        switch = seen.page.get_by_role("switch", name="nightly is active")
        expect(switch).to_be_checked()
        product.do("dags", "pause", "nightly")
        try:
            for route in waiting:
                route.continue_()
            expect(switch).not_to_be_checked()
        finally:
            product.do("dags", "unpause", "nightly")


def test_a_lost_connection_is_shown(browser: Browser) -> None:
    with run_product({}) as other:
        other.do("users", "reset-password", "admin", "--password", PASSWORD)
        with visit(browser, other) as seen:
            seen.log_in("/dags")
            state = seen.page.locator(".layout-connection")
            expect(state).to_have_text("live")
            other.restart()  # on another port
            expect(state).to_contain_text("connection lost")
