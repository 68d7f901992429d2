"""A DAG on a timetable of a plugin: its run waits for a file, and for a trigger of the same plugin."""

from datetime import UTC, datetime, timedelta

from former_plugin import EveryHours, FlagSensor

from gnomon import DAG, task
from gnomon.operators import FileSensor

AGES = timedelta(days=36500)

with DAG(
    "inventory",
    schedule=EveryHours(12),
    start_date=datetime(2025, 1, 7, tzinfo=UTC),
    end_date=datetime(2025, 1, 7, 13, tzinfo=UTC),
    catchup=True,
):

    @task
    def count():
        from gnomon import Variable

        return int(Variable.get("shelves")) * 2

    [
        FileSensor(
            task_id="delivered",
            filepath="{{ var.value.home }}/delivered",
            deferrable=True,
            poke_interval=0.1,
            timeout=AGES,
        ),
        FlagSensor(task_id="flagged", name="counted"),
    ] >> count()
