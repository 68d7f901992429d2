"""The questions to an author's timetable, in every release's words; instants are pendulum's from here on."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.planning.author_calls import call_author_method, is_author_method, missing_method_error
from gnomon.timetables.wall_clock.zones import to_utc

if TYPE_CHECKING:
    import pendulum

NEXT = "(self, *, last_automated_data_interval, restriction)"
NEXT_V2 = "(self, *, last_dagrun_info, restriction)"
MANUAL = "(self, *, run_after)"
RUN_ID = "(self, *, run_type, run_after, data_interval, **extra)"


def find_next_method(timetable: object) -> str | None:
    """The author's method that says the next run; None when the class is ours all through."""
    for method in ("next_dagrun_info_v2", "next_dagrun_info"):
        if is_author_method(timetable, method):
            return method
    return None


def ask_author_next(timetable: object, method: str, last: DagRunInfo | None, restriction: TimeRestriction) -> Any:
    """What the author's method answers; Airflow 2.2's first name for the last run gave its logical date."""
    info = None if last is None else _to_author_info(last)
    earliest, latest, catchup = restriction
    offered = {
        "last_automated_data_interval": None if info is None else info.data_interval or DataInterval.exact(info.run_after),
        "restriction": TimeRestriction(_to_pendulum_or_none(earliest), _to_pendulum_or_none(latest), catchup),
        "last_automated_dagrun": None if info is None else info.logical_date or info.run_after,
        "last_dagrun_info": info,
    }
    names = ("last_dagrun_info", "restriction") if method == "next_dagrun_info_v2" else (
        "last_automated_data_interval", "restriction", "last_automated_dagrun",
    )
    wanted = NEXT_V2 if method == "next_dagrun_info_v2" else NEXT
    return call_author_method(timetable, method, {name: offered[name] for name in names}, wanted)


def ask_author_manual(timetable: object, run_after: datetime) -> Any:
    """The data interval that the author infers for a run that is started by hand."""
    method = find_manual_method(timetable)
    return call_author_method(timetable, method, {"run_after": to_pendulum(run_after)}, MANUAL)


def find_manual_method(timetable: object) -> str:
    """Its name; the class of before Airflow 2.2 has a shorter one."""
    written = is_author_method(timetable, "infer_manual_data_interval")
    old = not written and is_author_method(timetable, "infer_data_interval")
    return "infer_data_interval" if old else "infer_manual_data_interval"


def ask_author_run_id(
    timetable: object, run_type: DagRunType, info: DagRunInfo, logical_date: datetime | None = None
) -> Any:
    """The author's own id: asked with run_after (3.x), logical_date (2.x), or whatever of both it takes."""
    given = _to_author_info(info)
    offered = {
        "run_type": run_type, "run_after": given.run_after,
        "logical_date": given.logical_date if logical_date is None else to_pendulum(logical_date),
        "data_interval": given.data_interval,
    }  # fmt: skip
    return call_author_method(timetable, "generate_run_id", offered, RUN_ID)


def missing_next_method_error(timetable: object) -> Exception:
    """The error for an author's class that says no next run."""
    return missing_method_error(timetable, "next_dagrun_info", NEXT)


def to_pendulum(given: datetime) -> pendulum.DateTime:
    """The instant as authors get it: pendulum's, in UTC."""
    import pendulum

    return pendulum.instance(to_utc(given))


def _to_pendulum_or_none(given: datetime | None) -> pendulum.DateTime | None:
    return None if given is None else to_pendulum(given)


def _to_author_info(given: DagRunInfo) -> DagRunInfo:
    interval = given.data_interval
    return DagRunInfo(
        to_pendulum(given.run_after), None if interval is None else DataInterval(to_pendulum(interval.start), to_pendulum(interval.end))
    )
