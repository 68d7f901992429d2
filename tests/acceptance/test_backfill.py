"""A backfill as a user runs it, beside the scheduled runs of its DAG."""

from __future__ import annotations

from tests.acceptance.product import product

DAGS = """
from datetime import datetime, timedelta, timezone

from airflow.sdk import DAG, task
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable


class EveryThirdHour(Timetable):
    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        last = last_automated_data_interval
        at = restriction.earliest if last is None else last.end + timedelta(hours=3)
        return DagRunInfo.exact(at) if at is not None and (restriction.latest is None or at <= restriction.latest) else None


START = datetime(2025, 6, 1, tzinfo=timezone.utc)  # after the range: the dates of a DAG do not bound a backfill
for name, schedule in (("hourly", "@hourly"), ("thirds", EveryThirdHour())):
    with DAG(name, schedule=schedule, start_date=START, catchup=False, is_paused_upon_creation=False, end_date=START + timedelta(hours=1)):

        @task
        def say(logical_date=None, dag_run=None):
            print("about", logical_date, dag_run.run_type, dag_run.conf)

        say()
"""
RANGE = ("--from", "2025-02-01", "--to", "2025-02-01T06:00")


def test_a_backfill_runs_each_slot_once_for_built_in_and_author_timetables() -> None:
    with product({"dags.py": DAGS}) as gnomon:
        gnomon.has_dag("thirds")
        for dag_id, count in (("hourly", 7), ("thirds", 3)):
            said = gnomon.do("backfill", "create", dag_id, *RANGE, "--wait", "--conf", '{"k": 1}')
            assert said.splitlines()[-1].endswith(f"is complete: {count} of {count} slots finished: {count} success")
            runs = [row for row in gnomon.rows("runs", "list", dag_id) if row["run_type"] == "backfill"]
            assert len(runs) == count
            assert {row["state"] for row in runs} == {"success"}
        log = gnomon.task_log("hourly", "backfill__2025-02-01T03:00:00+00:00", "say")
        assert "about 2025-02-01 03:00:00+00:00 backfill {'k': 1}" in log
        again = gnomon.do("backfill", "create", "hourly", *RANGE, "--wait")
        assert again.splitlines()[-1].endswith("is complete: 7 of 7 slots finished: 7 left as they were")
