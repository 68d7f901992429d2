"""Which runs a DAG needs next, from its stored cursor, its timetable and `now`. Pure. Open `plan.py` first.

`plan.py` (`plan_runs`) decides, with `walk.py` (steps through a timetable) and `policies.py` (catchup, misfire, overlap).
`queries.py` calls a timetable and checks its answers; `author_methods.py` and `author_calls.py` adapt to the signatures that
authors write. `cursor.py` derives the arguments of a plan from a stored DAG. `manual_runs.py`, `forecast.py` and `window.py`
answer questions of commands: the slot of a manual run, the coming runs, the runs in a window of time; `partition_keys.py` checks the
partition key of a manual run.
"""

from __future__ import annotations

from gnomon.model.errors.timetable import PlanningError
from gnomon.rules.planning.cursor import (
    build_plan_arguments,
    compute_decided_until,
    compute_fingerprint,
    compute_room,
    has_fixed_slots,
)
from gnomon.rules.planning.manual_runs import (
    Slot,
    build_manual_run,
    build_manual_run_id,
    find_manual_logical_date,
    find_slot_by_due_time,
    find_slot_by_logical_date,
    infer_manual_run,
    with_slot_data,
)
from gnomon.rules.planning.partition_keys import find_slot_partition, resolve_partition_date
from gnomon.rules.planning.plan import MAX_RUNS, Plan, plan_runs
from gnomon.rules.planning.policies import compute_creation_time, compute_jitter, resolve_misfire

__all__ = [
    "MAX_RUNS",
    "Plan",
    "PlanningError",
    "Slot",
    "build_manual_run",
    "build_manual_run_id",
    "build_plan_arguments",
    "compute_creation_time",
    "compute_decided_until",
    "compute_fingerprint",
    "compute_jitter",
    "compute_room",
    "find_manual_logical_date",
    "find_slot_by_due_time",
    "find_slot_by_logical_date",
    "find_slot_partition",
    "has_fixed_slots",
    "infer_manual_run",
    "plan_runs",
    "resolve_misfire",
    "resolve_partition_date",
    "with_slot_data",
]
