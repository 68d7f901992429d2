"""Which runs a DAG needs next: from its stored cursor, its timetable and `now`. Pure."""

from __future__ import annotations

from gnomon.errors.timetable import PlanningError
from gnomon.planning.decided import decided_upto
from gnomon.planning.fingerprints import fingerprint
from gnomon.planning.jitter import delay, made_at
from gnomon.planning.logicaldates import Slot, slot_due, slot_named
from gnomon.planning.manual import about, infer_manual, manual_run, manual_run_id
from gnomon.planning.place import asked_with, room_for
from gnomon.planning.plan import MOST_RUNS, Plan, plan_runs
from gnomon.planning.policies import misfire_of

__all__ = [
    "MOST_RUNS", "Plan", "PlanningError", "Slot", "about", "asked_with", "decided_upto", "delay", "fingerprint", "infer_manual", "made_at", "manual_run",
    "manual_run_id", "misfire_of", "plan_runs", "room_for", "slot_due", "slot_named",
]
