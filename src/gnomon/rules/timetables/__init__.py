"""Timetables: when a DAG runs, and the data interval of each run. Open `base.py` first: `Timetable` and `BuiltinTimetable`.

`trigger_timetables.py` has Airflow 3's defaults and `interval_timetables.py` Airflow 2's; `simple_timetables.py`,
`event_timetable.py`, `multiple_crons.py` and
`partition_timetables.py` are the other timetables of Airflow. Folders: `cron/` (cron expressions), `periods/`
(Minutely to Monthly), `business/` (business calendars) and `wall_clock/` (time zones and clock changes). `registry.py` converts
between timetables and their stored form. Pure, except `system_time.py`, which reads the clock for authors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction

_MODULES = {
    "BuiltinTimetable": "base",
    "BusinessDays": "business_days",
    "ContinuousTimetable": "simple_timetables",
    "CronDataIntervalTimetable": "interval_timetables",
    "CronPartitionTimetable": "partition_timetables",
    "CronTriggerTimetable": "trigger_timetables",
    "Daily": "periods.day_periods",
    "DeltaDataIntervalTimetable": "interval_timetables",
    "DeltaTriggerTimetable": "trigger_timetables",
    "DiscreteHours": "periods.intraday_periods",
    "EventsTimetable": "event_timetable",
    "Hourly": "periods.intraday_periods",
    "Minutely": "periods.intraday_periods",
    "Monthly": "periods.day_periods",
    "MultipleCronTriggerTimetable": "multiple_crons",
    "NullTimetable": "simple_timetables",
    "OnceTimetable": "simple_timetables",
    "PartitionedAtRuntime": "partition_timetables",
    "Timetable": "base",
    "Weekly": "periods.day_periods",
    "build": "registry",
    "reference": "registry",
}

__all__ = ["DagRunInfo", "DataInterval", "TimeRestriction", *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Imports the module of a name at its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
