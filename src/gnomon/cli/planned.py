"""The run that a person makes by hand."""

from __future__ import annotations

from gnomon.errors.product import UserMistake
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.planning import PlanningError, infer_manual, manual_run_id


def planned_by_hand(spec: DagSpec, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """Due now; without a logical date about no data interval (airflow-surface.md B.7, 8)."""
    if logical_at is None:
        return PlannedRun(run_id=manual_run_id(now), run_after=now, interval_start=None, interval_end=None)
    try:
        return infer_manual(spec, logical_at=logical_at, now=now)
    except PlanningError as error:
        raise UserMistake(f"DAG {spec.dag_id!r} gives no data interval for this logical date: {error}") from None
