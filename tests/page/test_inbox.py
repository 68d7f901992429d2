"""Questions to people in the page: the inbox, its count, answers and their history."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import visit


def test_questions_that_wait_are_counted_in_the_navigation_and_those_for_me_come_first(
    browser: Browser, settled: Product
) -> None:
    with visit(browser, settled, "narrow", "dark") as seen:
        seen.log_in("/inbox")
        page = seen.page
        expect(page.locator("h2").first).to_have_text("For you")
        mine = page.get_by_role("group", name="Question: Publish the report of March?")
        expect(mine.first).to_contain_text("<b>not markup</b>")
        expect(page.get_by_role("group", name="Question: Which region?").first).to_be_visible()
        page.get_by_role("button", name="Pages").click()
        expect(page.get_by_role("link", name="Questions to people")).to_contain_text("questions wait")
        page.keyboard.press("Escape")
        seen.check()


def test_an_answer_with_params_leaves_the_inbox_at_once_and_is_in_the_history(
    browser: Browser, settled: Product
) -> None:
    settled.do("dags", "trigger", "asks", "--run-id", "answered")
    settled.until(lambda: settled.tasks("asks", "answered")["choose"]["state"] == "awaiting_input", "the task asks")
    with visit(browser, settled) as seen:
        seen.log_in("/inbox")
        page = seen.page
        asked = (
            page.get_by_role("article")
            .filter(has=page.get_by_role("link", name="answered"))
            .filter(has_text="Which region?")
        )
        asked.get_by_label("rows").fill("7")
        asked.get_by_label("south").check()
        asked.get_by_role("button", name="Send the answer").click()
        expect(asked).to_have_count(0)
        page.get_by_role("link", name="Answered", exact=True).click()
        row = page.get_by_role("row").filter(has_text="Which region?")
        expect(row).to_contain_text("south")
        expect(row).to_contain_text('"rows":7')
        expect(row).to_contain_text("admin")
        seen.check()
