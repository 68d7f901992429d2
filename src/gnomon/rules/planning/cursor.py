"""The stored planning state of a DAG: how far its slots are decided, the arguments of its next plan, its fingerprint."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.slots import Cursor, PlannedRun, TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.calendars.country import list_library_versions
from gnomon.rules.planning.plan import MAX_RUNS
from gnomon.rules.planning.policies import compute_jitter
from gnomon.rules.timetables.wall_clock.zones import tzdata_version

_WITHOUT_GRID = frozenset({"DeltaDataIntervalTimetable", "DeltaTriggerTimetable"})
"""Timetables whose slots are counted from the last one, so that their times are not fixed."""


def compute_decided_until(
    cursor: Cursor | None, next_run: PlannedRun | None, fingerprint: str | None, spec: DagSpec
) -> Instant | None:
    """The instant up to which a slot exists if and only if it has a run; None if nothing was planned yet.

    `fingerprint`: the stored fingerprint. The result is the cursor, or the instant before the stored next run if that is later:
    no run will be created for the slots between the two. (A DAG without catchup that is unpaused in the afternoon has no
    slots in the morning.) The next run counts only while the schedule is unchanged and has a grid: the slots of a timedelta
    schedule are counted from the cursor.
    """
    last = None if cursor is None else cursor.run_after
    ref = spec.timetable
    if next_run is None or not has_fixed_slots(ref) or fingerprint != compute_fingerprint(ref, spec):
        return last
    before = next_run.run_after - 1
    return before if last is None else max(last, before)


def has_fixed_slots(timetable: TimetableRef) -> bool:
    """True if the slots are on a grid that does not depend on the start date or on the slot before; False if that is not known."""
    return timetable.builtin and timetable.builtin_name not in _WITHOUT_GRID


def build_plan_arguments(record: DagRecord, spec: DagSpec, fingerprint: str, now: Instant) -> dict[str, Any]:
    """The arguments dag, cursor, planned, since and asked_at of `plan_runs`. `fingerprint`: the fingerprint of `spec`.

    If the schedule has changed since the last plan, the stored next run is dropped, and the DAG counts as active since
    `now`. If the first run of the old schedule was due and not created, the new schedule is evaluated as of that run, so
    that editing a file does not lose the first event of a list.
    """
    promised_run, active_since, evaluate_as_of = record.next_run, record.live_at, None
    if fingerprint != record.fingerprint:
        promised_run = None
        if record.fingerprint:
            active_since = now
            evaluate_as_of = _first_due(record, spec, now)
    return {
        "dag": spec,
        "cursor": record.cursor,
        "promised_run": promised_run,
        "active_since": active_since,
        "evaluate_as_of": evaluate_as_of,
    }


def _first_due(record: DagRecord, spec: DagSpec, now: Instant) -> Instant | None:
    first = record.next_run
    if first is None or record.cursor is not None or first.run_after > now - compute_jitter(spec):
        return None
    return first.run_after if record.live_at is not None and first.run_after >= record.live_at else None


def compute_room(spec: DagSpec, limit: int, unfinished: int) -> int:
    """How many runs of the DAG may be created now. `limit`: the maximum of active runs; `unfinished`: the present number."""
    if spec.overlap == "cancel_running":
        return 1
    if spec.overlap == "skip":
        return MAX_RUNS  # at most one is created; the others are skipped
    return max(limit - unfinished, 0)


def compute_fingerprint(timetable: TimetableRef, spec: DagSpec) -> str:
    """A hash that changes when the slots of the DAG may change.

    It covers the stored timetable, the source of an author's timetable, the DAG's dates and catchup, and the release of the
    tz database; for a timetable with a calendar also the releases of the libraries that compute its days.
    """
    origin: tuple[object, ...] = (
        timetable.path,
        timetable.data,
        timetable.code,
        spec.start_at,
        spec.end_at,
        spec.catchup,
        tzdata_version(),
    )
    used = list_library_versions(timetable.data.get("calendar"))
    if used:
        origin = (*origin, used)
    return hashlib.sha256(msgspec.json.encode(origin, order="sorted")).hexdigest()[:32]
