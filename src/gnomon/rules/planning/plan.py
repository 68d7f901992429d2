"""Plans the due runs of a DAG and the slot after them, from the stored cursor (airflow-surface.md B.3; decision 0008)."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant
from gnomon.model.sentences import render_shared, say
from gnomon.model.slots import Cursor, PlannedRun, SkippedSlots
from gnomon.model.spec import DagSpec
from gnomon.rules.planning.policies import PlanningPolicies, build_policies, compute_jitter
from gnomon.rules.planning.walk import MAX_SKIPPED_PER_PLAN, TimetableWalk, build_cursor
from gnomon.rules.timetables.base import Timetable

MAX_RUNS = 100
"""Most runs that one call plans; the next call continues."""
MISFIRE_GRACE_S = 60.0
"""Seconds after which a slot is late, so that `misfire` and `catchup` apply."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs to create, and the planning state of the DAG after them."""

    runs: tuple[PlannedRun, ...]
    """Due runs to create, in order."""
    cursor: Cursor | None
    """The last decided slot: created (these runs included) or skipped."""
    next_run: PlannedRun | None
    """The slot after `cursor`: already due if the room or MAX_RUNS was used up, else the next run to create. None: there
    are no more slots, or (for a timetable that follows its runs) the next is not known while a run is active."""
    skipped: tuple[SkippedSlots, ...] = ()
    """Skipped slots with the reason: one entry per decision, not per slot."""
    error: str | None = None
    """Why the slot after `cursor` is not known: the message of the timetable's failure."""


def plan_runs(
    *,
    dag: DagSpec,
    timetable: Timetable,
    cursor: Cursor | None,
    now: Instant,
    max_new_runs: int,
    has_unfinished_runs: bool,
    promised_run: PlannedRun | None = None,
    misfire_grace_s: float = MISFIRE_GRACE_S,
    active_since: Instant | None = None,
    has_unfinished_regular_runs: bool = False,
    evaluate_as_of: Instant | None = None,
) -> Plan:
    """The due slots after the cursor that run by the policies, at most `max_new_runs` and MAX_RUNS, and the slot that follows.

    `has_unfinished_runs`: whether the DAG has unfinished runs; `has_unfinished_regular_runs`: whether it has some that are
    not backfills. `promised_run`: the stored next run if its fingerprint is unchanged; it is a promise, so that a slot does
    not move because it is planned late.
    `active_since`: since when the DAG has been active with this schedule; None: since ever with `promised_run`, else since `now`.
    `evaluate_as_of`: without `promised_run`, the past instant as of which the timetable has to compute its first slot.

    With jitter, everything happens later by the DAG's delay. Raises PlanningError, with a message for the DAG's author,
    when the timetable fails or returns a wrong result before the first decision.
    """
    late_by = compute_jitter(dag)
    now -= late_by
    if active_since is None:
        active_since = 0 if promised_run is not None else now
    else:
        active_since -= late_by
    policies = build_policies(dag, active_since, misfire_grace_s)
    walk = TimetableWalk(timetable, dag, policies, cursor, now)
    if timetable.follows_runs:
        return _plan_following_runs(walk, now, max_new_runs, has_unfinished_runs)
    if promised_run is None:
        walk.record_left_out()
        due = walk.next_slot(evaluate_as_of)
    else:
        due = promised_run
    runs: list[PlannedRun] = []
    try:
        due = _decide(walk, policies, due, runs, now, max_new_runs, has_unfinished_regular_runs)
    except PlanningError as error:
        if walk.cursor == cursor:
            raise
        return Plan(tuple(runs), walk.cursor, None, tuple(walk.skipped), str(error))
    return Plan(tuple(runs), walk.cursor, due, tuple(walk.skipped))


def _decide(
    walk: TimetableWalk,
    policies: PlanningPolicies,
    due: PlannedRun | None,
    runs: list[PlannedRun],
    now: Instant,
    max_new_runs: int,
    has_unfinished_regular_runs: bool,
) -> PlannedRun | None:
    """The first undecided slot. The slots before it are appended to `runs` or recorded as skipped in `walk`."""
    bound = min(max_new_runs, MAX_RUNS)
    while due is not None and due.run_after <= now and len(runs) < bound and walk.steps < MAX_SKIPPED_PER_PLAN:
        ruling = policies.find_exclusion(due.run_after, now)
        if ruling is not None and ruling.kind == "all_before":
            due = walk.skip_before(due, ruling.instant, ruling.reason)
            continue
        if ruling is not None:
            due = walk.skip_to_newest(due, ruling.instant, ruling.reason)
        if policies.overlap == "skip" and has_unfinished_regular_runs:
            due = walk.skip_one(due, render_shared(say("run_was_active_when_due")))
        elif policies.overlap == "cancel_running" and (newer := walk.peek(due)) is not None and newer.run_after <= now:
            walk.cursor = build_cursor(due)
            walk.record_skipped(due, render_shared(say("newer_slot_was_due")))
            due = newer
        else:
            runs.append(due)
            has_unfinished_regular_runs = True
            walk.create_run(due)
            due = walk.next_slot()
    return due


def _plan_following_runs(walk: TimetableWalk, now: Instant, max_new_runs: int, has_unfinished_runs: bool) -> Plan:
    """The plan of a timetable that follows its runs: its next run, if none is active."""
    if has_unfinished_runs or max_new_runs <= 0:
        return Plan((), walk.cursor, None)
    due = walk.next_slot()
    if due is None or due.run_after > now:
        return Plan((), walk.cursor, due)
    return Plan((due,), build_cursor(due), None)
