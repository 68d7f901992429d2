"""The argument `schedule`: turns its value into a timetable, and a timetable into its stored form."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.airflow_dialects import AirflowDialect, read_dialect

if TYPE_CHECKING:
    from gnomon.model.slots import TimetableRef


def parse_schedule(schedule: Any, zone: dt.tzinfo, dialect: AirflowDialect | None = None) -> Any:
    """Return the timetable for a cron text, a preset, a timedelta, a relativedelta, a timetable, assets, or None.

    `zone` is the time zone for cron texts. `dialect` decides whether the runs of a cron text or a timedelta have data intervals;
    None: `[core] airflow_dialect` decides. Raises TypeError or ValueError for another value.
    """
    from gnomon.rules import timetables  # loaded with the first DAG, not with this module

    if schedule is None:
        return timetables.NullTimetable()
    if isinstance(schedule, str):
        return _parse_text(schedule, zone, dialect or read_dialect())
    if isinstance(schedule, dt.timedelta) or _is_relativedelta(schedule):
        if (dialect or read_dialect()).read_boolean("scheduler", "create_delta_data_intervals"):
            return timetables.DeltaDataIntervalTimetable(schedule)
        return timetables.DeltaTriggerTimetable(schedule)
    if isinstance(schedule, type):
        raise TypeError(
            f"the schedule is the class {schedule.__name__}, not a timetable made from it; write {schedule.__name__}(...)"
        )
    if hasattr(schedule, "next_dagrun_info"):
        inner = getattr(schedule, "timetable", None)
        if inner is not None and getattr(schedule, "asset_condition", None) is not None:
            schedule.timetable = resolve_calendar(_check_base_class(inner, timetables.Timetable))
        return resolve_calendar(_check_base_class(schedule, timetables.Timetable))
    from gnomon.authoring.sdk.assets.asset_schedules import (  # most DAGs are not scheduled by assets
        AssetTriggeredTimetable,
        describe_wrong_asset,
        parse_asset_condition,
    )

    condition = parse_asset_condition(schedule)
    if condition is not None:
        return AssetTriggeredTimetable(condition)
    if isinstance(schedule, list | tuple):
        raise TypeError(describe_wrong_asset(schedule))
    raise TypeError(
        f"schedule {schedule!r} ({type(schedule).__name__}) is not understood. Use a cron text such as '0 6 * * *', "
        "a preset such as '@daily', a timedelta, a timetable, assets, or None"
    )


def resolve_calendar(timetable: Any) -> Any:
    """Return the timetable with the calendar of gnomon.toml that its `calendar="name"` names.

    Raises OptionError when gnomon.toml has no such calendar.
    """
    if getattr(timetable, "calendar_name", None) is None:
        return timetable
    from gnomon.authoring.sdk.schedules.named_calendars import calendar  # few DAGs use a calendar

    return timetable.on_calendar(calendar(timetable.calendar_name))


def _check_base_class(timetable: Any, base: type) -> Any:
    """Return the timetable. Raises TypeError when it does not derive from Timetable, which has the optional methods."""
    if base not in type(timetable).__mro__:
        name = type(timetable).__name__
        raise TypeError(
            f"{name} has next_dagrun_info but does not derive from Timetable; write `class {name}(Timetable)`, with "
            "`from airflow.timetables.base import Timetable`"
        )
    return timetable


def _parse_text(schedule: str, zone: dt.tzinfo, dialect: AirflowDialect) -> Any:
    from gnomon.rules import timetables  # loaded with the first DAG, not with this module

    if schedule == "@once":
        return timetables.OnceTimetable()
    if schedule == "@continuous":
        return timetables.ContinuousTimetable()
    if schedule in ("None", "none", ""):
        raise ValueError(f"schedule {schedule!r} is a text; write None without quotes for a DAG without a schedule")
    if dialect.read_boolean("scheduler", "create_cron_data_intervals"):
        return timetables.CronDataIntervalTimetable(schedule, zone)
    return timetables.CronTriggerTimetable(schedule, timezone=zone)


def _is_relativedelta(value: Any) -> bool:
    """Return whether the value is a relativedelta. The test uses the class name, so that dateutil is not imported."""
    return any(kind.__name__ == "relativedelta" for kind in type(value).__mro__)


def read_active_runs_limit(timetable: Any) -> int | None:
    """Return `active_runs_limit`; None when an author's property raises, which becomes an error when the DAG is stored."""
    try:
        limit = timetable.active_runs_limit
    except Exception:
        return None
    return limit if isinstance(limit, int) else None


def build_timetable_ref(timetable: Any) -> TimetableRef:
    """Return the stored form of the timetable of times; `DagSpec.asset_condition` has the schedule by assets."""
    from gnomon.authoring.sdk.schedules.author_timetable import build_author_timetable_ref, is_author_timetable
    from gnomon.rules.timetables.registry import reference  # loaded with the first DAG, not with this module

    if getattr(timetable, "asset_condition", None) is not None:
        from gnomon.authoring.sdk.assets.asset_schedules import (
            AssetOrTimeSchedule,
            AssetTriggeredTimetable,
        )
        from gnomon.model.slots import TimetableRef

        if isinstance(timetable, AssetTriggeredTimetable):
            return TimetableRef(
                path="NullTimetable",
                can_be_scheduled=False,
                periodic=False,
                has_partitions=timetable.partitioned,
            )
        if isinstance(timetable, AssetOrTimeSchedule):
            return build_timetable_ref(timetable.timetable)
    if is_author_timetable(timetable):
        return build_author_timetable_ref(timetable)
    return reference(timetable)
