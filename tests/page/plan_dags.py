"""The DAG files of the tests of plans: run form, backfills, calendar, code, details, audit log."""

PLAN_FILES = {
    "plan_form.py": """
from airflow.sdk import DAG, Param, task

with DAG(
    "plan_form", schedule=None, tags=["plan"], max_active_runs=3,
    params={
        "day": Param(3, type="integer", minimum=1, maximum=31, title="Day of the month", description="which day is loaded"),
        "ratio": Param(None, type=["null", "number"], description="share of the rows"),
        "colour": Param("red", enum=["red", "green"], values_display={"red": "Red as wine", "green": "Green"}),
        "since": Param("2026-03-01", type="string", format="date", section="Times"),
        "at": Param("2026-03-01T12:00:00+00:00", type="string", format="date-time", section="Times"),
        "names": Param(["one", "two"], type="array", items={"type": "string"}),
        "several": Param(["a"], type="array", examples=["a", "b", "c"]),
        "tree": Param({"deep": [1, 2]}, type="object"),
        "on": Param(True, type="boolean"),
        "always": Param(42, const=42),
        "code": Param(type="string", pattern="^[A-Z]{3}$", description="three capital letters"),
    },
):

    @task
    def load(params=None):
        print(params)

    load()
""",
    "plan_year.py": """
from datetime import UTC, datetime

from gnomon import DAG, task
from gnomon.calendars import Weekends
from gnomon.timetables import CronTriggerTimetable

MORNINGS = CronTriggerTimetable("0 6 * * *", timezone="Europe/Berlin", calendar=Weekends())

with DAG("plan_year", schedule=MORNINGS, start_date=datetime(2026, 1, 5, tzinfo=UTC), end_date=datetime(2027, 2, 1, tzinfo=UTC), catchup=False):

    @task
    def step(dag_run=None):
        if dag_run.logical_date and dag_run.logical_date.day == 3:
            raise ValueError("the third is bad")

    step()
""",
    "plan_hourly.py": """
from datetime import UTC, datetime

from airflow.sdk import DAG, task
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG("plan_hourly", schedule=CronDataIntervalTimetable("0 * * * *", timezone="UTC"), start_date=datetime(2026, 1, 1, tzinfo=UTC), catchup=False):

    @task
    def load():
        print("loaded")

    load()
""",
    "plan_daily.py": """
from datetime import UTC, datetime

from airflow.sdk import DAG, task

with DAG("plan_daily", schedule="0 3 * * *", start_date=datetime(2026, 1, 1, tzinfo=UTC), catchup=False):

    @task(pool="none_free")
    def load():
        print("loaded")

    load()
""",
    "plan_odd.py": '''
from datetime import UTC, datetime, timedelta

import pendulum

from airflow.sdk import DAG, Asset, task
from airflow.timetables.base import DagRunInfo, Timetable


class FifthOfMonth(Timetable):
    """Runs at the start of the fifth day of each month."""

    def infer_manual_data_interval(self, run_after):
        from airflow.timetables.base import DataInterval

        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        after = last_automated_data_interval.end if last_automated_data_interval else (restriction.earliest or datetime(2026, 1, 1, tzinfo=UTC)) - timedelta(seconds=1)
        at = pendulum.instance(after).in_timezone("UTC").replace(day=5, hour=12, minute=0, second=0, microsecond=0)
        if at <= after:
            at = at.add(months=1)
        return None if restriction.latest and at > restriction.latest else DagRunInfo.exact(at)


with DAG("plan_minutes", schedule="* * * * *", start_date=pendulum.datetime(2026, 12, 1, tz="Europe/Berlin"), catchup=False):

    @task
    def tick():
        pass

    tick()

with DAG("plan_assets", schedule=[Asset("plan_asset")]):

    @task
    def use():
        pass

    use()

with DAG("plan_author", schedule=FifthOfMonth(), start_date=datetime(2026, 12, 1, tzinfo=UTC), catchup=False):

    @task
    def step():
        pass

    step()
''',
    "plan_code.py": """
from airflow.sdk import DAG, task

with DAG(
    "plan_code", schedule=None, max_active_runs=2, default_args={"owner": "ann"},
    owner_links={"ann": "https://example.org/ann"}, doc_md="# What it does",
):

    @task
    def first():
        text = "a string"  # a comment
        print(text)

    @task
    def last():
        print(1 + 2)

    first() >> last()
""",
}
"""By name: their texts. `plan_form.py` has the params of each kind; `plan_odd.py` the schedules that calendars of others get wrong."""
