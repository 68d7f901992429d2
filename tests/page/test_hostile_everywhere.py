"""Every address of the page with hostile texts in every field: they are shown as text, fit the window, keep their direction to themselves, and are cut when they are long."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.acceptance.product import product as run_product
from tests.page import hostile_dags as hostile
from tests.page.visit import PASSWORD, Visit, visit

from gnomon.api.page_files import VIEWS, find_page_files

DAG = f"/dags/{hostile.DAG_ID}"
RUN = f"{DAG}/runs/{hostile.RUN_ID}"
FILLED = {
    "/dags/{rest:path}": (
        DAG,
        f"{DAG}/graph",
        f"{DAG}/trigger",
        f"{DAG}/backfill",
        f"{DAG}/calendar",
        f"{DAG}/code",
        f"{DAG}/details",
        f"{DAG}/audit",
        f"/dags/{hostile.LISTENER_ID}",
        RUN,
        f"{RUN}/gantt",
        f"{RUN}/tasks/{hostile.TASK_ID}",
        f"{RUN}/tasks/{hostile.TASK_ID}?part=xcoms",
        f"{RUN}/tasks/{hostile.TASK_ID}?part=details",
        f"{RUN}/tasks/mapped",
        f"{RUN}/tasks/mapped?map=0",
        f"{RUN}/tasks/{hostile.QUESTION_ID}",
        f"{RUN}/tasks/{hostile.GROUP_ID}.shell?part=details",
    ),
    "/assets/{rest:path}": ("/assets/1",),
    "/timetables": (
        "/timetables",
        "/timetables?kind=cron&cron=0+6+*+*+1-5&zone=Europe/Berlin&kind2=cron&cron2=0+7+*+*+1-5&zone2=Europe/Berlin",
        f"/timetables?kind=cron&cron={hostile.LONG[:400]}",
    ),
}
"""What stands for an address of VIEWS; another one stands for itself."""
TEXT_MAX = 4_200
"""Characters of one text before somebody asks for all of it; the documentation of a DAG may be the longest."""
REFUSAL = "status of 400 (Bad Request)"
"""The browser itself writes a line about the refusal of a schedule that is none; the page shows it at its field."""
FIND_LONG = """most => {
  const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (walker.currentNode.data.length > most && parent.tagName !== "TEXTAREA" && !parent.closest(".code-frame, title")) found.push(parent.outerHTML.slice(0, 200));
  }
  return found;
}"""
FIND_TURNED = """() => {
  const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.includes("\\u202e") || parent.closest("option, title, textarea")) continue;
    if (!/isolate/.test(getComputedStyle(parent).unicodeBidi) && !/\\u2068[^\\u2069]*\\u202e/.test(walker.currentNode.data)) {
      let one = parent;
      while (one.tagName !== "MAIN" && !/isolate/.test(getComputedStyle(one).unicodeBidi)) one = one.parentElement;
      const range = document.createRange();
      range.setStartAfter(walker.currentNode);
      range.setEnd(one, one.childNodes.length);
      if (one.tagName === "MAIN" || /[\\p{L}\\p{N}]/u.test(range.toString().slice(0, 300)) && !one.closest("code, .log-line, .code-line")) found.push(parent.outerHTML.slice(0, 300));
    }
  }
  return found;
}"""
"""Texts with a mark of direction that reaches words behind them: no isolate ends with the text."""


@pytest.fixture(scope="module")
def filled() -> Iterator[Product]:
    """An installation whose every text is hostile."""
    if find_page_files().index is None:
        pytest.skip(f"there is no page in this installation: {find_page_files().reason}")
    with run_product({}, {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False"}) as running:
        running.do("users", "reset-password", "admin", "--password", PASSWORD)
        hostile.fill(running)
        yield running


def list_addresses() -> list[str]:
    return [address for view in VIEWS for address in FILLED.get(view, (view,))]


def write_notes(seen: Visit) -> None:
    """As a user does it in the page, whose session the requests have."""
    for path in (
        f"/api/v2/dags/{hostile.DAG_ID}/dagRuns/{hostile.RUN_ID}",
        f"/api/v2/dags/{hostile.DAG_ID}/dagRuns/{hostile.RUN_ID}/taskInstances/{hostile.QUESTION_ID}",
    ):
        send = "([path, body]) => fetch(path, {method: 'PATCH', headers: {'Content-Type': 'application/json'}, body}).then(answer => answer.status)"
        assert seen.page.evaluate(send, [path, json.dumps({"note": hostile.TEXT[:1000]})]) == 200


@pytest.mark.soak  # about two minutes a width
@pytest.mark.parametrize(("size", "scheme"), [("wide", "dark"), ("narrow", "light")])
def test_hostile_texts_are_texts_fit_the_window_keep_their_direction_and_are_cut(
    browser: Browser, filled: Product, size: str, scheme: str
) -> None:
    walk(browser, filled, list_addresses(), size, scheme)


@pytest.mark.parametrize(
    ("size", "scheme", "addresses"),
    [
        ("wide", "dark", ["/dags", RUN, f"{RUN}/tasks/{hostile.TASK_ID}"]),
        ("narrow", "light", ["/", "/dags", DAG, RUN, f"{RUN}/tasks/{hostile.TASK_ID}", "/runs", "/pools"]),
    ],
    ids=["wide", "narrow"],
)
def test_hostile_texts_where_people_look_most_are_texts_and_fit(
    browser: Browser, filled: Product, size: str, scheme: str, addresses: list[str]
) -> None:
    """The short form of the walk. What does not fit a wide window does not fit a narrow one either."""
    walk(browser, filled, addresses, size, scheme)


def walk(browser: Browser, filled: Product, addresses: list[str], size: str, scheme: str) -> None:
    """Look at each address. `scheme`: light or dark."""
    problems: list[str] = []
    with visit(browser, filled, size, scheme) as seen:
        seen.log_in("/services")
        expect(seen.page.locator("main h1")).to_be_visible()
        write_notes(seen)
        for address in addresses:
            seen.open(address)
            page = seen.page
            expect(page.locator("main h1").first).to_be_visible()
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            problems += [f"{address[-60:]}: {found}" for found in find_problems(seen)]
            seen.faults.clear()
    assert problems == [], "\n".join(problems)


def find_problems(seen: Visit) -> list[str]:
    page = seen.page
    problems = [f"long: {text}" for text in page.evaluate(FIND_LONG, TEXT_MAX)] + [
        f"not isolated: {text}" for text in page.evaluate(FIND_TURNED)
    ]
    if (
        "broken" in page.title()
        or page.locator("main b", has_text="bold").filter(has_not_text="<").count()
        or page.locator("main img[src=x], main script").count()
    ):
        problems.append("markup became a part of the page")
    seen.faults = [fault for fault in seen.faults if REFUSAL not in fault]
    try:
        seen.check()
    except AssertionError as found:
        problems.append(str(found)[:1000])
    return problems


def test_a_long_text_is_shown_whole_on_demand(browser: Browser, filled: Product) -> None:
    with visit(browser, filled, "narrow") as seen:
        seen.log_in(f"{DAG}/details")
        head = seen.page.locator("[data-description]")
        shows = head.get_by_role("button", name="show all, 10,")
        expect(shows).to_be_visible()
        assert len(head.inner_text()) < 1_000
        shows.click()
        expect(head).to_contain_text(hostile.TEXT)
        seen.check()
        head.get_by_role("button", name="show less").click()
        expect(shows).to_be_visible()


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_the_labels_of_the_axis_of_the_gantt_chart_stay_in_it_and_apart(
    browser: Browser, filled: Product, size: str
) -> None:
    with visit(browser, filled, size) as seen:
        seen.log_in(f"{RUN}/gantt")
        axis = seen.page.locator(".gantt-axis")
        expect(axis.locator(".gantt-tick").first).to_be_visible()
        # All in one look: the chart of a run that goes on is drawn anew.
        (_, end), *boxes = axis.evaluate("""(axis) => [axis, ...axis.querySelectorAll(".gantt-tick")].map((one) => {
            const { left, right } = one.getBoundingClientRect();
            return [left, right];
        })""")
        boxes.sort()
        assert boxes
        assert all(right <= end for _, right in boxes), boxes
        assert all(before[1] <= after[0] + 1 for before, after in zip(boxes, boxes[1:], strict=False)), boxes


@pytest.mark.parametrize(
    "path",
    [
        "/dags/UNKNOWN",
        "/dags/UNKNOWN/graph",
        "/dags/UNKNOWN/calendar",
        "/dags/UNKNOWN/runs/none",
        "/dags/UNKNOWN/runs/none/gantt",
        "/dags/UNKNOWN/runs/none/tasks/wait",
        f"{RUN}_UNKNOWN",
        f"{RUN}/tasks/UNKNOWN",
    ],
)
def test_what_is_missing_is_said_and_asked_for_once(browser: Browser, filled: Product, path: str) -> None:
    with visit(browser, filled) as seen:
        seen.log_in(path)
        expect(seen.page.get_by_role("alert")).to_have_count(1)
        expect(seen.page.get_by_role("alert")).to_contain_text("UNKNOWN")
        expect(seen.page.get_by_role("navigation", name="Views of the")).to_have_count(0)
        seen.page.wait_for_load_state("load")
        refused = [fault for fault in seen.faults if "status of 404" in fault]
        assert len(refused) == 1, seen.faults


def test_an_address_without_a_page_has_a_heading_and_says_so(browser: Browser, filled: Product) -> None:
    with visit(browser, filled) as seen:
        seen.log_in()
        expect(seen.page.locator("main h1")).to_be_visible()
        seen.open("/tasks/wait")
        expect(seen.page.get_by_role("heading", name="No page")).to_be_visible()
        seen.faults = [fault for fault in seen.faults if "status of 404" not in fault]
        """The browser itself writes a line about a document with status 404."""
        seen.check()
