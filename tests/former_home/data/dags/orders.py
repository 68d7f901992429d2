"""A DAG on a built-in timetable: mapped tasks before and after a sensor that waits for a moment."""

from datetime import UTC, datetime, timedelta

from gnomon import DAG, task
from gnomon.calendars import Weekends
from gnomon.operators import DateTimeSensorAsync
from gnomon.timetables import Daily

AGES = timedelta(days=36500)

with DAG(
    "orders",
    schedule=Daily(at="06:00", calendar=Weekends(), interval=timedelta(days=1)),
    start_date=datetime(2025, 1, 5, tzinfo=UTC),
    end_date=datetime(2025, 1, 8, 12, tzinfo=UTC),
    catchup=True,
    max_active_runs=1,
):

    @task
    def extract():
        return [1, 2, 3]

    @task
    def double(value):
        return 2 * value

    @task
    def load(value):
        return value + 1

    @task
    def report(values):
        return sum(values)

    doubled = double.expand(value=extract())
    closed = DateTimeSensorAsync(
        task_id="closed", target_time="{{ data_interval_end + macros.timedelta(hours=10) }}", timeout=AGES
    )
    doubled >> closed
    loaded = load.expand(value=doubled)
    closed >> loaded
    report(loaded)
