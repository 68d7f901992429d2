"""`airflow.sdk.definitions.timetables.interval`: the same names as `airflow.timetables.interval`."""

from airflow.timetables.interval import CronDataIntervalTimetable, DeltaDataIntervalTimetable
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["CronDataIntervalTimetable", "DeltaDataIntervalTimetable"]
__getattr__ = make_getattr(__name__)
