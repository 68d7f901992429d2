"""`airflow.timetables.events`."""

from gnomon.airflow_compat.missing import missing
from gnomon.timetables import EventsTimetable

__all__ = ["EventsTimetable"]
__getattr__ = missing(__name__)
