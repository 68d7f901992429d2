"""Loads what was extracted on the same day."""

from datetime import timedelta

from office import OFFICE

from gnomon import DAG, After, task
from gnomon.timetables import BusinessDays

with DAG(
    "load",
    schedule=BusinessDays(OFFICE, at="04:00", timezone="Europe/Berlin"),
    start_date="2026-01-01",
    depends_on=[After("extract")],
):

    @task(pool="etl", expected_duration=timedelta(minutes=50))
    def facts(): ...

    @task(pool="etl", expected_duration=timedelta(minutes=20))
    def dimensions(): ...

    dimensions() >> facts()
