"""The runs that are due, and the slot after them, from the stored cursor (airflow-surface.md B.3; decision 0008)."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import Instant
from gnomon.model.slots import Cursor, PlannedRun, SkippedSlots
from gnomon.model.spec import DagSpec
from gnomon.planning.policies import PlanningPolicies, build_policies, compute_jitter
from gnomon.planning.walk import MAX_PASSED, TimetableWalk, build_cursor
from gnomon.timetables.base import Timetable

MAX_RUNS = 100
"""One call plans at most so many runs, whatever room there is; the next call goes on."""
MISFIRE_GRACE_S = 60.0
"""A slot that is later than this is late: `misfire` and `catchup` rule it."""
_OVERLAP_SKIP = 'overlap="skip": a run was active when it was due'
_OVERLAP_CANCEL = 'overlap="cancel_running": a newer slot was due already, which would have ended its run'


@dataclass(frozen=True, slots=True)
class Plan:
    """What to create, and where that leaves the DAG."""

    runs: tuple[PlannedRun, ...]
    """Due runs to create, in order."""
    cursor: Cursor | None
    """The last slot that was decided on: made, these runs included, or passed."""
    next_run: PlannedRun | None
    """The slot after `cursor`: due already if room or bound ran out, else when to look again (`made_at`). None: no more
    slots, or (a timetable that follows its runs) none that can be known while a run is active."""
    passed: tuple[SkippedSlots, ...] = ()
    """Slots that no run is made for, with the reason: a note for each decision, not for each slot."""
    error: str | None = None
    """Why the slot after `cursor` is not known: the timetable failed when it was asked for it."""


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
    since: Instant | None = None,
    busy: bool = False,
    asked_at: Instant | None = None,
) -> Plan:
    """All slots after the cursor that are due and wanted, at most `room` and MOST_RUNS of them, and the slot that follows.

    `active`: whether the DAG has unfinished runs; `busy`: whether it has some that are no backfill's. `planned`: the next
    run as it was stored, if its fingerprint still holds: a promise that is kept, so that a slot does not move because it
    is looked at late. The timetable is asked for the slots after it. `since`: since when the DAG has been let run with
    this schedule; None: with a promise always, else from now on. `asked_at`: without a promise, the instant at which the
    timetable ought to have been asked for its first slot, when that is past.

    With jitter, everything happens as it would without, by the DAG's delay later. Raises PlanningError, in words for the
    DAG, when the timetable fails or answers nonsense.
    """
    late_by = compute_jitter(dag)
    now -= late_by
    if since is None:
        since = 0 if planned is not None else now
    else:
        since -= late_by
    policies = build_policies(dag, since, misfire_grace_s)
    walk = TimetableWalk(timetable, dag, policies, cursor, now)
    if timetable.follows_runs:
        return _plan_following_runs(walk, now, room, active)
    due = walk.next_slot(asked_at) if planned is None else planned
    runs: list[PlannedRun] = []
    try:
        due = _decide(walk, policies, due, runs, now, room, busy)
    except PlanningError as error:
        if walk.cursor == cursor:
            raise
        return Plan(tuple(runs), walk.cursor, None, tuple(walk.passed), str(error))
    return Plan(tuple(runs), walk.cursor, due, tuple(walk.passed))


def _decide(
    walk: TimetableWalk, policies: PlanningPolicies, due: PlannedRun | None, runs: list[PlannedRun], now: Instant, room: int, busy: bool
) -> PlannedRun | None:
    """The slot that nothing is decided about yet; those before it are in `runs`, or noted as passed."""
    bound = min(room, MAX_RUNS)
    while due is not None and due.run_after <= now and len(runs) < bound and walk.steps < MAX_PASSED:
        ruling = policies.find_exclusion(due.run_after, now)
        if ruling is not None and ruling.kind == "all_before":
            due = walk.skip_before(due, ruling.instant, ruling.reason)
            continue
        if ruling is not None:
            due = walk.skip_to_newest(due, ruling.instant, ruling.reason)
        if policies.overlap == "skip" and busy:
            due = walk.skip_one(due, _OVERLAP_SKIP)
        elif policies.overlap == "cancel_running" and (newer := walk.peek(due)) is not None and newer.run_after <= now:
            walk.cursor = build_cursor(due)
            walk.record_skipped(due, _OVERLAP_CANCEL)
            due = newer
        else:
            runs.append(due)
            busy = True
            walk.cursor = build_cursor(due)
            due = walk.next_slot()
    return due


def _plan_following_runs(walk: TimetableWalk, now: Instant, room: int, active: bool) -> Plan:
    """Of a timetable that follows its runs: the next one, when none is active."""
    if active or room <= 0:
        return Plan((), walk.cursor, None)
    due = walk.next_slot()
    if due is None or due.run_after > now:
        return Plan((), walk.cursor, due)
    return Plan((due,), build_cursor(due), None)
