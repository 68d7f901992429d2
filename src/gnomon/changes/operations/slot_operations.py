"""Slots of schedules: which of them have neither a run nor a reason."""

from __future__ import annotations

from gnomon.changes.actions.slot_audits import SlotAudit, audit_slots
from gnomon.changes.operations.given_values import check_instants
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.storage.store.dag_records import dags


@operation("slots.audit", "read", "run")
def audit(scope: OperationScope, since: int, dag_ids: list[str] | None = None) -> SlotAudit:
    """The slots of these DAGs, or of all, since the instant `since` that have neither a run nor a reason."""
    check_instants(since)
    with scope.db.read() as tx:
        for dag_id in dag_ids or ():
            scope.dags.require_role(tx, dag_id, Role.VIEWER)
        named = dag_ids or scope.select(
            tx, [dag.dag_id for dag in dags.list_dags(tx) if dag.active], lambda dag_id: dag_id
        )
        records = scope.select(tx, [find_dag(tx, dag_id) for dag_id in named], lambda dag: dag.dag_id)
    return audit_slots(scope.actor.cfg, scope.db, scope.actor.clock, records, since)
