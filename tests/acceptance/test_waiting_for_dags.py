"""A run that waits for another DAG, in a running product: why, who is let go, and what runs again after it. On both databases."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests import postgres
from tests.acceptance.product import Product, Row, product
from tests.databases import BOTH

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
DAY = datetime(2026, 1, 2, tzinfo=UTC)
RUN = f"scheduled__{DAY.isoformat()}"
FIRST = f"scheduled__{(DAY - timedelta(days=1)).isoformat()}"
SINCE = (DAY - timedelta(days=1)).isoformat()
"""A run has the tasks that begin by its logical date, the midnight before it."""
FILE = f"""
from datetime import datetime
from gnomon import DAG, After
from gnomon.operators import EmptyOperator
from gnomon.timetables import Daily

given = dict(schedule=Daily(timezone="UTC"), start_date=datetime.fromisoformat("{SINCE}"),
             end_date=datetime.fromisoformat("{DAY.isoformat()}"), catchup=True)
with DAG("orders", is_paused_upon_creation=True, **given):
    EmptyOperator(task_id="load")
with DAG("report", is_paused_upon_creation=False, depends_on=After("orders"), **given):
    EmptyOperator(task_id="write")
with DAG("mail", is_paused_upon_creation=False, depends_on=After("report"), **given):
    EmptyOperator(task_id="send")
"""


@pytest.fixture(params=BOTH)
def running(request: pytest.FixtureRequest) -> Iterator[Product]:
    if request.param == "sqlite":
        with product({"waits.py": FILE}) as made:
            yield made
        return
    with postgres.own_schema() as url, product({"waits.py": FILE}, {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}) as made:
        yield made


def test_a_waiting_run_is_explained_released_and_run_again_with_what_came_after(running: Product) -> None:
    running.until(
        lambda: _reasons(running) == {"report": "waits for orders", "mail": "waits for report"}, "both runs wait"
    )
    told = running.do("explain", "report", RUN)
    assert "is not created yet; DAG orders is paused; unpause it with: gnomon dags unpause orders" in told
    assert f"to stop waiting: gnomon runs release report {RUN} --from orders" in told
    assert f"run {RUN} of report is queued: waits for orders" in running.do("explain", "mail", RUN)
    edges = {(row["dag_id"], row["upstream_dag_id"], row["unknown"]) for row in running.rows("dependencies", "graph")}
    assert edges == {("report", "orders", False), ("mail", "report", False)}

    running.do("runs", "release", "report", RUN, "--from", "orders", "--reason", "there are no orders today")
    assert running.ended("report", RUN)["state"] == running.ended("mail", RUN)["state"] == "success"
    told = running.do("explain", "report", RUN)
    assert "report waited for orders: released by cli:" in told and ": there are no orders today at " in told

    running.do("dags", "unpause", "orders")
    running.ended("orders", RUN)
    over = running.ended("mail", RUN)["end_date"]
    shown = json.loads(running.do("runs", "clear", "orders", RUN, "--downstream-dags", "--yes", "-o", "json"))
    assert [(row["dag_id"], row["waited_for"]) for row in shown] == [
        ("orders", []),
        ("report", ["orders"]),
        ("mail", ["report"]),
    ]
    again: dict[str, Row] = {}

    def all_again() -> bool:
        again.update({dag_id: running.ended(dag_id, RUN) for dag_id in ("orders", "report", "mail")})
        return all(run["start_date"] > over for run in again.values())

    running.until(all_again, "all three ran again")
    assert {run["state"] for run in again.values()} == {"success"}
    assert again["orders"]["end_date"] <= again["report"]["start_date"]
    assert again["report"]["end_date"] <= again["mail"]["start_date"]
    assert "report waited for orders (whole day): the slot at " in running.do("explain", "report", RUN)


HOLE = """
from datetime import datetime
from gnomon import DAG, After
from gnomon.operators import BashOperator, EmptyOperator
from gnomon.timetables import Daily

start = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
with DAG("loads", schedule=Daily(timezone="UTC"), start_date=start, catchup=False, is_paused_upon_creation=False):
    BashOperator(task_id="load", bash_command="echo since {{ data_interval_start.date() }}")
with DAG("sheet", schedule=Daily(timezone="UTC"), start_date=start, end_date=datetime.fromisoformat("%s"), catchup=True,
         is_paused_upon_creation=False, depends_on=After("loads", on_absent="wait")):
    EmptyOperator(task_id="write")
"""


def test_a_slot_that_was_passed_has_a_run_once_somebody_makes_it(running: Product) -> None:
    running.write("hole.py", HOLE % DAY.isoformat())
    running.until(
        lambda: {row["run_id"] for row in _rows(running, "sheet")} >= {FIRST, RUN}, "the runs of both days wait"
    )
    running.until(
        lambda: "no run of loads was created" in running.do("explain", "sheet", RUN), "planning has passed the day"
    )
    (line,) = [
        line for line in running.do("explain", "sheet", RUN).splitlines() if "no run of loads was created" in line
    ]
    command = line.partition("or until the missing run is created with: gnomon ")[2].split()
    assert command == ["dags", "trigger", "loads", "--slot", "2026-01-02T00:00:00Z"]
    made = running.run("loads", *command[3:])
    assert (made["state"], made["run_type"], made["logical_date"]) == (
        "success",
        "manual",
        "2026-01-01T00:00:00.000000+00:00",
    )
    assert "since 2026-01-01" in running.task_log("loads", made["run_id"], "load")
    assert running.ended("sheet", RUN)["state"] == "success"
    assert {row["run_id"]: row["state"] for row in _rows(running, "sheet")}[FIRST] == "queued"


def _reasons(running: Product) -> dict[str, str]:
    rows = [row for dag_id in ("report", "mail") for row in _rows(running, dag_id)]
    return {row["dag_id"]: row["reason"] for row in rows if row["run_id"] == RUN and row["state"] == "queued"}


def _rows(running: Product, dag_id: str) -> list[dict[str, str]]:
    ended = running.cli("runs", "list", dag_id, "-o", "json")
    found: list[dict[str, str]] = json.loads(ended.out) if ended.code == 0 else []
    return found
