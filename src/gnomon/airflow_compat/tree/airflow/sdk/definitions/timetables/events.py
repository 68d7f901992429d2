"""`airflow.sdk.definitions.timetables.events`: the same names as `airflow.timetables.events`."""

from airflow.timetables.events import EventsTimetable
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["EventsTimetable"]
__getattr__ = make_getattr(__name__)
