"""A run that somebody starts by hand: its data interval and its id."""

from __future__ import annotations

import msgspec

from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunType
from gnomon.planning.asking import ask_manual, ask_run_id
from gnomon.planning.logicaldates import Slot
from gnomon.timetables.base import Timetable
from gnomon.timetables.registry import BUILTINS, build
from gnomon.timetables.simple import NullTimetable


def infer_manual(dag: DagSpec, *, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """`manual_run` of a DAG whose timetable is built in; one without a timetable of time (assets) gets the exact instant.

    Raises PlanningError for an author's timetable, which cannot be asked here.
    """
    return manual_run(_timetable(dag), logical_at, now)


def manual_run(timetable: Timetable, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """The run that is started by hand `now`: due at once, about the data that its timetable infers.

    The interval is inferred from the logical date if there is one, else from `now`. Raises PlanningError.
    """
    interval = ask_manual(timetable, now if logical_at is None else logical_at)
    return PlannedRun(
        run_id=ask_run_id(timetable, DagRunType.MANUAL, now, interval, now if logical_at is None else logical_at),
        run_after=now,
        interval_start=to_instant(interval.start),
        interval_end=to_instant(interval.end),
    )


def about(run: PlannedRun, slot: Slot) -> PlannedRun:
    """The run by hand about the data of that slot, where the slot has any."""
    if slot.interval_start is None:
        return run
    return msgspec.structs.replace(run, interval_start=slot.interval_start, interval_end=slot.interval_end)


def manual_run_id(run_after: Instant) -> str:
    """The id of a manual run where the timetable has no say."""
    return DagRunType.MANUAL.generate_run_id(to_datetime(run_after).isoformat())


def _timetable(dag: DagSpec) -> Timetable:
    ref = dag.timetable
    if not ref.can_be_scheduled and ref.path.rpartition(".")[2] not in BUILTINS:
        return NullTimetable()
    return build(ref)
