"""What `schedule=` takes, turned into a timetable."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from gnomon.sdk import options

if TYPE_CHECKING:
    from gnomon.model.slots import TimetableRef


def timetable_of(schedule: Any, zone: dt.tzinfo) -> Any:
    """The timetable of a cron text, preset, timedelta, relativedelta, timetable object, assets, or None."""
    from gnomon import timetables  # rules of time are loaded with the first DAG, not with the module

    if schedule is None:
        return timetables.NullTimetable()
    if isinstance(schedule, str):
        return _from_text(schedule, zone)
    if isinstance(schedule, dt.timedelta) or _is_relativedelta(schedule):
        if options.boolean("scheduler", "create_delta_data_intervals"):
            return timetables.DeltaDataIntervalTimetable(schedule)
        return timetables.DeltaTriggerTimetable(schedule)
    if isinstance(schedule, timetables.Timetable) or hasattr(schedule, "next_dagrun_info"):
        return schedule
    from gnomon.sdk.assets import AssetTriggered, asset_condition  # most DAGs run by time

    condition = asset_condition(schedule)
    if condition is not None:
        return AssetTriggered(condition)
    raise TypeError(
        f"schedule {schedule!r} ({type(schedule).__name__}) is not understood. Use a cron text such as '0 6 * * *', "
        "a preset such as '@daily', a timedelta, a timetable, assets, or None"
    )


def _from_text(schedule: str, zone: dt.tzinfo) -> Any:
    from gnomon import timetables

    if schedule == "@once":
        return timetables.OnceTimetable()
    if schedule == "@continuous":
        return timetables.ContinuousTimetable()
    if schedule in ("None", "none", ""):
        raise ValueError(f"schedule {schedule!r} is a text; write None without quotes for a DAG without a schedule")
    if options.boolean("scheduler", "create_cron_data_intervals"):
        return timetables.CronDataIntervalTimetable(schedule, zone)
    return timetables.CronTriggerTimetable(schedule, timezone=zone)


def _is_relativedelta(value: Any) -> bool:
    """Told by its name: dateutil is loaded only by those who use it."""
    return any(kind.__name__ == "relativedelta" for kind in type(value).__mro__)


def reference(timetable: Any) -> TimetableRef:
    """The timetable as it is stored. Until assets can schedule, a DAG that waits for them is stored as one without a plan."""
    from gnomon import timetables
    from gnomon.model.slots import TimetableRef
    from gnomon.sdk.assets import AssetTriggered

    if isinstance(timetable, AssetTriggered):
        return TimetableRef(path="NullTimetable", summary=timetable.summary, description=timetable.description,
                            can_be_scheduled=False, periodic=False)
    return timetables.reference(timetable)
