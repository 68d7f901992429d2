"""What planning is asked with for a DAG as the store has it: scheduler and previews ask the same question."""

from __future__ import annotations

from typing import Any

from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.spec import DagSpec
from gnomon.planning.jitter import delay
from gnomon.planning.plan import MOST_RUNS


def asked_with(record: DagRecord, spec: DagSpec, mark: str, now: Instant) -> dict[str, Any]:
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
    if first is None or record.cursor is not None or first.run_after > now - delay(spec):
        return None
    return first.run_after if record.live_at is not None and first.run_after >= record.live_at else None


def room_for(spec: DagSpec, limit: int, unfinished: int) -> int:
    """How many runs may be made now, of a DAG that has so many unfinished ones. `limit`: how many may be active."""
    if spec.overlap == "cancel_running":
        return 1
    if spec.overlap == "skip":
        return MOST_RUNS  # one at most is made; the others are passed
    return max(limit - unfinished, 0)
