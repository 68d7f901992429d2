"""The logical dates before and after that of a run, as in Airflow 2: computed by the timetable, not read from earlier runs."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.authoring.sdk.arguments.timezone import coerce_datetime
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.planning.author_methods import ask_author_next, find_next_method

if TYPE_CHECKING:
    import pendulum

LOOK_BACK = tuple(timedelta(days=days) for days in (1 / 24, 1, 32, 370, 3000))
"""The spans before a run in which the previous slot is searched, the shortest first."""
_ANY_TIME = TimeRestriction(earliest=None, latest=None, catchup=True)


def find_next_logical_date(dag: Any, run: RuntimeDagRun) -> pendulum.DateTime | None:
    """Return the logical date of the next slot; for a run that was triggered manually, its own logical date."""
    if run.external_trigger or run.data_interval_start is None or run.data_interval_end is None:
        return run.logical_date
    interval = DataInterval(run.data_interval_start, run.data_interval_end)
    info = _ask_next_info(dag.timetable, run.run_after or interval.end, interval)
    return None if info is None or info.logical_date is None else coerce_datetime(info.logical_date)


def _ask_next_info(timetable: Any, run_after: datetime, interval: DataInterval) -> DagRunInfo | None:
    """Return the next run of the timetable; a timetable of an author gets the arguments that its method takes."""
    method = find_next_method(timetable)
    info: DagRunInfo | None
    if method is None:
        info = timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=_ANY_TIME)
    else:
        info = ask_author_next(timetable, method, DagRunInfo(run_after, interval), _ANY_TIME)
    return info


def find_previous_logical_date(dag: Any, run: RuntimeDagRun) -> pendulum.DateTime | None:
    """Return the logical date of the previous slot; for a run that was triggered manually, its own logical date.

    None when the schedule has no earlier slot, and for a timetable of an author, which cannot compute earlier slots.
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
        last_slots: list[datetime] = list(deque(slots_between(end - span, end), maxlen=1))
        if last_slots:
            return last_slots[0]
    return None
