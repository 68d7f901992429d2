"""`airflow.timetables.simple`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.timetables import ContinuousTimetable, NullTimetable, OnceTimetable

__all__ = ["ContinuousTimetable", "NullTimetable", "OnceTimetable"]
__getattr__ = make_getattr(__name__)
