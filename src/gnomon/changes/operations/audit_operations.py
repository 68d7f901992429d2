"""The audit log."""

from __future__ import annotations

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.queries.report.listings.audit_list import AuditRow, list_audit_rows, list_visible_conditions
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.storage.store.pages.page_query import Condition, Operator

ROWS_MAX = 10_000


@operation("audit.list", "read", "audit log")
def list_audit_log(
    scope: OperationScope,
    dag: str | None = None,
    run_id: str | None = None,
    event: str | None = None,
    by: str | None = None,
    limit: int = 50,
) -> list[AuditRow]:
    """The newest lines of the audit log, newest first: about a DAG, a run, of one kind, or of one user."""
    with scope.db.read() as tx:
        is_admin = scope.dags.find_dag_ids(tx, Role.ADMIN) is None
        conditions = list_visible_conditions(scope.dags.find_dag_ids(tx, Role.VIEWER), is_admin=is_admin)
        filters = (("run_id", run_id), ("event", event), ("owner", by))
        conditions += [Condition(field, Operator.EQUAL, value) for field, value in filters if value is not None]
        dag_pk = None
        if dag is not None:
            scope.dags.require_role(tx, dag, Role.VIEWER)
            dag_pk = find_dag(tx, dag).dag_pk
        return list_audit_rows(
            tx,
            conditions,
            min(max(limit, 1), ROWS_MAX),
            dag_pk,
            is_admin=is_admin,
            hide=scope.dags.build_name_filter(tx),
        )
