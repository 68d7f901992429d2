"""`airflow.timetables.simple`."""

from gnomon.airflow_compat.missing import missing
from gnomon.timetables import ContinuousTimetable, NullTimetable, OnceTimetable

__all__ = ["ContinuousTimetable", "NullTimetable", "OnceTimetable"]
__getattr__ = missing(__name__)
