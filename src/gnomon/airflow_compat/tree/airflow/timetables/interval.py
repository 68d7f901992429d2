"""`airflow.timetables.interval`."""

from gnomon.airflow_compat.missing import missing
from gnomon.timetables import CronDataIntervalTimetable, DeltaDataIntervalTimetable

__all__ = ["CronDataIntervalTimetable", "DeltaDataIntervalTimetable"]
__getattr__ = missing(__name__)
