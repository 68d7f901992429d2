"""Calls a timetable and checks its results; every fault becomes a PlanningError that names class, method and remedy."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.ids import find_partition_key_fault, find_run_id_fault
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.slots import Cursor, DagRunInfo, DataInterval, PlannedRun, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.rules.planning.author_calls import is_author_method, wrong_answer_error
from gnomon.rules.planning.author_methods import (
    ask_author_manual,
    ask_author_next,
    ask_author_run_id,
    find_manual_method,
    find_next_method,
    missing_next_method_error,
)
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable

_Answer = TypeVar("_Answer")


def ask_next(
    timetable: Timetable, last: Cursor | None, restriction: TimeRestriction, now: Instant
) -> PlannedRun | None:
    """The slot after `last`, with its run id; None if there is none. Raises PlanningError when the timetable fails."""
    method, info = _ask_next(timetable, None if last is None else _to_dag_run_info(last), restriction, now)
    if info is None:
        return None
    if not isinstance(info, DagRunInfo):
        raise wrong_answer_error(timetable, method, f"returned {_describe_type(info)}; return a DagRunInfo or None")
    _check_partition(timetable, method, info)
    interval = _check_interval(timetable, method, info.data_interval)
    run_after = _check_instant(timetable, method, "run_after", info.run_after)
    start = None if interval is None else _check_instant(timetable, method, "data_interval.start", interval.start)
    end = None if interval is None else _check_instant(timetable, method, "data_interval.end", interval.end)
    slot = Cursor(run_after=run_after, interval_start=start, interval_end=end)
    _check_order(timetable, method, last, slot)
    date = (
        None
        if info.partition_date is None
        else _check_instant(timetable, method, "partition_date", info.partition_date)
    )
    run_id = ask_run_id(timetable, DagRunType.SCHEDULED, run_after, interval, partition_key=info.partition_key)
    return PlannedRun(
        run_id=run_id,
        run_after=run_after,
        interval_start=start,
        interval_end=end,
        partition_key=info.partition_key,
        partition_date=date,
    )


def _check_partition(timetable: Timetable, method: str, info: DagRunInfo) -> None:
    """Raises PlanningError for a partition of a timetable without partitions, and for an invalid key."""
    key = info.partition_key
    if key is None and info.partition_date is None:
        return
    if not timetable.partitioned:
        raise wrong_answer_error(
            timetable,
            method,
            "returned a run of a partition; set `partitioned = True` on the class, or leave partition_key and partition_date out",
        )
    fault = (
        "returned a partition_date without a partition_key; give it a key"
        if key is None
        else find_partition_key_fault(key)
    )
    if fault is not None:
        raise wrong_answer_error(timetable, method, fault)


def ask_manual(timetable: Timetable, moment: Instant) -> DataInterval:
    """The data interval of a manual run at `moment`. Raises PlanningError when the timetable fails."""
    method, at = find_manual_method(timetable), to_datetime(moment)
    if isinstance(timetable, BuiltinTimetable) and not is_author_method(timetable, method):
        interval = _call(timetable, method, lambda: timetable.infer_manual_data_interval(run_after=at))
    else:
        interval = ask_author_manual(timetable, at)
    if not isinstance(interval, DataInterval):
        raise wrong_answer_error(timetable, method, f"returned {_describe_type(interval)}; return a DataInterval")
    start, end = (
        _check_instant(timetable, method, name, value) for name, value in zip(("start", "end"), interval, strict=True)
    )
    if end < start:
        raise wrong_answer_error(timetable, method, _REVERSED)
    return interval


def ask_run_id(
    timetable: Timetable,
    run_type: DagRunType,
    run_after: Instant,
    interval: DataInterval | None,
    logical_at: Instant | None = None,
    partition_key: str | None = None,
) -> str:
    """The run id that the timetable generates. Raises PlanningError if it is not a valid run id.

    `logical_at`: the logical_date for a signature of Airflow 2; default: the start of the interval.
    """
    info = DagRunInfo(to_datetime(run_after), interval)
    if not is_author_method(timetable, "generate_run_id"):
        extra: dict[str, Any] = {} if partition_key is None else {"partition_key": partition_key}
        return timetable.generate_run_id(run_type=run_type, run_after=info.run_after, data_interval=interval, **extra)
    run_id = ask_author_run_id(timetable, run_type, info, None if logical_at is None else to_datetime(logical_at))
    if not isinstance(run_id, str):
        raise wrong_answer_error(timetable, "generate_run_id", f"returned {_describe_type(run_id)}; return a text")
    fault = find_run_id_fault(run_id)
    if fault is not None:
        raise wrong_answer_error(timetable, "generate_run_id", f"returned {_shorten(run_id)}: {fault}")
    return str(run_id)


def _ask_next(
    timetable: Timetable, last: DagRunInfo | None, restriction: TimeRestriction, now: Instant
) -> tuple[str, Any]:
    """The name of the method that was called, and its result."""
    method = find_next_method(timetable)
    if method is not None:
        return method, ask_author_next(timetable, method, last, restriction)
    if not isinstance(timetable, BuiltinTimetable):
        raise missing_next_method_error(timetable)
    return "plan_next", _call(timetable, "plan_next", lambda: timetable.plan_next(last, restriction, to_datetime(now)))


def _check_order(timetable: Timetable, method: str, last: Cursor | None, slot: Cursor) -> None:
    """Raises PlanningError unless `slot` comes after `last`: planning would never advance otherwise."""
    start, end = slot.interval_start, slot.interval_end
    if start is not None and end is not None and end < start:
        raise wrong_answer_error(timetable, method, _REVERSED)
    if last is None or timetable.follows_runs:
        return
    if slot.run_after > last.run_after:
        if start is not None and (start, end) == (last.interval_start, last.interval_end):
            raise wrong_answer_error(
                timetable,
                method,
                f"returned the data interval from {to_datetime(start).isoformat()} once more, with a later run_after; "
                "return the interval after the last one, or None when there are no more",
            )
        return
    if start is None or last.interval_start is None or start <= last.interval_start:
        raise wrong_answer_error(
            timetable,
            method,
            f"returned a run after {to_datetime(slot.run_after).isoformat()}, which is not later than the last one, "
            f"{to_datetime(last.run_after).isoformat()}; return a later one, or None when there are no more",
        )


def _to_dag_run_info(last: Cursor) -> DagRunInfo:
    if last.interval_start is None or last.interval_end is None:
        return DagRunInfo(to_datetime(last.run_after), None)
    interval = DataInterval(to_datetime(last.interval_start), to_datetime(last.interval_end))
    return DagRunInfo(to_datetime(last.run_after), interval)


def _check_interval(timetable: Timetable, method: str, interval: object) -> DataInterval | None:
    """The data interval of a result; a plain pair is accepted."""
    if interval is None:
        return None
    if not isinstance(interval, tuple) or len(interval) != 2:
        raise wrong_answer_error(
            timetable, method, f"returned {_describe_type(interval)} as data_interval; return a DataInterval or None"
        )
    return DataInterval(*interval)


def _check_instant(timetable: Timetable, method: str, name: str, value: object) -> Instant:
    if not isinstance(value, datetime):
        raise wrong_answer_error(timetable, method, f"returned {value!r} as {name}; return a datetime with a time zone")
    if value.utcoffset() is None:
        raise wrong_answer_error(
            timetable,
            method,
            f"returned the naive datetime {value} as {name}; give it a time zone, for example tzinfo=UTC",
        )
    return to_instant(value)


def _call(timetable: Timetable, method: str, question: Callable[[], _Answer]) -> _Answer:
    """The result of a built-in timetable; errors that the author's arguments cause become PlanningErrors."""
    try:
        return question()
    except AirflowTimetableInvalid as error:
        raise PlanningError(error_text(error)) from error
    except Exception as error:
        raise wrong_answer_error(timetable, method, f"raised {describe_error(error)}; fix the timetable") from error


def _describe_type(value: object) -> str:
    """The type of a result for messages; None has a hint, since a forgotten `return` is the most common fault."""
    if value is None:
        return "None (is there a `return`?)"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return type(value).__name__


def _shorten(text: str) -> str:
    shown = repr(text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


_SHOWN = 60
"""Characters of a run id that a sentence shows."""
_REVERSED = "returned a data interval that ends before it starts; swap start and end"
