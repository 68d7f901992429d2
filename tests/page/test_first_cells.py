"""How high the first cell, node, bar, row and line of each view stand, also below the line that says why something failed or waits."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import SIZES, visit

MOST = {"wide": 260, "narrow": 300}
"""By size of the window: the most pixels above."""
RUN = "/dags/nightly/runs/first"
VIEWS = {
    "grid": ("/dags/nightly", ".grid-frame [role=gridcell]", "Why"),
    "grid of a run that waits": ("/dags/gated", ".grid-frame [role=gridcell]", ""),
    "graph": ("/dags/nightly/graph", ".graph-frame", "Why"),
    "tasks of a run": (RUN, ".task-line", "Why"),
    "Gantt chart": (f"{RUN}/gantt", ".gantt-line", "Why"),
    "log": (f"{RUN}/tasks/extract", ".log-line", ""),
    "list of DAGs": ("/dags", ".dags-table tbody tr", ""),
    "list of runs": ("/runs", ".cards-compact tbody tr", ""),
}
"""By name: the address, what is measured, and the region that stands above."""


@pytest.mark.parametrize("size", SIZES)
def test_the_first_cell_of_each_view_stands_high(browser: Browser, product: Product, size: str) -> None:
    with visit(browser, product, size) as seen:
        seen.log_in("/dags")
        low = {}
        for name, (path, selector, above) in VIEWS.items():
            seen.open(path)
            if above:
                expect(seen.page.get_by_role("region", name=above)).to_be_visible()
            first = seen.page.locator(selector).first
            expect(first).to_be_visible()
            top = first.evaluate("one => one.getBoundingClientRect().top")
            if top > MOST[size]:
                low[name] = top
        assert low == {}


def test_the_header_of_a_dag_is_one_line_with_its_facts_beside_the_name(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/dags/nightly")
        facts = seen.page.get_by_role("link", name="last run failed")
        expect(facts).to_be_visible()
        name, said = seen.page.get_by_role("heading", level=1).bounding_box(), facts.bounding_box()
        assert name is not None
        assert said is not None
        assert abs(name["y"] + name["height"] / 2 - said["y"] - said["height"] / 2) < 4
        assert said["x"] > name["x"] + name["width"]
        seen.check()
