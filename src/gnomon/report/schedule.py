"""What a schedule means: which of the two families it is of, and the runs that it will make next."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.slots import PlannedRun, TimetableRef
from gnomon.planning import PlanningError, plan_runs
from gnomon.timetables.registry import build

SHOWN = 5
"""How many coming runs are shown."""

_TICKS = "ticks without an interval"
_TICKS_BACK = "ticks, each with the interval before it"
_INTERVALS = "data intervals"
_FAMILIES = {
    "NullTimetable": "none: runs are made by hand only",
    "OnceTimetable": _TICKS,
    "EventsTimetable": _TICKS,
    "CronTriggerTimetable": _TICKS,
    "MultipleCronTriggerTimetable": _TICKS,
    "DeltaTriggerTimetable": _TICKS,
    "CronDataIntervalTimetable": _INTERVALS,
    "DeltaDataIntervalTimetable": _INTERVALS,
    "ContinuousTimetable": _INTERVALS,
}


@dataclass(frozen=True, slots=True)
class ComingRun:
    """A run that the schedule will make."""

    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None

    def as_record(self) -> dict[str, str | None]:
        """As listings print it."""
        return {
            "run_after": iso(self.run_after),
            "data_interval_start": iso(self.interval_start),
            "data_interval_end": iso(self.interval_end),
        }


def family(timetable: TimetableRef) -> str:
    """Whether runs are instants or cover stretches of data time."""
    if not timetable.builtin:
        return f"as {timetable.path} says"
    known = _FAMILIES.get(timetable.path.rpartition(".")[2], _TICKS)
    return _TICKS_BACK if known == _TICKS and timetable.data.get("interval") else known


def next_runs(dag: DagRecord, now: Instant, count: int = SHOWN) -> list[ComingRun]:
    """The runs that come next if nothing changes and the DAG is not paused, overdue ones included.

    Empty for a DAG without a schedule or whose timetable cannot be asked here; its error stands on the DAG.
    """
    if not dag.spec.timetable.can_be_scheduled:
        return []
    if not dag.spec.timetable.builtin:
        return [_coming(dag.next_run)] if dag.next_run is not None else []
    try:
        return _walk(dag, now, count)
    except (PlanningError, AirflowTimetableInvalid):
        return []


def _walk(dag: DagRecord, now: Instant, count: int) -> list[ComingRun]:
    timetable = build(dag.spec.timetable)
    cursor, found = dag.cursor, list[ComingRun]()
    while len(found) < count:
        plan = plan_runs(dag=dag.spec, timetable=timetable, cursor=cursor, now=now, room=1, active=False)
        found += map(_coming, plan.runs)
        if not plan.runs:
            if plan.next_run is None or plan.next_run.run_after <= now:
                break
            now = plan.next_run.run_after
        cursor = plan.cursor
    return found[:count]


def _coming(run: PlannedRun) -> ComingRun:
    return ComingRun(run.run_after, run.interval_start, run.interval_end)
