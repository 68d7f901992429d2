"""A run and a task in the browser: why, acts with a preview, instances, tries, XComs, a question."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.task_dags import FILES
from tests.page.visit import SIZES, choose_act, visit

GROUPED = "/dags/grouped/runs/one"


@pytest.fixture(scope="session")
def ready(product: Product) -> Product:
    """The DAGs of these tests, each with a run `one`."""
    for name in ("grouped.py", "starved.py", "deploys.py"):
        product.write(name, FILES[name])
    product.do("pools", "set", "starved_pool", "0", "none")
    for dag_id in ("grouped", "starved", "deploys"):
        product.has_dag(dag_id)
        product.do("dags", "trigger", dag_id, "--run-id", "one")
    product.write("rendered.py", FILES["rendered.py"])
    product.has_dag("rendered")
    product.do("dags", "trigger", "rendered", "--run-id", "one", "--logical-date", "2026-03-01")
    for dag_id in ("grouped", "rendered"):
        product.ended(dag_id, "one")
    return product


def test_why_a_task_is_not_scheduled_is_a_tree_whose_button_releases_it(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in("/dags/starved/runs/one/tasks/after")
        page = seen.page
        why = page.get_by_role("region", name="Why", exact=True)
        expect(why).to_contain_text("trigger rule all_success waits for all upstream tasks to succeed")
        expect(why).not_to_contain_text("pool starved_pool has 0")
        why.get_by_role("button", name="All conditions").click()
        expect(why).to_contain_text("pool starved_pool has 0")
        seen.check()
        why.get_by_role("button", name="Set the pool").first.click()
        expect(page.get_by_label("What this does")).to_contain_text("Sets pool starved_pool to 1 slot,")
        page.get_by_role("button", name="Do it").click()
        expect(page.locator("h1 + .badge")).to_contain_text("success")
        said = page.get_by_role("status").filter(has_text="Done: Sets pool starved_pool to 1 slot")
        expect(said).to_be_visible()
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_thousands_of_steps_fold_to_counts_and_only_failed_shows_what_is_left(
    browser: Browser, ready: Product, size: str
) -> None:
    with visit(browser, ready, size) as seen:
        seen.log_in(GROUPED)
        page = seen.page
        expect(page.get_by_role("status").filter(has_text="62 task instances")).to_be_visible()
        expect(page.get_by_label("Task instances")).to_contain_text("59 success")
        page.get_by_role("button", name="load", exact=False).first.click()
        instances = page.get_by_label("Task instances")
        expect(instances.get_by_role("link", name="load.give")).to_be_visible()
        seen.check()
        page.get_by_role("button", name="failed 1", exact=True).click()
        expect(page).to_have_url(re.compile("only=failed"))
        expect(instances.get_by_role("link", name="each [7]")).to_be_visible()
        seen.check()
        seen.open(f"{GROUPED}?state=!success&toggled=%5B%22t%3Aeach%22%5D")
        expect(page.get_by_role("status").filter(has_text="1 of 62 task instances")).to_be_visible()
        page.reload()
        page.get_by_role("button", name="Filters (1 set)").click()
        expect(page.get_by_label("State: not this")).to_be_checked()


IN_A_ROW = """
from airflow.sdk import DAG, task

with DAG("in_a_row", schedule=None):

    @task
    def step():
        print("done")

    step()
"""


@pytest.mark.parametrize("size", SIZES)
def test_a_run_leads_to_the_run_before_and_the_one_after_in_the_same_view(
    browser: Browser, ready: Product, size: str
) -> None:
    ready.write("in_a_row.py", IN_A_ROW)
    ready.has_dag("in_a_row")
    for name in ("first", "second", "third"):
        ready.do("dags", "trigger", "in_a_row", "--run-id", f"{name}_{size}")
    with visit(browser, ready, size) as seen:
        seen.log_in(f"/dags/in_a_row/runs/second_{size}/gantt")
        page = seen.page

        def go(name: str) -> None:
            if size == "narrow":
                choose_act(page, name)
            else:
                page.get_by_role("navigation", name="Runs beside this one").get_by_role("link", name=name).click()

        go("Previous run")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"first_{size}")
        expect(page).to_have_url(re.compile(f"/first_{size}/gantt$"))
        go("Next run")
        expect(page).to_have_url(re.compile(f"/second_{size}/gantt$"))
        seen.check()
        go("Next run")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"third_{size}")
        go("Previous run")
        expect(page).to_have_url(re.compile(f"/second_{size}/gantt$"))
        seen.check()


def test_a_whole_group_is_marked_after_a_preview_that_lists_exactly_what_changes(
    browser: Browser, ready: Product
) -> None:
    ready.do("dags", "trigger", "grouped", "--run-id", "marked")
    ready.ended("grouped", "marked")
    with visit(browser, ready) as seen:
        seen.log_in("/dags/grouped/runs/marked/tasks/load.give")
        page = seen.page
        choose_act(page, re.compile("^Mark as skipped"))
        preview = page.get_by_label("What the act touches")
        expect(preview.get_by_role("listitem")).to_have_count(1)
        preview.get_by_label("the whole group").check()
        expect(preview.get_by_role("listitem")).to_have_count(2)
        expect(preview).to_contain_text("load.fail_once")
        seen.check()
        page.get_by_role("button", name="Mark them").click()
        expect(page.locator("h1 + .badge")).to_contain_text("skipped")


def test_the_tries_stand_side_by_side_with_their_logs(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(f"{GROUPED}/tasks/load.fail_once?part=tries")
        page = seen.page
        expect(page.get_by_role("columnheader", name="2", exact=True)).to_be_visible()
        seen.check()
        page.get_by_role("button", name="Compare the logs").click()
        expect(page.get_by_role("log")).to_have_count(2)
        expect(page.get_by_role("log").first).to_contain_text("the first try fails")
        expect(page.get_by_role("log").nth(1)).not_to_contain_text("the first try fails")
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_xcoms_are_trees_and_hostile_ones_stay_text(browser: Browser, ready: Product, size: str) -> None:
    with visit(browser, ready, size, "dark") as seen:
        seen.log_in(f"{GROUPED}/tasks/load.give?part=xcoms")
        page = seen.page
        page.get_by_role("button", name="rows").click()
        page.get_by_role("button", name="object with 2 keys").first.click()
        expect(page.get_by_text("<b>name</b> 0")).to_be_visible()
        expect(page.get_by_role("button", name="show all 10,000 characters")).to_be_visible()
        expect(page.get_by_role("button", name="show more of 300")).to_be_visible()
        seen.check()


def test_a_mapped_task_lists_its_instances_and_what_failed(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in(f"{GROUPED}/tasks/each?only=failed")
        expect(seen.page.get_by_role("link", name="each [7]")).to_be_visible()
        expect(seen.page.get_by_label("Task instances").get_by_role("link")).to_have_count(1)
        seen.check()


@pytest.mark.parametrize("size", SIZES)
def test_a_note_is_written_on_a_run(browser: Browser, ready: Product, size: str) -> None:
    with visit(browser, ready, size) as seen:
        seen.log_in(GROUPED)
        page = seen.page
        choose_act(page, re.compile("note"))
        page.get_by_role("textbox", name="Note").fill(f"<i>looked at</i> {size}")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".note-text")).to_have_text(f"<i>looked at</i> {size}")
        seen.check()


def test_a_run_that_waits_for_a_person_leads_once_to_the_form(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in("/dags/deploys/runs/one")
        why = seen.page.get_by_label("Why", exact=True)
        expect(why).to_contain_text("Deploy on Friday?")
        expect(why.get_by_role("link", name="Answer", exact=True)).to_have_count(1)
        expect(why).not_to_contain_text("answer with")
        seen.check()
        why.get_by_role("link", name="Answer", exact=True).click()
        expect(seen.page.get_by_label("Question: ")).to_contain_text("Deploy on Friday?")


def test_a_person_answers_a_question_where_the_task_is(browser: Browser, ready: Product) -> None:
    with visit(browser, ready) as seen:
        seen.log_in("/dags/deploys/runs/one/tasks/ask")
        page = seen.page
        question = page.get_by_label("Question: ")
        expect(question).to_contain_text("Deploy on Friday?")
        seen.check()
        question.get_by_label("hosts").fill("many")
        question.get_by_label("yes").check()
        question.get_by_role("button", name="Send the answer").click()
        expect(question.get_by_role("alert")).to_contain_text("hosts")
        question.get_by_label("hosts").fill("3")
        question.get_by_role("button", name="Send the answer").click()
        expect(page.get_by_label("Question: ")).to_contain_text("Answered by admin: yes")
        expect(page.locator("h1 + .badge")).to_contain_text("success")


@pytest.mark.parametrize("size", SIZES)
def test_templates_are_shown_as_the_last_attempt_rendered_them(browser: Browser, ready: Product, size: str) -> None:
    with visit(browser, ready, size) as seen:
        seen.log_in("/dags/rendered/runs/one/tasks/say?part=details")
        page = seen.page
        expect(page.get_by_role("heading", name="Rendered templates")).to_be_visible()
        expect(page.locator("details", has_text="bash_command").locator("pre")).to_have_text(
            "echo '<b>2026-03-01</b>' && exit 1 # " + "x" * 400
        )
        expect(page.locator("details", has_text="env")).to_contain_text("***")
        expect(page.locator("body")).not_to_contain_text("a value that stays here")
        seen.check()
    with visit(browser, ready, size) as seen:
        seen.log_in("/dags/rendered/runs/one/tasks/each?map=1&part=details")
        expect(seen.page.locator("details", has_text="op_kwargs")).to_contain_text("two of 2026-03-01")
