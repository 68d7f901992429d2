"""The report that people read at seven."""

from datetime import timedelta

from office import OFFICE

from gnomon import DAG, After, Baseline, task
from gnomon.timetables import BusinessDays

with DAG(
    "report",
    schedule=BusinessDays(OFFICE, at="04:30", timezone="Europe/Berlin"),
    start_date="2026-01-01",
    depends_on=[After("load")],
    baselines=[Baseline("07:00", margin=900)],
):

    @task(expected_duration=timedelta(minutes=15))
    def build(): ...

    build()
