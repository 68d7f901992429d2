"""The built-in timetables, and the base class of your own. Public: each module is imported when one of its names is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules import timetables as _package

if TYPE_CHECKING:
    from gnomon.rules.timetables.base import BuiltinTimetable, Timetable
    from gnomon.rules.timetables.business_days import BusinessDays
    from gnomon.rules.timetables.event_timetable import EventsTimetable
    from gnomon.rules.timetables.interval_timetables import CronDataIntervalTimetable, DeltaDataIntervalTimetable
    from gnomon.rules.timetables.multiple_crons import MultipleCronTriggerTimetable
    from gnomon.rules.timetables.partition_timetables import CronPartitionTimetable, PartitionedAtRuntime
    from gnomon.rules.timetables.periods.day_periods import Daily, Monthly, Weekly
    from gnomon.rules.timetables.periods.intraday_periods import DiscreteHours, Hourly, Minutely
    from gnomon.rules.timetables.registry import build, reference
    from gnomon.rules.timetables.simple_timetables import ContinuousTimetable, NullTimetable, OnceTimetable
    from gnomon.rules.timetables.trigger_timetables import CronTriggerTimetable, DeltaTriggerTimetable


__all__ = [
    "BuiltinTimetable",
    "BusinessDays",
    "ContinuousTimetable",
    "CronDataIntervalTimetable",
    "CronPartitionTimetable",
    "CronTriggerTimetable",
    "DagRunInfo",
    "Daily",
    "DataInterval",
    "DeltaDataIntervalTimetable",
    "DeltaTriggerTimetable",
    "DiscreteHours",
    "EventsTimetable",
    "Hourly",
    "Minutely",
    "Monthly",
    "MultipleCronTriggerTimetable",
    "NullTimetable",
    "OnceTimetable",
    "PartitionedAtRuntime",
    "TimeRestriction",
    "Timetable",
    "Weekly",
    "build",
    "reference",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(_package, name)
