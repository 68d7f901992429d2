"""The dashboard of the documentation asks for metrics that a standalone with runs has."""

from __future__ import annotations

import http.client
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.acceptance.product import Product, product
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "docs" / "how-to" / "gnomon-dashboard.json"
PAGE = ROOT / "docs" / "how-to" / "watch-with-prometheus.md"
FLOWS = """
import datetime as dt
from airflow.sdk import DAG, task
from airflow.providers.standard.triggers.file import FileTrigger
from airflow.sdk import BaseOperator

class Defers(BaseOperator):
    def execute(self, context):
        self.defer(trigger=FileTrigger(filepath=__file__, poke_interval=0.1), method_name="done")
    def done(self, context, event=None):
        return None

with DAG("often", schedule=dt.timedelta(seconds=1), start_date=dt.datetime(2026, 1, 1), catchup=False, is_paused_upon_creation=False):
    @task
    def quick(): pass
    quick()

with DAG("waits", schedule=None, is_paused_upon_creation=False):
    Defers(task_id="defers")
"""
_NAME = re.compile(r"\bgnomon_\w+")


def _names_in_queries(text: str) -> set[str]:
    return {
        name
        for panel in json.loads(text)["panels"]
        for target in panel.get("targets", ())
        for name in _NAME.findall(target["expr"])
    }


def _scrape(running: Product) -> str:
    port = int(running.said.split("localhost:")[1].split()[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.read().decode()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    with product({"flows.py": FLOWS}, {"GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.0/8"}) as made:
        made.has_dag("often")
        made.has_dag("waits")
        yield made


def test_every_metric_of_the_dashboard_is_in_a_scrape(running: Product) -> None:
    wanted = _names_in_queries(DASHBOARD.read_text())
    assert len(wanted) > 25
    assert running.run("waits")["state"] == "success"
    missing: set[str] = set()

    def all_there() -> bool:
        found = {
            sample.name for family in text_string_to_metric_families(_scrape(running)) for sample in family.samples
        }
        missing.clear()
        missing.update(wanted - found)
        return not missing

    try:
        running.until(all_there, "a scrape has all metrics of the dashboard", 60.0)
    finally:
        assert missing == set()


def test_every_metric_that_the_page_names_is_in_a_scrape(running: Product) -> None:
    named = set(_NAME.findall(PAGE.read_text()))
    assert named
    running.until(
        lambda: (
            not named
            - {sample.name for family in text_string_to_metric_families(_scrape(running)) for sample in family.samples}
        ),
        "a scrape has all metrics of the page",
    )


def test_panels_have_titles_sources_and_places_of_their_own() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
        if panel["type"] != "row":
            assert panel["title"] and panel["description"] and panel["targets"]
            assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
