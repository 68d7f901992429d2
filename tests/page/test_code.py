"""Code, details and audit log of a DAG."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.plan_dags import PLAN_FILES
from tests.page.visit import SIZES, visit


@pytest.fixture(scope="session", autouse=True)
def plans(product: Product) -> Product:
    """A DAG of two versions, the first of which has run."""
    text = PLAN_FILES["plan_code.py"]
    product.write("plan_code.py", text)
    product.has_dag("plan_code")
    product.run("plan_code", "--run-id", "old")
    product.write("plan_code.py", text.replace("def last", "def final").replace("last()", "final()"))
    product.until(lambda: len(product.rows("dags", "versions", "plan_code")) == 2, "the second version")
    product.do("dags", "pause", "plan_code")
    return product


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_versions_stand_with_their_source_their_runs_and_their_difference(
    browser: Browser, product: Product, size: str, scheme: str
) -> None:
    with visit(browser, product, size, scheme) as seen:
        seen.log_in("/dags/plan_code/code")
        page = seen.page
        source = page.get_by_role("region", name="Source")
        expect(source).to_contain_text("def final")
        expect(source.locator(".code-keyword", has_text="def").first).to_be_visible()
        seen.check()
        page.get_by_label("Link to line 4").click()
        expect(page).to_have_url(re.compile("line=4"))
        expect(source.locator(".code-chosen")).to_have_count(1)
        page.get_by_label("Show", exact=True).select_option("1")
        expect(source).to_contain_text("def last")
        expect(page.get_by_role("link", name="old", exact=True).last).to_be_visible()
        page.get_by_label("compare with").select_option("2")
        difference = page.get_by_role("region", name="Difference")
        expect(difference.locator(".code-removed").first).to_contain_text("def last")
        expect(difference.locator(".code-added").first).to_contain_text("def final")
        seen.check()
        page.reload()
        expect(difference).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_details_tell_every_limit_and_where_it_comes_from(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/plan_code/details")
        page = seen.page
        limits = page.get_by_role("region", name="Limits")
        expect(limits).to_contain_text("max_active_runs2 unfinished runs of the DAG, set in the file of the DAG")
        expect(limits).to_contain_text(
            "max_active_tasks16 running tasks of one run, by option [core] max_active_tasks_per_dag"
        )
        expect(page.get_by_role("link", name="ann")).to_have_attribute("href", "https://example.org/ann")
        expect(page.get_by_text("javascript:")).to_have_count(0)
        seen.check()
        seen.open("/dags/hostile/details")
        expect(page.get_by_role("heading", name="Schedule")).to_be_visible()
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_the_audit_log_is_filtered_by_its_address(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/plan_code/audit")
        page = seen.page
        expect(page.get_by_role("row", name=re.compile("dag paused"))).to_be_visible()
        expect(page.get_by_role("row", name=re.compile("run created")).first).to_be_visible()
        seen.check()
        page.get_by_label("Event", exact=True).fill("paused")
        expect(page).to_have_url(re.compile("event=paused"))
        expect(page.get_by_role("row", name=re.compile("run created"))).to_have_count(0)
        page.reload()
        expect(page.get_by_label("Event", exact=True)).to_have_value("paused")
        page.get_by_label("Event", exact=True).fill("nothing like it")
        expect(page.get_by_text("No row fits.")).to_be_visible()
