"""The logical dates before and after a run's own, as Airflow 2 gave them: read from the timetable, not from history."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from gnomon.context.runtime_dag_run import RuntimeDagRun
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.planning.author_methods import ask_author_next, find_next_method
from gnomon.sdk.schedules.timezone import coerce_datetime

if TYPE_CHECKING:
    import pendulum

LOOK_BACK = tuple(timedelta(days=days) for days in (1 / 24, 1, 32, 370, 3000))
"""How far back the slot before a run is looked for, one span after the other."""
_ANY_TIME = TimeRestriction(earliest=None, latest=None, catchup=True)


def find_next_logical_date(dag: Any, run: RuntimeDagRun) -> pendulum.DateTime | None:
    """The logical date of the slot after the run's; its own for a run that somebody started by hand."""
    if run.external_trigger or run.data_interval_start is None or run.data_interval_end is None:
        return run.logical_date
    interval = DataInterval(run.data_interval_start, run.data_interval_end)
    info = _ask_next_info(dag.timetable, run.run_after or interval.end, interval)
    return None if info is None or info.logical_date is None else coerce_datetime(info.logical_date)


def _ask_next_info(timetable: Any, run_after: datetime, interval: DataInterval) -> DagRunInfo | None:
    """What the timetable answers; an author's is asked with what its method takes."""
    method = find_next_method(timetable)
    found: DagRunInfo | None
    if method is None:
        found = timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=_ANY_TIME)
    else:
        found = ask_author_next(timetable, method, DagRunInfo(run_after, interval), _ANY_TIME)
    return found


def find_previous_logical_date(dag: Any, run: RuntimeDagRun) -> pendulum.DateTime | None:
    """The logical date of the slot before the run's; its own for a run that somebody started by hand.

    None when the schedule has no earlier slot, and for an author's timetable, which cannot be asked backwards.
    """
    if run.external_trigger or run.run_after is None:
        return run.logical_date
    due = _find_last_slot(dag.timetable, run.run_after)
    if due is None:
        return None
    interval: DataInterval = dag.timetable.infer_manual_data_interval(run_after=due)
    return coerce_datetime(interval.start)


def _find_last_slot(timetable: Any, end: datetime) -> datetime | None:
    slots_between = getattr(timetable, "slots_between", None)
    if slots_between is None:
        return None
    for span in LOOK_BACK:
        found: list[datetime] = list(deque(slots_between(end - span, end), maxlen=1))
        if found:
            return found[0]
    return None
