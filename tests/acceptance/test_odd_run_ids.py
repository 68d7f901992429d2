"""Run ids of any text through the running product: made, run, in environment and templates, logged apart, cleared, marked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.acceptance.product import Product, product

TEXTS = (
    "2021-01-05 Tuesday",
    "..",
    "a/b/../../c",
    "100% 'quoted' \"twice\" $HOME `id` ; & | < >",
    "--help",
    "Größe 時刻",
    "{{ ds }}",
    "x" * 250,
    "時" * 250,
    "\N{GRINNING FACE}" * 250,
    "Case",
    "case",
)
FILE = f"""
import datetime as dt
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable
from gnomon import DAG, task

DAY = dt.timedelta(days=1)
START = dt.datetime(2021, 1, 4, tzinfo=dt.UTC)
TEXTS = {TEXTS!r}


class Odd(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        start = last_automated_data_interval.end if last_automated_data_interval else START
        return DagRunInfo.interval(start, start + DAY) if start < START + len(TEXTS) * DAY else None

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def generate_run_id(self, *, data_interval, **_):
        return TEXTS[(data_interval.start - START).days]


with DAG("odd", schedule=Odd(), start_date=START, catchup=True, is_paused_upon_creation=False):
    @task
    def tell(run_id=None):
        import os
        assert os.environ["AIRFLOW_CTX_DAG_RUN_ID"] == run_id
        print("this is " + ascii(run_id))
        return run_id

    tell()
"""


@pytest.fixture(scope="module")
def deployed() -> Iterator[Product]:
    """A standalone whose only DAG had a run for each text."""
    with product({"odd.py": FILE}) as running:
        running.has_dag("odd")

        def ended() -> bool:
            return [row["state"] for row in running.rows("runs", "list", "odd")].count("success") == len(TEXTS)

        running.until(ended, "all runs have ended")
        yield running


def test_each_run_runs_and_has_a_log_of_its_own(deployed: Product) -> None:
    assert {row["run_id"] for row in deployed.rows("runs", "list", "odd")} == set(TEXTS)
    for run_id in TEXTS:
        log = deployed.do("tasks", "logs", "odd", "--", run_id, "tell")
        assert f"this is {run_id!a}" in log
    logs = [path for path in (deployed.home / "logs").rglob("*attempt=1.log") if "dag_id=odd" in str(path)]
    assert len(logs) == len(TEXTS)


def test_one_is_cleared_and_another_is_marked(deployed: Product) -> None:
    deployed.do("runs", "mark", "--state", "failed", "odd", "--", "a/b/../../c")
    deployed.do("runs", "clear", "odd", "--", "時" * 250)
    deployed.until(lambda: deployed.tasks("odd", "時" * 250)["tell"]["try_number"] == 2, "the task ran again")
    failed = [row["run_id"] for row in deployed.rows("runs", "list", "odd", "--state", "failed")]
    assert failed == ["a/b/../../c"]
