"""`airflow.example_dags.plugins.custom_partition_timetable`: scheduled runs whose tasks name their partitions, in code of our own."""

from airflow.plugins_manager import AirflowPlugin
from airflow.timetables.trigger import CronTriggerTimetable

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["ScheduledRuntimePartitionTimetable", "ScheduledRuntimePartitionTimetablePlugin"]


class ScheduledRuntimePartitionTimetable(CronTriggerTimetable):
    """The instants of a cron expression. The tasks of a run say to which partitions their asset events belong (`add_partitions`)."""

    partitioned_at_runtime = True


class ScheduledRuntimePartitionTimetablePlugin(AirflowPlugin):
    """Registers the timetable."""

    name = "scheduled_runtime_partition_timetable_plugin"
    timetables = [ScheduledRuntimePartitionTimetable]


__getattr__ = make_getattr(__name__)
