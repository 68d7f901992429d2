"""Copies the orders and customers of the day before, on each business day."""

from datetime import timedelta

from office import OFFICE

from gnomon import DAG, task
from gnomon.timetables import BusinessDays

with DAG("extract", schedule=BusinessDays(OFFICE, at="04:00", timezone="Europe/Berlin"), start_date="2026-01-01"):

    @task(pool="etl", expected_duration=timedelta(minutes=40))
    def orders(): ...

    @task(pool="etl", expected_duration=timedelta(minutes=60))
    def customers(): ...

    orders()
    customers()
