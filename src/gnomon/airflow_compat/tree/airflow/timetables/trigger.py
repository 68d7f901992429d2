"""`airflow.timetables.trigger`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.timetables import (
    CronPartitionTimetable,
    CronTriggerTimetable,
    DeltaTriggerTimetable,
    MultipleCronTriggerTimetable,
)

__all__ = ["CronPartitionTimetable", "CronTriggerTimetable", "DeltaTriggerTimetable", "MultipleCronTriggerTimetable"]
__getattr__ = make_getattr(__name__)
