"""The runs that are due, and the slot after them, from the stored cursor (airflow-surface.md B.3)."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.slots import Cursor, PlannedRun, TimeRestriction
from gnomon.model.spec import DagSpec
from gnomon.planning.asking import ask_next
from gnomon.timetables.base import Timetable

MOST_RUNS = 100
"""One call plans at most so many runs, whatever room there is; the next call goes on."""
MISFIRE_GRACE_S = 60.0
"""A slot that is later than this gives way to a newer due one, with catchup off."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to create, and where that leaves the DAG."""

    runs: tuple[PlannedRun, ...]
    """Due runs to create, in order."""
    cursor: Cursor | None
    """The last slot that was planned, these runs included."""
    next_run: PlannedRun | None
    """The slot after `cursor`: due already if room or bound ran out, else when to look again. None: no more slots, or
    (a timetable that follows its runs) none that can be known while a run is active."""


def plan_runs(
    *,
    dag: DagSpec,
    timetable: Timetable,
    cursor: Cursor | None,
    now: Instant,
    room: int,
    active: bool,
    planned: PlannedRun | None = None,
    misfire_grace_s: float = MISFIRE_GRACE_S,
) -> Plan:
    """All due slots after the cursor, at most `room` and MOST_RUNS of them, and the slot that follows.

    `active`: whether the DAG has unfinished runs. `planned`: the next run as it was stored, if its fingerprint still
    holds: a promise that is kept, so that a slot does not move because it is looked at late. The timetable is asked for
    the slots after it. Raises PlanningError, in words for the DAG, when the timetable fails or answers nonsense.
    """
    question = _Question(timetable, _restriction(dag), now)
    bound = min(room, MOST_RUNS)
    if timetable.follows_runs and (active or bound <= 0):
        return Plan((), cursor, None)
    due = question.first(cursor, None if timetable.follows_runs else planned, int(misfire_grace_s * SECOND))
    runs: list[PlannedRun] = []
    while due is not None and due.run_after <= now and len(runs) < bound:
        runs.append(due)
        cursor = _cursor_at(due)
        if timetable.follows_runs:
            return Plan(tuple(runs), cursor, None)
        due = question.after(cursor)
    return Plan(tuple(runs), cursor, due)


@dataclass(frozen=True, slots=True)
class _Question:
    """One timetable, under one restriction, at one instant."""

    timetable: Timetable
    restriction: TimeRestriction
    now: Instant

    def after(self, cursor: Cursor | None) -> PlannedRun | None:
        return ask_next(self.timetable, cursor, self.restriction, self.now)

    def first(self, cursor: Cursor | None, planned: PlannedRun | None, grace: Instant) -> PlannedRun | None:
        """The stored next run; with catchup off, a newer due slot instead of one that is late beyond the grace."""
        if planned is None:
            return self.after(cursor)
        if self.restriction.catchup or planned.run_after + grace >= self.now:
            return planned
        newest = self.after(cursor)
        if newest is not None and planned.run_after < newest.run_after <= self.now:
            return newest
        return planned


def _restriction(dag: DagSpec) -> TimeRestriction:
    return TimeRestriction(
        earliest=None if dag.start_at is None else to_datetime(dag.start_at),
        latest=None if dag.end_at is None else to_datetime(dag.end_at),
        catchup=dag.catchup,
    )


def _cursor_at(slot: PlannedRun) -> Cursor:
    return Cursor(run_after=slot.run_after, interval_start=slot.interval_start, interval_end=slot.interval_end)
