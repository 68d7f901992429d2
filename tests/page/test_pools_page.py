"""Pools, limits and triggers in the page: who holds, who waits, and what is changed there."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import visit


def test_a_pool_and_a_limit_name_who_holds_and_who_waits(browser: Browser, settled: Product) -> None:
    with visit(browser, settled, "narrow") as seen:
        seen.log_in("/pools")
        page = seen.page
        pool = page.get_by_role("row", name="Pool narrow")
        expect(pool).to_contain_text("1 of 2 used")
        pool.get_by_role("button", name="2 wait").click()
        sheet = page.get_by_role("dialog", name="Pool narrow")
        expect(sheet.get_by_role("link", name="hold [1]")).to_be_visible()
        expect(page).to_have_url(re.compile("open=narrow"))
        seen.check()
        sheet.get_by_role("button", name="Close").click()
        runs = page.get_by_role("row").filter(has_text="max_active_runs=1").filter(has_text="limited").first
        runs.locator("summary").last.click()
        expect(runs.get_by_role("link", name="later")).to_be_visible()
        tasks = page.get_by_role("row").filter(has_text="max_active_tis_per_dag=1 of task hold")
        expect(tasks.locator("summary").last).to_have_text("2")
        expect(page.get_by_text("slots are free")).to_be_visible()
        seen.check()


def test_a_pool_is_created_changed_and_deleted_after_a_question_that_names_it(
    browser: Browser, settled: Product
) -> None:
    with visit(browser, settled) as seen:
        seen.log_in("/pools")
        page = seen.page
        page.get_by_role("button", name="New pool").click()
        page.get_by_label("Name", exact=True).fill("small")
        page.get_by_label("Slots (-1").fill("3")
        page.get_by_role("button", name="Save").click()
        pool = page.get_by_role("row", name="Pool small")
        expect(pool).to_contain_text("0 of 3 used")
        pool.get_by_role("button", name="Edit pool small").click()
        page.get_by_label("Slots (-1").fill("-1")
        page.get_by_role("button", name="Save").click()
        expect(pool).to_contain_text("no limit")
        expect(page.get_by_role("button", name="Delete pool narrow")).to_be_disabled()
        page.get_by_role("button", name="Delete pool small").click()
        expect(page.get_by_role("dialog")).to_contain_text("Delete the pool small?")
        seen.check()
        page.get_by_role("button", name="Keep it").click()
        expect(pool).to_be_visible()
        page.get_by_role("button", name="Delete pool small").click()
        page.get_by_role("button", name="Delete the pool").click()
        expect(pool).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(pool).to_contain_text("no limit")


def test_a_pool_on_another_page_of_the_list_is_reached_from_what_tasks_wait_for(
    browser: Browser, settled: Product
) -> None:
    other = {
        "name": "another",
        "slots": 1,
        "occupied_slots": 0,
        "running_slots": 0,
        "queued_slots": 0,
        "scheduled_slots": 0,
        "open_slots": 1,
        "deferred_slots": 0,
        "description": None,
        "include_deferred": False,
    }
    with visit(browser, settled) as seen:
        page = seen.page
        page.route(
            re.compile(r"/api/v2/pools\?"), lambda route: route.fulfill(json={"pools": [other], "total_entries": 51})
        )
        seen.log_in("/pools")
        expect(page.get_by_role("row", name="Pool another")).to_be_visible()
        expect(page.get_by_role("row", name="Pool narrow")).to_have_count(0)
        page.get_by_text(re.compile("waited for:")).get_by_role("link", name="narrow").click()
        expect(page.get_by_role("row", name="Pool narrow")).to_contain_text("2 wait")
        expect(page.get_by_role("row", name="Pool another")).to_have_count(0)
        seen.check()
        page.get_by_role("link", name="All pools").click()
        expect(page.get_by_role("row", name="Pool another")).to_be_visible()


def test_deferred_tasks_show_their_trigger_its_triggerer_and_which_trigger_blocked_the_others(
    browser: Browser, settled: Product
) -> None:
    with visit(browser, settled, "wide", "dark") as seen:
        seen.log_in("/triggers?dag=waits")
        page = seen.page
        file = page.get_by_role("row").filter(has_text="FileTrigger")
        expect(file).to_contain_text("/nowhere/data.csv")
        expect(file).to_contain_text("then it fails")
        expect(page.get_by_role("row").filter(has_text="DateTimeTrigger")).to_contain_text("timer of the scheduler")
        expect(page.get_by_role("row")).to_have_count(3)
        seen.check()
        seen.open("/triggers")
        blocked = page.get_by_role("region", name="Triggers that held up others")
        blocked.locator("summary").filter(has_text="SleepingTrigger").first.click()
        expect(blocked.locator("pre").first).to_contain_text("time.sleep(1.5)")
        expect(blocked.get_by_role("link", name="sleep").first).to_be_visible()
        seen.check()
