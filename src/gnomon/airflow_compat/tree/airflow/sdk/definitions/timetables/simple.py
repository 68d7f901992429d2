"""`airflow.sdk.definitions.timetables.simple`: the same names as `airflow.timetables.simple`."""

from airflow.timetables.simple import ContinuousTimetable, NullTimetable, OnceTimetable
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["ContinuousTimetable", "NullTimetable", "OnceTimetable"]
__getattr__ = make_getattr(__name__)
