"""Things that a user does on the first day, each from the home page by what the page offers, with the clicks that it takes.

`pytest -s` prints the clicks. `GNOMON_PAGE_SCREENSHOTS` names a folder for a screenshot of each thing; without it, none is taken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.acceptance.product import product as run_product
from tests.page.first_day_dags import Client, Dates, await_dates, let_sales_arrive, let_sales_end, prepare
from tests.page.visit import PASSWORD, SIZES, Visit, choose_act, visit

from gnomon.api.page_files import find_page_files

SCREENSHOTS = os.environ.get("GNOMON_PAGE_SCREENSHOTS")
"""Read now: no test sees the variables of the shell that begin so."""
COUNTER = """
const filled = new WeakSet();
const count = (name) => sessionStorage.setItem(name, Number(sessionStorage.getItem(name)) + 1);
document.addEventListener("pointerdown", () => count("clicks"), true);
document.addEventListener("input", ({ target }) => {
  if (["checkbox", "radio"].includes(target.type) || filled.has(target)) return;
  filled.add(target);
  count("fields");
}, true);
"""
"""Counts what the mouse presses, and the fields that are filled, also across loads of the page."""


@pytest.fixture
def dates() -> Dates:
    return await_dates()


@pytest.fixture
def deployment(dates: Dates, size: str) -> Iterator[Product]:
    """A standalone with the DAGs of the first day and nothing else."""
    if find_page_files().index is None:
        pytest.skip(f"there is no page in this installation: {find_page_files().reason}")
    with run_product({}, {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False"}) as running:
        running.do("users", "reset-password", "admin", "--password", PASSWORD)
        prepare(running, Client(running, PASSWORD), size, dates)
        yield running


class Day:
    """The visit of a user, thing by thing: what each took, and how it looked."""

    def __init__(self, seen: Visit, size: str, folder: Path | None) -> None:
        self.seen, self.page, self.size = seen, seen.page, size
        self.took: list[tuple[str, int, int]] = []
        self._folder = folder
        self._menus = 0
        """How often the menu with all pages was opened, which stands for the links of a wide window: a click more for each."""
        self.page.add_init_script(COUNTER)

    def name(self, word: str) -> str:
        """The id of a DAG or pool of this size."""
        return f"{word}_{self.size}"

    @contextmanager
    def thing(self, words: str, clicks: int, *, goes_on: bool = False) -> Iterator[None]:
        """One thing: it takes at most so many clicks from the home page, or from where the last thing ended if it goes on from there."""
        if not goes_on:
            self.go("Home")
        self._read_counts()
        self._menus = 0
        yield
        took, fields = self._read_counts()
        self.took.append((words, took, fields))
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)
        if self._folder is not None:
            is_whole = (
                self.page.get_by_role("log").count() == 0
            )  # a picture of the whole page would move a log to its first line
            self.page.screenshot(path=self._folder / f"{len(self.took):02}-{self.size}.png", full_page=is_whole)
        self.seen.check()
        most = clicks + self._menus
        assert took <= most, f"{words}: {took} clicks, at most {most} are needed"

    def _read_counts(self) -> tuple[int, int]:
        """The clicks and the fields since the last call."""
        clicks, fields = self.page.evaluate(
            "['clicks', 'fields'].map(name => { const count = Number(sessionStorage.getItem(name)); sessionStorage.removeItem(name); return count; })"
        )
        return clicks, fields

    def go(self, *names: str) -> None:
        """Press the menus and the link of the navigation with these names, and wait for its page."""
        if self.size == "narrow":  # one menu has all pages
            self.page.get_by_role("button", name="Pages", exact=True).click()
            self._menus += 1
        pages = self.page.get_by_role("navigation", name="Pages", exact=True)
        for name in names[:-1] if self.size == "wide" else ():
            pages.get_by_role("button", name=name).click()
        pages.get_by_role("link", name=re.compile(f"^{names[-1]}")).click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text(names[-1])

    def open_dag(self, dag_id: str) -> None:
        """Open a DAG by the list of DAGs."""
        self.go("DAGs")
        self.page.get_by_role("link", name=dag_id, exact=True).click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text(dag_id)

    def table(self) -> str:
        """What each thing took, as text."""
        return "\n".join(
            [
                f"\n{self.size}: clicks, fields, thing",
                *(
                    f"{clicks:3} {fields:3}  {number:2} {words}"
                    for number, (words, clicks, fields) in enumerate(self.took, 1)
                ),
            ]
        )


@pytest.mark.parametrize("size", SIZES)
def test_the_things_of_a_first_day_take_few_clicks_each(
    browser: Browser, deployment: Product, dates: Dates, size: str
) -> None:
    folder = Path(SCREENSHOTS) if SCREENSHOTS else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with visit(browser, deployment, size) as seen:
        day = Day(seen, size, folder)
        seen.open("/")
        _mend_what_failed(day, deployment)
        _run_dags(day)
        _release_a_run(day)
        _look_ahead(day, dates)
        _answer_and_administer(day)
        _look_into_work(day)
        _stop_and_mark(day, deployment)
    print(day.table())
    assert len(day.took) == 22


def _mend_what_failed(day: Day, deployment: Product) -> None:
    page, sales = day.page, day.name("sales")
    with day.thing("log in", 1, goes_on=True):
        page.get_by_label("Name", exact=True).fill("admin")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Home")
        if day.size == "wide":
            expect(page.get_by_role("button", name="Work").locator(".questionCount-count")).to_be_visible()
    pages = page.locator("header").first
    assert pages.evaluate("element => element.getBoundingClientRect().height") < 50, (
        "the navigation takes more than one line"
    )
    failure = page.get_by_role("listitem").filter(has=page.get_by_role("link", name=sales, exact=True))
    with day.thing("find the DAG that failed last night", 0):
        expect(page.get_by_role("region", name="Failed").locator(failure)).to_contain_text("last_night")
    with day.thing("read why: the log and the sentence", 1):
        failure.get_by_role("link", name="log of extract").click()
        expect(page.get_by_role("log")).to_contain_text(f"{sales}.csv has not arrived")
        expect(page.get_by_role("region", name="Why", exact=True).first).to_contain_text("has not arrived")
    let_sales_arrive(deployment, day.size)
    with day.thing("clear it with downstream, after the preview", 2, goes_on=True):
        page.get_by_role("button", name="Run again").click()
        touched = page.get_by_role("group", name="What the act touches")
        expect(touched).to_contain_text("3 task instances run again")
        expect(touched.get_by_role("listitem")).to_contain_text(["extract", "load", "publish"])
        page.get_by_role("button", name="Clear them").click()
        expect(
            page.get_by_role("status").filter(has_text="Done: 3 task instances are cleared.").get_by_role("link")
        ).to_be_visible()
    with day.thing("watch it live to its end", 1, goes_on=True):
        page.get_by_role("link", name="last_night").first.click()
        badge = page.locator("h1 + .badge").first
        expect(badge).to_contain_text("running")
        let_sales_end(deployment, day.size)
        expect(badge).to_contain_text("success")


def _run_dags(day: Day) -> None:
    page = day.page
    with day.thing("pause and unpause a DAG", 3):
        day.go("DAGs")
        active = page.get_by_role("switch", name=f"{day.name('orders')} is active")
        active.click()
        expect(page.get_by_text(f"{day.name('orders')} is paused.")).to_be_visible()
        expect(active).not_to_be_checked()
        active.click()
        expect(page.get_by_text(f"{day.name('orders')} is active.")).to_be_visible()
        expect(page.get_by_text(f"{day.name('orders')} is paused.")).to_have_count(0)
        expect(active).to_be_checked()
    with day.thing("run a DAG with params by the form", 3):
        day.go("DAGs")
        page.get_by_role("row").filter(
            has=page.get_by_role("link", name=day.name("letter_count"), exact=True)
        ).get_by_role("link", name="Run it …").click()
        page.get_by_label("month", exact=True).fill("4")
        page.get_by_label("region", exact=True).select_option("south")
        page.get_by_role("button", name="Run now").click()
        expect(page).to_have_url(re.compile("/runs/manual__"))
    with day.thing("backfill a week, after the preview of its slots", 4):
        day.open_dag(day.name("history"))
        page.get_by_role("link", name="Backfills", exact=True).click()
        days = page.get_by_role("group", name="Range")
        days.get_by_label("From").fill("2026-03-02T00:00:00")
        days.get_by_label("To").fill("2026-03-08T23:00:00")
        expect(page.get_by_label("Slots of the range").get_by_role("heading")).to_have_text("7 slots in the range")
        page.get_by_role("button", name="Create the backfill").click()
        expect(page.get_by_text("7 of 7 slots finished")).to_be_visible()


def _release_a_run(day: Day) -> None:
    page, gated = day.page, day.name("gated")
    with day.thing("find why a run waits", 1):
        waiting = (
            page.get_by_role("region", name="Blocked")
            .get_by_role("listitem")
            .filter(has=page.get_by_role("link", name=gated, exact=True))
        )
        expect(waiting).to_contain_text(day.name("closed"))
        waiting.get_by_role("link", name="last_night").click()
        expect(page.get_by_role("region", name="Why", exact=True).first).to_contain_text(day.name("closed"))
    with day.thing("release it with the button that releases", 2, goes_on=True):
        page.get_by_role("button", name="Set the pool …").click()
        expect(page.get_by_role("group", name="What this does")).to_contain_text(
            f"Sets pool {day.name('closed')} to 1 slot,"
        )
        page.get_by_role("button", name="Do it").click()
        expect(page.locator("h1 + .badge").first).to_contain_text("success")


def _look_ahead(day: Day, dates: Dates) -> None:
    page = day.page
    with day.thing("see the runs of tomorrow of a DAG with a calendar", 4 + (day.size == "narrow")):
        day.open_dag(day.name("office"))
        coming = page.get_by_role("region", name="Next runs")
        expect(coming.get_by_role("listitem").filter(has_text="tomorrow 11:45")).not_to_have_count(0)
        closed = date.fromisoformat(str(dates.closed))
        expect(coming.get_by_role("listitem").filter(has_text=f"{closed.day} {closed:%b} ")).to_have_count(0)
        page.get_by_role("link", name="Calendar", exact=True).click()
        page.get_by_role("link", name="next day").click()
        expect(page.get_by_role("complementary")).to_contain_text("tomorrow 17:45")
    with day.thing("compare two schedules in the timetable lab", 3):
        day.go("Schedules", "Timetable lab")
        page.get_by_label("Cron", exact=True).fill("0 6 * * *")
        page.get_by_role("button", name="Compare with another schedule").click()
        page.get_by_role("group", name="Schedule instead").get_by_label("Cron", exact=True).fill("0 7 * * 1-5")
        expect(page.get_by_label("What changes").get_by_role("status")).to_contain_text("runs before")


def _answer_and_administer(day: Day) -> None:
    page = day.page
    with day.thing("answer the question of a task", 3):
        day.go("Work", "Questions to people")
        question = page.get_by_role("group", name=f"Question: Send the letters of {day.size}?")
        question.get_by_role("button", name="send").click()
        expect(question).to_have_count(0)
    with day.thing("add a connection", 4):
        day.go("Administration", "Connections")
        page.get_by_role("button", name="New connection").click()
        for label, text in (("Connection id", day.name("warehouse")), ("Type", "postgres"), ("Host", "db.example")):
            page.get_by_label(label).fill(text)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("row").filter(has_text=day.name("warehouse"))).to_contain_text("db.example")
        expect(page.get_by_text(f"The connection {day.name('warehouse')} is saved.")).to_be_visible()
    with day.thing("add a Variable", 4):
        day.go("Administration", "Variables")
        page.get_by_role("button", name="New Variable").click()
        page.get_by_label("Key", exact=True).fill(day.name("region"))
        page.get_by_label("Value", exact=True).fill("north")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("row").filter(has_text=day.name("region"))).to_contain_text("north")
        expect(page.get_by_text(f"The Variable {day.name('region')} is saved.")).to_be_visible()
    with day.thing("make a token, which is shown once", 5):
        page.get_by_role("button", name="Account admin").click()
        page.get_by_role("link", name="My account").click()
        page.get_by_role("button", name="New API token").click()
        page.get_by_label("What uses it").fill(day.name("job"))
        page.get_by_role("button", name="Create the token").click()
        token = page.get_by_role("region", name="The new API token:").locator("code").inner_text()
        page.get_by_role("button", name="I have kept it").click()
        expect(page.get_by_role("list", name="My API tokens")).to_contain_text(day.name("job"))
        assert token not in page.content()


def _look_into_work(day: Day) -> None:
    page = day.page
    with day.thing("find a line in a long log", 3):
        day.open_dag(day.name("talks"))
        page.get_by_role("gridcell", name="talk, last_night: success").click()
        page.get_by_role("searchbox", name="Search").fill("needle")
        expect(page.get_by_role("log").locator("mark")).to_have_text("needle")
    if day.size == "narrow":  # the sheet covers the menu with all pages
        page.get_by_role("button", name="Close", exact=True).click()
    with day.thing("see what depends on what on a day", 3):
        day.go("Schedules", "Dependencies of a day")
        page.get_by_role("link", name=day.name("invoices")).click()
        expect(page.locator(".day-names")).to_have_text(f"{day.name('orders')}{day.name('invoices')}")
    with day.thing("see which pool is full and who waits", 4):
        day.go("Work", "Pools and limits")
        pool = page.get_by_role("row", name=f"Pool {day.name('small')}")
        expect(pool).to_contain_text("1 of 1 used")
        pool.get_by_role("button", name="2 wait").click()
        sheet = page.get_by_role("dialog", name=f"Pool {day.name('small')}")
        expect(sheet.get_by_role("link", name="hold [2]")).to_be_visible()
        sheet.get_by_role("button", name="Close").click()
    with day.thing("read in the audit log what was just done", 3):
        day.go("Administration", "Audit log")
        page.get_by_role("button", name="Only what I did").click()
        events = page.get_by_role("region", name="Audit log").get_by_role("row")
        expect(events.filter(has_text=day.name("warehouse"))).to_contain_text("admin")
        expect(events.filter(has_text=day.name("closed")).first).to_contain_text("admin")
        expect(events.filter(has_text="scheduler")).to_have_count(0)


def _stop_and_mark(day: Day, deployment: Product) -> None:
    """Both to the end: what the page says is true of the store."""
    page, crowd = day.page, day.name("crowd")
    with day.thing("stop a run that does not end", 4):
        running = page.get_by_role("region", name="Running").get_by_role("listitem").filter(has_text=crowd)
        running.get_by_role("link", name="last_night").click()
        choose_act(page, re.compile("^Stop"))
        expect(page.get_by_role("group", name="What the act touches")).to_contain_text("a running one is stopped")
        page.get_by_role("button", name="Stop the run").click()
        expect(page.get_by_role("status").filter(has_text="Done: ")).to_be_visible()
        expect(page.locator("h1 + .badge").first).to_contain_text("failed")
    assert deployment.ended(crowd, "last_night")["state"] == "failed"
    with day.thing("mark a failed task as success", 4):
        failure = page.get_by_role("region", name="Failed").get_by_role("listitem").filter(has_text=crowd)
        failure.get_by_role("link", name=re.compile("^log of hold")).click()
        choose_act(page, re.compile("^Mark as success"))
        expect(page.get_by_role("group", name="What the act touches")).to_contain_text(
            "1 task instance becomes success"
        )
        page.get_by_role("button", name="Mark them").click()
        expect(page.locator("h1 + .badge").first).to_contain_text("success")
        expect(page.get_by_role("region", name="Why", exact=True)).to_have_text("marked success by api:admin")
    states = [row["state"] for row in deployment.rows("tasks", "states", crowd, "last_night")]
    assert states.count("success") == 1, states
