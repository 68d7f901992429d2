"""`airflow.timetables.events`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.timetables import EventsTimetable

__all__ = ["EventsTimetable"]
__getattr__ = make_getattr(__name__)
