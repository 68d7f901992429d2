"""`airflow.timetables.interval`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.timetables import CronDataIntervalTimetable, DeltaDataIntervalTimetable

__all__ = ["CronDataIntervalTimetable", "DeltaDataIntervalTimetable"]
__getattr__ = make_getattr(__name__)
