"""How far a DAG has been planned, as those see it who wait for its slots."""

from __future__ import annotations

from gnomon.model.instants import Instant
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.planning.fingerprints import fingerprint

_STEPPED = frozenset({"DeltaDataIntervalTimetable", "DeltaTriggerTimetable"})


def decided_upto(cursor: Cursor | None, next_run: PlannedRun | None, mark: str | None, spec: DagSpec) -> Instant | None:
    """The instant up to which a slot exists if and only if it has a run; None: nothing was planned yet. `mark`: the stored fingerprint.

    The cursor; but slots between it and the stored next run will never be made either: a DAG without catchup that is let run
    in the afternoon has no slots in the morning. That holds while the schedule is the one that was asked, and for a schedule
    with a grid: a span is stepped on from the cursor.
    """
    last = None if cursor is None else cursor.run_after
    ref = spec.timetable
    has_grid = ref.builtin and ref.path.rpartition(".")[2] not in _STEPPED
    if next_run is None or not has_grid or mark != fingerprint(ref, spec):
        return last
    before = next_run.run_after - 1
    return before if last is None else max(last, before)
