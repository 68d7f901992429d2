"""What people asked of the pages of other schedulers, one test for each thing. Further parts of them are in the tests of the single pages."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.acceptance.product import Product
from tests.page.asked_dags import LONG_NAME
from tests.page.visit import choose_act, visit

RUN = "/dags/asked_steps/runs/one"


def _choose_zone(page: Page, name: str) -> None:
    page.get_by_role("button", name="Display").click()
    page.get_by_role("radio", name=name).check()
    page.keyboard.press("Escape")


def test_why_a_task_is_not_scheduled_stands_beside_its_state_on_home_run_and_task(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in(f"{RUN}/tasks/wait")
        page = seen.page
        expect(page.locator("h1 + .badge")).to_contain_text("scheduled")
        expect(page.get_by_role("region", name="Why", exact=True)).to_contain_text("pool asked_none has 0")
        seen.open(RUN)
        expect(page.get_by_role("region", name="Why", exact=True)).to_contain_text("pool asked_none has 0")
        seen.open("/")
        expect(
            page.locator("section")
            .filter(has=page.get_by_role("heading", name="Blocked"))
            .locator("li", has_text="asked_steps")
        ).to_contain_text("asked_none")
        seen.check()


def test_a_grid_answers_clicks_without_a_request(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/dags/asked_steps")
        page = seen.page
        grid = page.get_by_role("grid", name="Runs and tasks")
        expect(grid.get_by_role("gridcell", name="load.give, one: success")).to_be_visible()
        sent: list[str] = []
        page.on(
            "request",
            lambda request: (
                sent.append(request.url) if "/grid" in request.url or "taskInstances" in request.url else None
            ),
        )
        grid.get_by_role("rowheader", name="load").first.click()
        expect(grid.get_by_role("gridcell", name="load, one: 2 success")).to_be_visible()
        grid.get_by_role("rowheader", name="load").first.click()
        expect(grid.get_by_role("gridcell", name="load.give, one: success")).to_be_visible()
        page.get_by_role("group", name="Controls of the grid").get_by_role("button", name="failed").click()
        expect(grid.get_by_role("gridcell", name=re.compile("load.give"))).to_have_count(0)
        assert sent == []


def test_a_log_of_thousands_of_lines_is_searched_copied_and_paged_and_a_long_line_is_cut(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in(f"{RUN}/tasks/load.give")
        page = seen.page
        log = page.get_by_role("log")
        expect(log).to_contain_text("row 3999")
        assert log.locator(".log-line").count() < 500
        log.focus()
        page.keyboard.press("Home")
        expect(log.get_by_role("button", name="show the line")).to_be_visible()
        page.get_by_role("searchbox", name="Search").fill("row 39")
        expect(page.get_by_label("Matches", exact=True)).to_contain_text("111 lines match")
        page.get_by_role("button", name="next match").click()
        expect(log.locator("mark").first).to_be_in_viewport()
        seen.check()


def test_filters_are_on_every_column_are_negated_survive_and_have_a_default(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/tasks?dag=asked_steps&task=load.give")
        page = seen.page
        line = page.get_by_role("link", name="load.give", exact=True)
        expect(line).to_be_visible()
        page.get_by_role("button", name="Filters", exact=True).click()
        for label, other in (
            ("Queue", "default"),
            ("Pool", "asked_none"),
            ("Operator", "BashOperator"),
            ("Map index", "3"),
            ("Run", "two"),
        ):
            page.get_by_label(label, exact=True).fill(other)
            expect(page.get_by_text("No task instance fits these filters.")).to_be_visible()
            page.get_by_label(f"{label}: not this").check()
            expect(line).to_be_visible()
            expect(page).to_have_url(re.compile(f"!{other}|%21{other}"))
            page.get_by_label(label, exact=True).fill("")
            expect(page).not_to_have_url(re.compile(f"(=|!|%21){other}"))
        page.get_by_label("Queue", exact=True).fill("asked_queue")
        expect(page).to_have_url(re.compile("queue=asked_queue"))
        expect(line).to_be_visible()
        seen.check()
        page.get_by_role("button", name="Views").click()
        page.get_by_label("Save this view as").fill("asked queue")
        page.get_by_role("button", name="Save", exact=True).click()
        with page.expect_response(
            lambda reply: reply.request.method == "PUT" and '"is_default":true' in (reply.request.post_data or "")
        ):
            page.get_by_label("default", exact=True).check()
        page.keyboard.press("Escape")
        page.reload()
        expect(line).to_be_visible()
        page.get_by_label("Pages", exact=True).get_by_role("link", name="DAGs").click()
        seen.open("/tasks")
        expect(page).to_have_url(re.compile("queue=asked_queue"))
        seen.delete_views()
        seen.open("/runs?dag=asked_")
        page.get_by_role("button", name="Filters", exact=True).click()
        page.get_by_label("Timetable", exact=True).select_option("NullTimetable")
        page.keyboard.press("Escape")
        expect(page.get_by_role("link", name="asked_late")).to_have_count(0)
        expect(page.get_by_role("link", name="one", exact=True)).to_be_visible()
        page.get_by_role("button", name="Turn round: Timetable is NullTimetable").click()
        expect(page.get_by_role("link", name="asked_late")).to_be_visible()
        expect(page.get_by_role("link", name="one", exact=True)).to_have_count(0)
        seen.check()
        seen.open("/dags?unscheduled=true&search=asked_")
        expect(page.get_by_role("link", name="asked_steps", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="asked_zone", exact=True)).to_have_count(0)


def test_a_time_of_a_filter_is_of_the_chosen_zone(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/dags/asked_zone?from=2026-01-01T15:00:00Z")
        page = seen.page
        filters = page.get_by_role("button", name=re.compile("^Filters"))
        filters.click()
        expect(page.get_by_label("due from", exact=True)).to_have_value("2026-01-01")
        page.keyboard.press("Escape")
        _choose_zone(page, "Zone of the DAG")
        filters.click()
        expect(page.get_by_label("due from", exact=True)).to_have_value("2026-01-02")
        page.get_by_label("due from", exact=True).fill("2026-01-03")
        expect(page).to_have_url(re.compile("from=.*2026-01-02T15(:|%3A)00(:|%3A)00Z"))
        seen.open("/audit")
        _choose_zone(page, "UTC")
        filters.click()
        page.get_by_label("After", exact=True).fill("2026-01-03T04:05")
        expect(page).to_have_url(re.compile("after=.*2026-01-03T04(:|%3A)05(:|%3A)00Z"))
        seen.open("/runs?from=2026-01-03T04:05:00Z")
        filters.click()
        expect(page.get_by_label("from", exact=True)).to_have_value("2026-01-03T04:05")


def test_late_runs_are_listed_with_by_how_much(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in()
        page = seen.page
        late = (
            page.locator("section")
            .filter(has=page.get_by_role("heading", name="Late", exact=True))
            .locator("li", has_text="asked_late")
        )
        expect(late.first).to_contain_text(re.compile(r"\d+ (d|h)"))
        seen.open("/dags?late=true&search=asked_")
        row = page.locator("tbody tr", has_text="asked_late")
        expect(row).to_contain_text(re.compile("late, due .*(day|month|hour)s? ago|late, due"))
        expect(page.get_by_role("link", name="asked_steps", exact=True)).to_have_count(0)
        seen.check()
        page.get_by_role("button", name="Turn round: late").click()
        expect(page.get_by_role("link", name="asked_steps", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="asked_late", exact=True)).to_have_count(0)


def test_what_is_left_to_do_is_shown_among_many_mapped_tasks(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in(RUN)
        page = seen.page
        expect(page.get_by_role("status").filter(has_text="153 task instances")).to_be_visible()
        expect(page.get_by_label("Task instances")).to_contain_text("149 success")
        assert page.locator(".task-line").count() < 10
        page.get_by_role("button", name="unfinished 1", exact=True).click()
        expect(page.get_by_label("Task instances").get_by_role("link")).to_have_count(1)
        expect(page.get_by_label("Task instances").get_by_role("link", name="wait")).to_be_visible()
        page.get_by_role("button", name="failed 1", exact=True).click()
        expect(page.get_by_label("Task instances").get_by_role("link", name="each [7]")).to_be_visible()
        seen.check()


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_long_name_is_whole_in_the_graph_and_in_the_grid_on_hover(
    browser: Browser, asked: Product, size: str
) -> None:
    with visit(browser, asked, size) as seen:
        seen.log_in("/dags/asked_steps")
        page = seen.page
        expect(page.locator(f'[role=rowheader][title="load.{LONG_NAME}"]')).to_have_count(1)
        seen.open("/dags/asked_steps/graph")
        page.get_by_role("searchbox", name="Search").fill(LONG_NAME)
        if size == "narrow":  # the sheet covers a narrow window: it opens with a press
            page.locator(".graph-chosen").click()
        chosen = page.get_by_role("region", name="The chosen node")
        expect(chosen).to_contain_text(f"load.{LONG_NAME}")
        expect(chosen.get_by_role("button", name=re.compile("[Cc]opy"))).to_be_visible()
        texts = page.get_by_role("group", name="Picture of the graph").locator("text").all_text_contents()
        assert LONG_NAME in re.sub(r"\s", "", "".join(texts)), texts
        seen.check()


def test_a_calendar_without_runs_has_the_planned_runs_of_the_zone_of_its_cron(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/dags/asked_zone/calendar?year=2027&day=2027-03-10")
        page = seen.page
        _choose_zone(page, "UTC")
        expect(page.get_by_role("button", name=re.compile("2027-03-10.*1 slot planned"))).to_be_visible()
        expect(page.get_by_role("complementary")).to_contain_text("21:30")
        _choose_zone(page, "Zone of the DAG")
        expect(page.get_by_role("complementary")).to_contain_text("06:30")
        seen.check()


def test_a_whole_group_a_mapped_task_and_what_is_downstream_are_cleared_after_a_preview(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in(f"{RUN}/tasks/load.give")
        page = seen.page
        choose_act(page, re.compile("^Mark as skipped"))
        preview = page.get_by_label("What the act touches")
        for scope, count in (("the whole group", 2), ("downstream tasks", 2)):
            expect(preview.get_by_role("listitem")).to_have_count(1)
            preview.get_by_label(scope, exact=True).check()
            expect(preview.get_by_role("listitem")).to_have_count(count)
            preview.get_by_label(scope, exact=True).uncheck()
        for scope in ("upstream tasks", "earlier runs", "later runs"):
            expect(preview.get_by_label(scope, exact=True)).to_be_visible()
        seen.open(f"{RUN}/tasks/each?map=7")
        page.get_by_role("button", name="Run again").click()
        expect(preview.get_by_role("listitem")).to_have_count(1)
        preview.get_by_label("all map indexes").check()
        expect(preview.get_by_role("listitem")).to_have_count(150)
        seen.check()


def test_a_gantt_chart_of_a_running_run_has_waiting_and_running_parts_of_one_bar(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in(f"{RUN}/gantt?task=give")
        page = seen.page
        chart = page.get_by_role("region", name="Gantt chart")
        expect(chart.get_by_role("link")).to_have_count(1)
        expect(chart.get_by_role("link", name=re.compile("load.give, success"))).to_be_visible()
        page.get_by_label("Task", exact=True).fill("wait")
        expect(chart.get_by_role("link", name=re.compile("wait, scheduled"))).to_be_visible()
        expect(chart.get_by_role("link")).to_have_count(1)
        seen.check()


def test_options_of_a_view_hold_after_a_reload_and_durations_are_in_words(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/tasks?dag=asked_steps&task=load.give")
        page = seen.page
        expect(page.locator('td[data-label="Duration"]')).to_contain_text(re.compile(r"\d (ms|s|min)"))
        _choose_zone(page, "UTC")
        seen.open("/dags/asked_steps?runs=50&fold=load")
        page.reload()
        expect(page.get_by_role("gridcell", name="load, one: 2 success")).to_be_visible()
        page.get_by_role("button", name="Display").click()
        expect(page.get_by_role("radio", name="UTC")).to_be_checked()


def test_documentation_in_markdown_is_rendered_without_html_and_with_safe_links(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/dags/asked_steps/details")
        text = seen.page.locator(".markdown-text")
        expect(text.locator("strong")).to_have_text("bold")
        expect(text.get_by_role("link")).to_have_count(1)
        expect(text.get_by_role("link", name="good")).to_have_attribute("href", "https://example.org/a")
        expect(text).to_contain_text("<img src=x onerror=alert(1)>")
        seen.check()


def test_late_runs_are_a_filter_and_a_column_of_the_list_of_runs(browser: Browser, asked: Product) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/runs?dag=asked_")
        page = seen.page
        page.get_by_role("button", name="late", exact=True).click()
        expect(page).to_have_url(re.compile("late=true"))
        expect(page.get_by_role("button", name="Turn round: late")).to_be_visible()
        expect(page.get_by_role("link", name="one", exact=True)).to_have_count(0)
        seen.check()
        page.get_by_role("button", name="Turn round: late").click()
        expect(page.get_by_role("link", name="one", exact=True)).to_be_visible()


@pytest.mark.parametrize(
    "place", ["/tasks?dag=asked_steps&task=wait", RUN, f"{RUN}/gantt?task=wait", "/dags/asked_steps/graph?find=wait"]
)
def test_why_a_task_waits_opens_beside_its_state_in_lists_graph_and_chart(
    browser: Browser, asked: Product, place: str
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in(place)
        page = seen.page
        if place == RUN:
            page.get_by_role("button", name="unfinished 1", exact=True).click()
        page.get_by_role("button", name="why does wait wait?").first.click()
        expect(page.get_by_role("dialog", name="Why wait waits")).to_contain_text("pool asked_none has 0")
        seen.check()
