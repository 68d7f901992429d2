"""The form that runs a DAG: fields from the params, JSON and back, errors beside the field, and what will run before one presses."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.plan_dags import PLAN_FILES
from tests.page.visit import SIZES, visit


@pytest.fixture(scope="session", autouse=True)
def plans(product: Product) -> Product:
    """The DAGs of plans."""
    for name in ("plan_form.py", "plan_hourly.py"):
        product.write(name, PLAN_FILES[name])
    for dag_id in ("plan_form", "plan_hourly"):
        product.has_dag(dag_id)
    return product


@pytest.mark.parametrize("size", SIZES)
def test_a_dag_is_run_with_its_params_as_fields(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags/plan_form/trigger")
        page = seen.page
        expect(page.get_by_label("Day of the month")).to_have_value("3")
        expect(page.get_by_role("group", name="Times").get_by_label("since")).to_have_value("2026-03-01")
        expect(page.get_by_label("at", exact=True)).to_have_value("2026-03-01T17:45")  # in Kathmandu
        expect(page.get_by_label("What will run")).to_contain_text("manual__")
        seen.check()
        page.get_by_role("button", name="Run now").click()
        expect(page.get_by_label("code (needed)")).to_be_focused()
        page.get_by_label("code (needed)").fill("abc")
        expect(page.get_by_text("must match pattern")).to_be_visible()  # the server's answer, beside the field
        page.get_by_label("code (needed)").fill("ABC")
        expect(page.get_by_text("must match pattern")).to_have_count(0)
        page.get_by_label("Day of the month").fill("32")
        expect(page.get_by_text("the value is at most 31")).to_be_visible()
        page.get_by_label("Day of the month").fill("31")
        page.get_by_label("colour", exact=True).select_option(label="Green")
        page.get_by_role("checkbox", name="b", exact=True).check()
        page.get_by_role("button", name="Run now").click()
        expect(page).to_have_url(re.compile("/runs/manual__"))
        seen.check()
        run_id = unquote(page.url.rpartition("/")[2])
    conf = product.ended("plan_form", run_id)["conf"]
    conf = json.loads(conf) if isinstance(conf, str) else conf
    assert (conf["day"], conf["colour"], conf["several"], conf["code"], conf["always"], conf["ratio"]) == (
        31,
        "green",
        ["a", "b"],
        "ABC",
        42,
        None,
    )


def test_what_is_typed_survives_the_way_to_json_and_back(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/plan_form/trigger")
        page = seen.page
        page.get_by_label("Day of the month").fill("Monday")
        page.get_by_label("tree", exact=True).fill("{broken")
        page.get_by_label("JSON", exact=True).check()
        raw = page.get_by_label("Parameters as JSON")
        expect(raw).to_have_value(re.compile('"Monday"'))
        page.get_by_label("Form", exact=True).check()
        expect(page.get_by_label("Day of the month")).to_have_value("Monday")
        expect(page.get_by_label("tree", exact=True)).to_have_value("{broken")
        page.get_by_label("JSON", exact=True).check()
        raw.fill("{")
        page.get_by_label("Form", exact=True).click()
        expect(raw).to_have_value("{")
        expect(page.get_by_role("alert")).to_contain_text("no JSON")
        page.get_by_role("button", name="Reset to the defaults").click()
        page.get_by_label("Form", exact=True).check()
        expect(page.get_by_label("Day of the month")).to_have_value("3")


def test_the_inferred_data_interval_and_the_pause_are_told_before_one_presses(
    browser: Browser, product: Product
) -> None:
    product.do("dags", "pause", "plan_hourly")
    with visit(browser, product) as seen:
        seen.log_in("/dags/plan_hourly/trigger")
        page = seen.page
        preview = page.get_by_label("What will run")
        expect(preview).to_contain_text("plan_hourly is paused: the run is created and waits")
        page.get_by_label("with a logical date").check()
        page.wait_for_timeout(
            400
        )  # as a user who thinks: the form without a date is older than the pause after which it is asked about
        page.get_by_role("textbox", name="Logical date").fill("2026-03-01T12:45:00")  # 07:00 in UTC
        expect(preview.locator("dd").nth(2)).to_have_text("1 Mar 11:45 to 1 Mar 12:45")
        expect(preview).to_contain_text("Takes the slot")
        seen.check()
    product.do("dags", "unpause", "plan_hourly")
