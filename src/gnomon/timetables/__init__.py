"""Timetables: when a DAG runs, and about which stretch of data. Pure but for `ambient`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction

if TYPE_CHECKING:
    from gnomon.timetables.base import BuiltinTimetable, Timetable
    from gnomon.timetables.businessdays import BusinessDays
    from gnomon.timetables.bydays import Daily, Monthly, Weekly
    from gnomon.timetables.events import EventsTimetable
    from gnomon.timetables.interval import CronDataIntervalTimetable, DeltaDataIntervalTimetable
    from gnomon.timetables.multiple import MultipleCronTriggerTimetable
    from gnomon.timetables.registry import build, reference
    from gnomon.timetables.simple import ContinuousTimetable, NullTimetable, OnceTimetable
    from gnomon.timetables.trigger import CronTriggerTimetable, DeltaTriggerTimetable
    from gnomon.timetables.withinday import DiscreteHours, Hourly, Minutely

_HOMES = {
    "BuiltinTimetable": "base",
    "BusinessDays": "businessdays",
    "ContinuousTimetable": "simple",
    "CronDataIntervalTimetable": "interval",
    "CronTriggerTimetable": "trigger",
    "Daily": "bydays",
    "DeltaDataIntervalTimetable": "interval",
    "DeltaTriggerTimetable": "trigger",
    "DiscreteHours": "withinday",
    "EventsTimetable": "events",
    "Hourly": "withinday",
    "Minutely": "withinday",
    "Monthly": "bydays",
    "MultipleCronTriggerTimetable": "multiple",
    "NullTimetable": "simple",
    "OnceTimetable": "simple",
    "Timetable": "base",
    "Weekly": "bydays",
    "build": "registry",
    "reference": "registry",
}

__all__ = [
    "BuiltinTimetable",
    "BusinessDays",
    "ContinuousTimetable",
    "CronDataIntervalTimetable",
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
    "TimeRestriction",
    "Timetable",
    "Weekly",
    "build",
    "reference",
]


def __getattr__(name: str) -> Any:
    """Imports the module of a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
