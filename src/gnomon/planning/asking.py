"""Questions to a timetable, and the checks of its answers: whatever is wrong becomes one PlanningError."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from gnomon.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.ids import RUN_ID_MAX
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.slots import Cursor, DagRunInfo, DataInterval, PlannedRun, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.timetables.base import BuiltinTimetable, Timetable

_Answer = TypeVar("_Answer")


def ask_next(
    timetable: Timetable, last: Cursor | None, restriction: TimeRestriction, now: Instant
) -> PlannedRun | None:
    """The slot after `last`, checked and with its run id; None when there is none."""
    method = "plan_next" if isinstance(timetable, BuiltinTimetable) else "next_dagrun_info"
    before = None if last is None else _info_of(last)
    info = _call(timetable, method, lambda: timetable.plan_next(before, restriction, to_datetime(now)))
    if info is None:
        return None
    if not isinstance(info, DagRunInfo):
        raise _wrong(timetable, method, f"returned {type(info).__name__}; return a DagRunInfo or None")
    interval = info.data_interval
    run_after = _instant(timetable, method, "run_after", info.run_after)
    start = None if interval is None else _instant(timetable, method, "data_interval.start", interval.start)
    end = None if interval is None else _instant(timetable, method, "data_interval.end", interval.end)
    slot = Cursor(run_after=run_after, interval_start=start, interval_end=end)
    _check_order(timetable, method, last, slot)
    run_id = _run_id(timetable, DagRunType.SCHEDULED, info)
    return PlannedRun(run_id=run_id, run_after=run_after, interval_start=start, interval_end=end)


def ask_manual(timetable: Timetable, moment: Instant) -> DataInterval:
    """The data interval of a run that somebody started by hand, inferred from `moment`; instants checked."""
    method = "infer_manual_data_interval"
    asked = _call(timetable, method, lambda: timetable.infer_manual_data_interval(run_after=to_datetime(moment)))
    if not isinstance(asked, DataInterval):
        raise _wrong(timetable, method, f"returned {type(asked).__name__}; return a DataInterval")
    for name, value in (("start", asked.start), ("end", asked.end)):
        _instant(timetable, method, name, value)
    return asked


def ask_run_id(timetable: Timetable, run_type: DagRunType, run_after: Instant, interval: DataInterval) -> str:
    """The id that the timetable gives to a run."""
    return _run_id(timetable, run_type, DagRunInfo(to_datetime(run_after), interval))


def _run_id(timetable: Timetable, run_type: DagRunType, info: DagRunInfo) -> str:
    """The timetable's own id, asked with the arguments that its signature takes (2.x: logical_date, 3.x: run_after)."""
    offered: dict[str, Any] = {
        "run_type": run_type,
        "run_after": info.run_after,
        "logical_date": info.logical_date,
        "data_interval": info.data_interval,
    }
    generate = timetable.generate_run_id
    if type(timetable).generate_run_id is not Timetable.generate_run_id:
        takes = inspect.signature(generate).parameters.values()
        if not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in takes):
            names = {parameter.name for parameter in takes}
            offered = {name: value for name, value in offered.items() if name in names}
    run_id = _call(timetable, "generate_run_id", lambda: generate(**offered))
    if not isinstance(run_id, str) or not 1 <= len(run_id) <= RUN_ID_MAX:
        raise _wrong(
            timetable, "generate_run_id", f"returned {run_id!r}; return a text of 1 to {RUN_ID_MAX} characters"
        )
    return run_id


def _check_order(timetable: Timetable, method: str, last: Cursor | None, slot: Cursor) -> None:
    """A slot comes after the one before it, or time would stand still for this DAG."""
    start, end = slot.interval_start, slot.interval_end
    if start is not None and end is not None and end < start:
        raise _wrong(timetable, method, "returned a data interval that ends before it starts; swap start and end")
    if last is None or timetable.follows_runs or slot.run_after > last.run_after:
        return
    if start is None or last.interval_start is None or start <= last.interval_start:
        raise _wrong(
            timetable,
            method,
            f"returned a run after {to_datetime(slot.run_after).isoformat()}, which is not later than the last one, "
            f"{to_datetime(last.run_after).isoformat()}; return a later one, or None when there are no more",
        )


def _info_of(last: Cursor) -> DagRunInfo:
    if last.interval_start is None or last.interval_end is None:
        return DagRunInfo(to_datetime(last.run_after), None)
    interval = DataInterval(to_datetime(last.interval_start), to_datetime(last.interval_end))
    return DagRunInfo(to_datetime(last.run_after), interval)


def _instant(timetable: Timetable, method: str, name: str, value: object) -> Instant:
    if not isinstance(value, datetime):
        raise _wrong(timetable, method, f"returned {value!r} as {name}; return a datetime with a time zone")
    if value.utcoffset() is None:
        raise _wrong(timetable, method, f"returned the naive datetime {value} as {name}; give it a time zone")
    return to_instant(value)


def _call(timetable: Timetable, method: str, question: Callable[[], _Answer]) -> _Answer:
    """The answer; author code may raise anything, and none of it may disturb another DAG."""
    try:
        return question()
    except AirflowTimetableInvalid as error:
        raise PlanningError(str(error)) from error
    except Exception as error:
        raise _wrong(timetable, method, f"raised {type(error).__name__}: {error}; see to its timetable") from error


def _wrong(timetable: Timetable, method: str, what: str) -> PlanningError:
    return PlanningError(f"{type(timetable).__name__}.{method} {what}")
