"""The audit of slots: which slots of a time have neither a run nor a reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.changes.actions.schedule_previews import build_dag_schedule, find_known_end
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.queries.report.explanations.unexplained_slots import (
    find_audit_bounds,
    find_audit_obstacle,
    find_unexplained,
)
from gnomon.storage.store import Database

SLOTS_MAX = 10_000
"""The most slots of one DAG that are judged, the oldest first."""


@dataclass(frozen=True, slots=True)
class LostSlot:
    """A slot that planning has passed and that has neither a run nor a reason."""

    dag_id: str
    run_after: str
    logical_date: str | None
    run_id: str
    """The id that its run would have."""


@dataclass(frozen=True, slots=True)
class SlotAudit:
    """`notes`: which slots could not be judged, and why."""

    lost: list[LostSlot]
    judged: int
    """The number of slots that were judged."""
    notes: list[str]


def audit_slots(cfg: Config, db: Database, clock: Clock, dags: Iterable[DagRecord], since: Instant) -> SlotAudit:
    """Judge the slots of the present schedules of these DAGs since that time, up to now."""
    audits = [_audit_dag(cfg, db, clock, dag, since) for dag in dags]
    return SlotAudit(
        lost=[slot for audit in audits for slot in audit.lost],
        judged=sum(audit.judged for audit in audits),
        notes=[note for audit in audits for note in audit.notes],
    )


def _audit_dag(cfg: Config, db: Database, clock: Clock, dag: DagRecord, since: Instant) -> SlotAudit:
    obstacle = find_audit_obstacle(dag)
    if obstacle is not None:
        return SlotAudit([], 0, [f"{dag.dag_id}: {obstacle}"])
    with db.read() as tx:
        start, end = find_audit_bounds(tx, dag, since)
    if start >= end:
        return SlotAudit([], 0, [])
    try:
        window = build_dag_schedule(dag, None).list_runs(cfg, clock, start, end, SLOTS_MAX)
    except UserError as error:
        return SlotAudit([], 0, [f"{dag.dag_id}: {error}"])
    end_of_slots = find_known_end(window, start, end, SLOTS_MAX)
    notes = (
        []
        if end_of_slots >= end
        else [
            f"{dag.dag_id}: judged until {iso(end_of_slots)}: {window.stop_reason or f'more than {SLOTS_MAX:,} slots'}"
        ]
    )
    with db.read() as tx:
        lost = find_unexplained(tx, dag, window.runs)
    return SlotAudit(
        [LostSlot(dag.dag_id, iso(slot.run_after) or "", iso(slot.logical_at), slot.run_id) for slot in lost],
        len(window.runs),
        notes,
    )
