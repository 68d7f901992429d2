"""Calls the methods of an author's timetable, with the parameters of each Airflow release. Authors get pendulum instants."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.rules.planning.author_calls import call_author_method, is_author_method, missing_method_error
from gnomon.rules.timetables.wall_clock.zones import to_utc

if TYPE_CHECKING:
    import pendulum

# Signatures that error messages recommend.
NEXT = "(self, *, last_automated_data_interval, restriction)"
NEXT_V2 = "(self, *, last_dagrun_info, restriction)"
MANUAL = "(self, *, run_after)"
RUN_ID = "(self, *, run_type, run_after, data_interval, **extra)"


def find_next_method(timetable: object) -> str | None:
    """The name of the author's method that computes the next run; None if only Gnomon's classes define one."""
    for method in ("next_dagrun_info_v2", "next_dagrun_info"):
        if is_author_method(timetable, method):
            return method
    return None


def ask_author_next(timetable: object, method: str, last: DagRunInfo | None, restriction: TimeRestriction) -> Any:
    """The result of the author's method. The first parameter of Airflow 2.2, `last_automated_dagrun`, is a logical date."""
    info = None if last is None else _to_author_info(last)
    earliest, latest, catchup = restriction
    offered = {
        "last_automated_data_interval": None
        if info is None
        else info.data_interval or DataInterval.exact(info.run_after),
        "restriction": TimeRestriction(_to_pendulum_or_none(earliest), _to_pendulum_or_none(latest), catchup),
        "last_automated_dagrun": None if info is None else info.logical_date or info.run_after,
        "last_dagrun_info": info,
    }
    names = (
        ("last_dagrun_info", "restriction")
        if method == "next_dagrun_info_v2"
        else (
            "last_automated_data_interval",
            "restriction",
            "last_automated_dagrun",
        )
    )
    signature_hint = NEXT_V2 if method == "next_dagrun_info_v2" else NEXT
    return call_author_method(timetable, method, {name: offered[name] for name in names}, signature_hint)


def ask_author_manual(timetable: object, run_after: datetime) -> Any:
    """The data interval that the author's method infers for a manual run at `run_after`."""
    method = find_manual_method(timetable)
    return call_author_method(timetable, method, {"run_after": to_pendulum(run_after)}, MANUAL)


def find_manual_method(timetable: object) -> str:
    """The name of the method that infers the interval of a manual run; classes from before Airflow 2.2 have a shorter one."""
    written = is_author_method(timetable, "infer_manual_data_interval")
    old = not written and is_author_method(timetable, "infer_data_interval")
    return "infer_data_interval" if old else "infer_manual_data_interval"


def ask_author_run_id(
    timetable: object, run_type: DagRunType, info: DagRunInfo, logical_date: datetime | None = None
) -> Any:
    """The run id of the author's method, which takes run_after (Airflow 3), logical_date (Airflow 2), or both."""
    author_info = _to_author_info(info)
    offered = {
        "run_type": run_type,
        "run_after": author_info.run_after,
        "logical_date": author_info.logical_date if logical_date is None else to_pendulum(logical_date),
        "data_interval": author_info.data_interval,
    }
    return call_author_method(timetable, "generate_run_id", offered, RUN_ID)


def missing_next_method_error(timetable: object) -> Exception:
    """The error for an author's class without a method for the next run."""
    return missing_method_error(timetable, "next_dagrun_info", NEXT)


def to_pendulum(instant: datetime) -> pendulum.DateTime:
    """The instant as a pendulum datetime in UTC, the type that authors get."""
    import pendulum  # slow to import: only timetables of authors get its objects

    return pendulum.instance(to_utc(instant))


def _to_pendulum_or_none(instant: datetime | None) -> pendulum.DateTime | None:
    return None if instant is None else to_pendulum(instant)


def _to_author_info(info: DagRunInfo) -> DagRunInfo:
    interval = info.data_interval
    return DagRunInfo(
        to_pendulum(info.run_after),
        None if interval is None else DataInterval(to_pendulum(interval.start), to_pendulum(interval.end)),
    )
