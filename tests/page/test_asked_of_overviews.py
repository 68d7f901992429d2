"""What people asked of the overviews of other schedulers: what failed, counts, the time line, big graphs, tooltips. One test for each thing."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import visit


def test_what_failed_in_the_last_day_is_by_its_end_and_what_healed_stands_apart(
    browser: Browser, home_dags: Product
) -> None:
    home_dags.run(
        "home_broken", "--run-id", "of_last_year", "--logical-date", "2025-03-01", "--conf", '{"fails": true}'
    )
    with visit(browser, home_dags) as seen:
        seen.log_in()
        page = seen.page
        failed = page.get_by_role("region", name="Failed")
        broken, healed = (
            failed.locator("h3", has_text=text).locator("xpath=following-sibling::ul[1]")
            for text in ("still broken", "succeeded since")
        )
        expect(broken.get_by_role("link", name="of_last_year")).to_have_count(1)
        expect(healed).to_contain_text("healed by good_since")
        expect(healed).not_to_contain_text("home_broken")
        page.get_by_role("link", name="All failed runs of this time").click()
        expect(page.get_by_role("link", name="of_last_year")).to_be_visible()
        seen.check()


def test_each_count_of_the_list_of_dags_leads_to_as_many_runs(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in("/dags?search=home_healed")
        page = seen.page
        counts = page.get_by_role("group", name="all runs").get_by_role("link")
        expect(counts).to_have_count(2)
        names = counts.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        assert [name.split(",")[0] for name in names] == ["1 failed", "1 success"]
        for name in names:
            page.get_by_role("link", name=name).click()
            expect(page.locator("tbody tr")).to_have_count(int(name.split()[0]))
            expect(page.locator("tbody .badge")).to_contain_text([name.split()[1].rstrip(",")])
            page.go_back()
        seen.check()


GROUPS = {
    "tag": "home_dense",
    "owner": "home_ann",
    "folder": "dags",
    "pool": "default_pool",
    "state": "failed",
    "dag": "home_dense",
}


def test_the_time_line_is_grouped_in_the_address_by_what_people_ask_for(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in()
        for group, row in GROUPS.items():
            seen.open(f"/?group={group}")
            expect(seen.page.get_by_role("region", name="Time line").get_by_role("row", name=row).first).to_be_visible()
        seen.check()


def test_a_big_graph_is_seen_at_once_folded_opens_in_place_and_is_acted_on_without_its_nodes(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/dags/asked_big/graph")
        page = seen.page
        picture = page.get_by_role("group", name="Picture of the graph")
        expect(picture).to_contain_text("part_0")
        expect(page.get_by_text("600 tasks · 30 groups")).to_be_visible()
        assert picture.locator(".graph-node").count() < 200
        page.get_by_role("searchbox", name="Search").fill("part_3.step_7")
        chosen = page.get_by_role("region", name="The chosen node")
        expect(chosen).to_contain_text("part_3")
        chosen.get_by_role("button", name="Open the group").click()
        expect(page).to_have_url(re.compile("open=.*part_3"))
        expect(chosen).to_contain_text("part_3.step_7")  # the search goes on to the task, which the open group shows
        seen.check()
        page.get_by_role("button", name="Close", exact=True).click()
        page.get_by_role("link", name="Run it …").click()
        expect(page.get_by_role("button", name="Run now")).to_be_visible()


def test_a_tooltip_opens_on_focus_stays_while_hovered_and_a_command_of_a_sentence_is_a_link(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/dags?search=asked_late")
        page = seen.page
        tip = page.get_by_role("button", name="Every hour")
        tip.focus()
        words = page.get_by_role("dialog", name="What the schedule of asked_late means")
        expect(words).to_be_visible()
        words.hover()
        expect(words).to_be_visible()
        seen.open("/")
        late = (
            page.locator("section")
            .filter(has=page.get_by_role("heading", name="Late", exact=True))
            .locator("li", has_text="asked_late")
        )
        expect(late.first).not_to_contain_text("gnomon explain")
        late.first.get_by_role("link", name="the page of the DAG").click()
        expect(page).to_have_url(re.compile("/dags/asked_late"))
        seen.check()


def test_a_dag_and_a_task_lead_to_all_of_their_runs_and_a_run_to_its_graph_and_back(
    browser: Browser, asked: Product
) -> None:
    with visit(browser, asked) as seen:
        seen.log_in("/dags/asked_steps")
        page = seen.page
        page.get_by_role("button", name="More acts").click()
        page.get_by_role("menuitem", name="All runs of this DAG").click()
        expect(page).to_have_url(re.compile(r"/runs\?dag_id=asked_steps"))
        page.get_by_role("link", name="one", exact=True).click()
        page.get_by_role("button", name="Graph", exact=True).click()
        page.get_by_role("link", name="Graph in the whole window").click()
        expect(page).to_have_url(re.compile("/dags/asked_steps/graph.*run=one"))
        page.get_by_role("link", name="Open the run").click()
        expect(page).to_have_url(re.compile("/dags/asked_steps/runs/one"))
        seen.open("/dags/asked_steps/runs/one/tasks/load.give")
        page.get_by_role("button", name="More acts").first.click()
        page.get_by_role("menuitem", name="This task in all runs").click()
        expect(page.locator("tbody tr")).to_have_count(1)
        expect(page.get_by_role("link", name="load.give", exact=True)).to_be_visible()
        page.go_back()
        seen.check()
