"""How far a DAG has been planned, as those see it who wait for its slots."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from gnomon.calendars.country import list_library_versions
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.slots import Cursor, PlannedRun, TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.planning.plan import MAX_RUNS
from gnomon.planning.policies import compute_jitter
from gnomon.timetables.wall_clock.zones import tzdata_version

_STEPPED = frozenset({"DeltaDataIntervalTimetable", "DeltaTriggerTimetable"})


def compute_decided_until(cursor: Cursor | None, next_run: PlannedRun | None, mark: str | None, spec: DagSpec) -> Instant | None:
    """The instant up to which a slot exists if and only if it has a run; None: nothing was planned yet. `mark`: the stored fingerprint.

    The cursor; but slots between it and the stored next run will never be made either: a DAG without catchup that is let run
    in the afternoon has no slots in the morning. That holds while the schedule is the one that was asked, and for a schedule
    with a grid: a span is stepped on from the cursor.
    """
    last = None if cursor is None else cursor.run_after
    ref = spec.timetable
    has_grid = ref.builtin and ref.path.rpartition(".")[2] not in _STEPPED
    if next_run is None or not has_grid or mark != compute_fingerprint(ref, spec):
        return last
    before = next_run.run_after - 1
    return before if last is None else max(last, before)


def build_plan_arguments(record: DagRecord, spec: DagSpec, mark: str, now: Instant) -> dict[str, Any]:
    """Arguments of `plan_runs`: dag, cursor, planned, since, asked_at. `mark`: the fingerprint of `spec`.

    A schedule that is another than at the last look is asked once, from the cursor on; what was stored of the old one is
    dropped. The DAG counts as let run from now on. If a first run of the old one was due and not made, the new one is
    asked as of then: a first event of a list is not lost because its file was edited.
    """
    planned, since, asked_at = record.next_run, record.live_at, None
    if mark != record.fingerprint:
        planned = None
        if record.fingerprint:
            since = now
            asked_at = _first_due(record, spec, now)
    return {"dag": spec, "cursor": record.cursor, "planned": planned, "since": since, "asked_at": asked_at}


def _first_due(record: DagRecord, spec: DagSpec, now: Instant) -> Instant | None:
    first = record.next_run
    if first is None or record.cursor is not None or first.run_after > now - compute_jitter(spec):
        return None
    return first.run_after if record.live_at is not None and first.run_after >= record.live_at else None


def compute_room(spec: DagSpec, limit: int, unfinished: int) -> int:
    """How many runs may be made now, of a DAG that has so many unfinished ones. `limit`: how many may be active."""
    if spec.overlap == "cancel_running":
        return 1
    if spec.overlap == "skip":
        return MAX_RUNS  # one at most is made; the others are passed
    return max(limit - unfinished, 0)


def compute_fingerprint(timetable: TimetableRef, spec: DagSpec) -> str:
    """A short hash over the timetable as stored, with the source of an author's, its bounds in the DAG, and the release of the tz database.

    Of a timetable on a calendar also the releases of the libraries that its days are worked out with.
    """
    origin: tuple[object, ...] = (timetable.path, timetable.data, timetable.code, spec.start_at, spec.end_at, spec.catchup, tzdata_version())
    used = list_library_versions(timetable.data.get("calendar"))
    if used:
        origin = (*origin, used)
    return hashlib.sha256(msgspec.json.encode(origin, order="sorted")).hexdigest()[:32]
