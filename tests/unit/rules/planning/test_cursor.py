"""Up to where a slot exists if and only if it has a run."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import compute_decided_until, compute_fingerprint
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import CronTriggerTimetable, DeltaTriggerTimetable

HOURLY = DagSpec(dag_id="d", timetable=reference(CronTriggerTimetable("0 * * * *", timezone="UTC")))
MARK = compute_fingerprint(HOURLY.timetable, HOURLY)
CURSOR = Cursor(run_after=100, interval_start=None, interval_end=None)
NEXT = PlannedRun(run_id="r", run_after=500, interval_start=None, interval_end=None)


def test_slots_between_the_cursor_and_the_next_run_are_decided() -> None:
    assert compute_decided_until(None, None, None, HOURLY) is None
    assert compute_decided_until(CURSOR, None, MARK, HOURLY) == 100
    assert compute_decided_until(CURSOR, NEXT, MARK, HOURLY) == 499
    assert compute_decided_until(None, NEXT, MARK, HOURLY) == 499


def test_an_unplanned_schedule_decides_only_up_to_the_cursor() -> None:
    other = msgspec.structs.replace(HOURLY, start_at=7)
    assert compute_decided_until(CURSOR, NEXT, MARK, other) == 100
    assert compute_decided_until(None, NEXT, "", HOURLY) is None


def test_a_timedelta_schedule_is_decided_up_to_the_cursor() -> None:
    stepped = DagSpec(dag_id="d", timetable=reference(DeltaTriggerTimetable(timedelta(hours=1))))
    assert compute_decided_until(CURSOR, NEXT, compute_fingerprint(stepped.timetable, stepped), stepped) == 100
