"""`airflow.sdk.bases.timetable`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.timetables import Timetable as BaseTimetable

__all__ = ["BaseTimetable"]
__getattr__ = make_getattr(__name__)
