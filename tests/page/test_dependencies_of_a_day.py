"""The time line of a day: which runs wait for which runs of other DAGs; and the graph of DAGs and assets."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.across_dags import YESTERDAY, write_across
from tests.page.visit import SIZES, visit

DAY = f"/dependencies?dag=across_report&day={YESTERDAY}"


@pytest.fixture(scope="session", autouse=True)
def across(product: Product) -> None:
    write_across(product)
    product.until(lambda: len(list_done(product, "across_mail")) == 1, "the last DAG of yesterday has run")


def list_done(product: Product, dag_id: str) -> list[str]:
    return [
        row["run_id"]
        for row in product.rows("runs", "list", dag_id)
        if row["state"] == "success" and str(YESTERDAY) in row["run_id"]
    ]


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_a_run_of_the_day_says_what_it_waits_for_and_by_which_rule(
    browser: Browser, product: Product, size: str, scheme: str
) -> None:
    with visit(browser, product, size, scheme) as seen:
        seen.log_in(DAY)
        page = seen.page
        chart = page.get_by_role("group", name=f"Time line of {YESTERDAY}")
        details = page.locator(".graph-details")
        expect(chart.locator("circle.fill-success")).to_have_count(6)
        expect(page.locator(".day-names")).to_have_text("across_loadsacross_reportacross_mail")
        chart.focus()
        for key in ("ArrowRight", "ArrowDown"):
            page.keyboard.press(key)
        expect(details).to_contain_text("across_report 06:00")
        expect(details).to_contain_text("waits for across_loads 04:00, 05:00")
        expect(details).to_contain_text("rule two, backward")
        expect(details).to_contain_text("is waited for by across_mail 14:00")
        seen.check()
        page.get_by_text("As a table").click()
        expect(page.get_by_role("row", name=re.compile("across_report 13:00"))).to_contain_text("across_loads 12:00")
        seen.check()
        chart.focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/dags/across_report/runs/scheduled__"))


def test_the_day_is_moved_by_keys_buttons_and_a_drag_and_is_in_the_address(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in(DAY)
        page = seen.page
        field = page.get_by_label("Day", exact=True)
        expect(field).to_have_value(str(YESTERDAY))
        page.get_by_role("button", name="Next day").click()
        expect(page).not_to_have_url(re.compile(f"day={YESTERDAY}"))
        page.locator(".day-frame").focus()
        page.keyboard.press("PageUp")
        expect(field).to_have_value(str(YESTERDAY))
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        expect(page.locator(".day-frame circle").first).to_be_visible()
        box = page.locator(".day-frame").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 300, box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + 800, box["y"] + 100, steps=4)
        page.mouse.up()
        expect(field).not_to_have_value(str(YESTERDAY))
        page.go_back()
        field.fill("2030-01-02")
        expect(page.locator(".day-frame circle.fill-planned")).to_have_count(6)
        expect(page).to_have_url(re.compile("day=2030-01-02"))
        seen.check()


def test_schedules_of_each_minute_fold_to_bands_with_counts(browser: Browser, product: Product) -> None:
    with visit(browser, product, "narrow") as seen:
        seen.log_in(f"/dependencies?dag=across_minutes&day={YESTERDAY}")
        bands = seen.page.locator(".day-band")
        expect(bands.first).to_contain_text(re.compile("^(120|180)$"))
        assert bands.count() <= 24
        seen.check()


def test_a_new_run_is_seen_live(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in(DAY)
        chart = seen.page.locator(".day-frame")
        expect(chart.locator("circle.fill-success")).to_have_count(6)
        expect(seen.page.get_by_text("live", exact=True)).to_be_visible()
        (run_id,) = [one for one in list_done(product, "across_report") if "T13" in one]
        product.do("runs", "mark", "across_report", run_id, "--state", "failed")
        expect(chart.locator("circle.fill-failed")).to_have_count(1)
        product.do("runs", "mark", "across_report", run_id, "--state", "success")
        expect(chart.locator("circle.fill-success")).to_have_count(6)


@pytest.mark.parametrize("size", SIZES)
def test_the_graph_has_waits_triggers_assets_and_circles(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dependencies/graph?find=across_sales")
        page = seen.page
        details = page.get_by_role("region", name="The chosen node")
        chosen = page.locator(".graph-node.graph-chosen")
        expect(chosen).to_contain_text("across_sales")
        if size == "narrow":  # the sheet covers a narrow window: it opens with a press
            chosen.click()
        expect(details).to_contain_text("across_orders")
        expect(details).to_contain_text("across_customers")
        page.keyboard.press("Escape")
        page.get_by_role("button", name=re.compile("a circle or a dependency")).click()
        expect(page.get_by_text("across_ring_one → across_ring_two → across_ring_one").first).to_be_visible()
        seen.check()
        page.keyboard.press("Escape")
        page.get_by_role("searchbox", name="Search").fill("across_sale")
        expect(page).to_have_url(re.compile(r"find=across_sale(&|$)"))  # what is chosen changes once more with it
        expect(chosen).to_contain_text("across_sales")
        page.locator(".graph-frame").focus()
        page.keyboard.press("ArrowLeft" if size == "wide" else "ArrowUp")
        expect(chosen).to_have_attribute("data-node", re.compile("asset"))
        page.get_by_role("searchbox", name="Search").fill("across_starter")
        expect(chosen).to_contain_text("across_starter")
        if size == "narrow":
            chosen.click()
        expect(details).to_contain_text("triggers across_loads")
        details.get_by_role("button", name="Only what is around it").click()
        expect(page).to_have_url(re.compile("dag=across_starter"))
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Kinds of lines").click()
        expect(page.get_by_text("4 nodes, 3 edges")).to_be_visible()
        seen.check()
        page.keyboard.press("Escape")
        page.get_by_role("searchbox", name="Search").fill("")  # what is searched for is brought to the middle
        expect(page).not_to_have_url(re.compile("find="))
        page.reload()
        nodes = page.locator(".graph-node")
        expect(nodes).to_have_count(4)
        # The nodes are in the document before the size of the frame is known, to which the picture is fitted.
        page.wait_for_function("""() => {
            const edges = (one) => one.getBoundingClientRect();
            const frame = edges(document.querySelector(".graph-frame"));
            const nodes = [...document.querySelectorAll(".graph-node")].map(edges);
            return nodes.length === 4 && nodes.every((node) => frame.left <= node.left && node.right <= frame.right
                && frame.top <= node.top && node.bottom <= frame.bottom);
        }""")


def test_the_graph_folds_by_folder_and_opens_a_group(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dependencies/graph?fold=folder")
        page = seen.page
        group = page.locator(".graph-node[data-node='group across']")
        expect(group).to_contain_text("11 DAGs")
        group.click()
        page.get_by_role("button", name="Open the group").click()
        expect(page.locator(".graph-node", has_text="across_report")).to_have_count(1)
        page.reload()
        expect(page.locator(".graph-node", has_text="across_report")).to_have_count(1)
        page.get_by_role("button", name="As a table").click()
        expect(page.get_by_role("row", name=re.compile("across_loads.*across_report"))).to_be_visible()
        seen.check()


def test_an_asset_says_when_it_got_its_newest_event(browser: Browser, product: Product) -> None:
    product.run("across_write_orders")
    with visit(browser, product) as seen:
        seen.log_in("/dependencies/graph?find=across_orders")
        page = seen.page
        expect(page.locator(".graph-node.graph-chosen")).to_contain_text("ago")
        details = page.get_by_role("region", name="The chosen node")
        expect(details).to_contain_text("Last event")
        expect(details).to_contain_text("not older than what it is made of")
        expect(details).to_contain_text("across_write_orders")  # who writes it
        expect(details).to_contain_text("across_sales")  # whom it schedules
        seen.check()
