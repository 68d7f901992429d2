"""`airflow.timetables.trigger`."""

from gnomon.airflow_compat.missing import missing
from gnomon.timetables import CronTriggerTimetable, DeltaTriggerTimetable, MultipleCronTriggerTimetable

__all__ = ["CronTriggerTimetable", "DeltaTriggerTimetable", "MultipleCronTriggerTimetable"]
__getattr__ = missing(__name__)
