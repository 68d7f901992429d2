"""Which runs a DAG needs next: from its stored cursor, its timetable and `now`. Pure."""

from __future__ import annotations

from gnomon.errors.timetable import PlanningError
from gnomon.planning.fingerprints import fingerprint
from gnomon.planning.manual import infer_manual, manual_run_id
from gnomon.planning.plan import MOST_RUNS, Plan, plan_runs

__all__ = ["MOST_RUNS", "Plan", "PlanningError", "fingerprint", "infer_manual", "manual_run_id", "plan_runs"]
