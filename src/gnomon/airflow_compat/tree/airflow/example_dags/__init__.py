"""`airflow.example_dags`: of the examples, the timetable alone."""

from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
