"""`airflow.sdk.definitions.timetables.trigger`: the same names as `airflow.timetables.trigger`."""

from airflow.timetables.trigger import CronTriggerTimetable, DeltaTriggerTimetable, MultipleCronTriggerTimetable
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["CronTriggerTimetable", "DeltaTriggerTimetable", "MultipleCronTriggerTimetable"]
__getattr__ = make_getattr(__name__)
