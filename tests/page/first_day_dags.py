"""The DAG files of the test of a first day, and the state that a user meets."""

from __future__ import annotations

import json
import urllib.request
from datetime import datetime, time, timedelta
from time import sleep
from typing import Any, cast
from zoneinfo import ZoneInfo

from tests.acceptance.product import Product
from tests.page.visit import ZONE
from tests.patience import PATIENCE_S

# Without a schedule: a scheduled run would fail too, and could be the newest failure in place of `last_night`.
_SALES = """
import time
from pathlib import Path

from airflow.sdk import DAG, task

HERE = Path(__file__).parent

with DAG("sales_{size}", schedule=None, tags=["sales"], description="Loads the sales of the day"):

    @task
    def extract():
        if not (HERE / "sales_{size}.csv").exists():
            raise FileNotFoundError("sales_{size}.csv has not arrived")

    @task
    def load():
        while not (HERE / "sales_{size}.gate").exists():
            time.sleep(0.05)

    @task
    def publish():
        print("published")

    extract() >> load() >> publish()
"""
_PLANS = """
from datetime import UTC, datetime

from airflow.providers.standard.operators.empty import EmptyOperator
from gnomon import DAG, After, Param
from gnomon.timetables import CronTriggerTimetable

START = datetime(2025, 1, 1, tzinfo=UTC)
OFFICE_HOURS = CronTriggerTimetable("0 6,12 * * *", timezone="UTC", calendar="office")

with DAG("letter_count_{size}", schedule=None, params={{"month": Param(3, type="integer", minimum=1, maximum=12), "region": Param("north", enum=["north", "south"])}}):
    EmptyOperator(task_id="count")

with DAG("history_{size}", schedule="0 3 * * *", start_date=START, catchup=False):
    EmptyOperator(task_id="recount")

with DAG("office_{size}", schedule=OFFICE_HOURS, start_date=START, catchup=False):
    EmptyOperator(task_id="open")

with DAG("orders_{size}", schedule="0 4,5 * * *", start_date=START, catchup=False):
    EmptyOperator(task_id="load")

with DAG("invoices_{size}", schedule="0 6 * * *", start_date=START, catchup=False, depends_on=After("orders_{size}")):
    EmptyOperator(task_id="write")
"""
_WORK = """
import time

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import DAG, task

with DAG("letters_{size}", schedule=None):
    HITLOperator(task_id="approve", subject="Send the letters of {size}?", options=["send", "wait"])

with DAG("gated_{size}", schedule=None):

    @task(pool="closed_{size}")
    def copy():
        print("copied")

    copy()

with DAG("crowd_{size}", schedule=None):

    @task(pool="small_{size}")
    def hold(number):
        time.sleep(3600)

    hold.expand(number=[1, 2, 3])

with DAG("talks_{size}", schedule=None):

    @task
    def talk():
        for number in range(20_000):
            print("row", number)
            if number == 7_000:
                print("the needle of {size}")

    talk()
"""
FILES = {"sales": _SALES, "plans": _PLANS, "work": _WORK}
DAGS = ("sales", "letter_count", "history", "office", "orders", "invoices", "letters", "gated", "crowd", "talks")
NIGHT_S = 240
"""A visit that begins less than so long before midnight of the browser's zone could end on the next day: it begins after midnight."""


class Dates:
    """The days of one visit, in the zone of the browser."""

    def __init__(self) -> None:
        now = datetime.now(ZoneInfo(ZONE))
        self.today = now.date()
        self.tomorrow = self.today + timedelta(days=1)
        self.closed = self.today + timedelta(days=2)
        """The day off of the calendar `office`."""
        midnight = datetime.combine(self.tomorrow, time.min, ZoneInfo(ZONE))
        self.left_s = (midnight - now).total_seconds()


def await_dates() -> Dates:
    """The days of a visit that begins now; shortly before midnight, of one that begins after it."""
    dates = Dates()
    if dates.left_s < NIGHT_S:
        sleep(dates.left_s + 1)
        return Dates()
    return dates


class Client:
    """Asks the API of a standalone as `admin`: with many requests it is faster than commands."""

    def __init__(self, product: Product, password: str) -> None:
        self.address = product.said[product.said.index("http://") :].split()[0].rstrip("/")
        self.token: str | None = None
        self.token = self.ask("POST", "/auth/token", {"username": "admin", "password": password})["access_token"]

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """The answer; raises HTTPError if the request is refused."""
        headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
        }
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(
            urllib.request.Request(self.address + path, data, headers, method=method), timeout=PATIENCE_S
        ) as answer:
            return cast(dict[str, Any], json.load(answer))


def prepare(product: Product, client: Client, size: str, dates: Dates) -> None:
    """Write the files, and have one run of each DAG that a user looks at, in the state in which he finds it."""
    (product.home / "gnomon.toml").write_text(
        f'[calendars.office]\ndates = ["{dates.closed}"]\nweekend = []\nsince = "2025-01-01"\nuntil = "{dates.today.year + 2}-12-31"\n'
    )
    client.ask("POST", "/api/v2/pools", {"name": f"closed_{size}", "slots": 0, "description": "closed for the move"})
    client.ask("POST", "/api/v2/pools", {"name": f"small_{size}", "slots": 1, "description": "one at a time"})
    for name, text in FILES.items():
        product.write(f"{name}_{size}.py", text.format(size=size))
    wanted = {f"{name}_{size}" for name in DAGS}
    product.until(
        lambda: wanted <= {one["dag_id"] for one in client.ask("GET", "/api/v2/dags?limit=100")["dags"]},
        f"{wanted} are listed",
    )
    for name in ("sales", "talks", "letters", "gated", "crowd"):
        client.ask("POST", f"/api/v2/dags/{name}_{size}/dagRuns", {"dag_run_id": "last_night", "logical_date": None})
    for name in ("sales", "talks"):
        path = f"/api/v2/dags/{name}_{size}/dagRuns/last_night"
        product.until(lambda path=path: client.ask("GET", path)["state"] in ("success", "failed"), f"{path} has ended")  # type: ignore[misc]


def let_sales_arrive(product: Product, size: str) -> None:
    """The file is there that the failed task has missed."""
    (product.dags / f"sales_{size}.csv").write_text("1")


def let_sales_end(product: Product, size: str) -> None:
    """The task `load` ends, which waits for this file."""
    (product.dags / f"sales_{size}.gate").write_text("")
