"""What schedulers have set aside: messages, DAGs and groups."""

from __future__ import annotations

from gnomon.changes.actions.quarantine_changes import discard_item, retry_item
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.queries.report.listings.quarantine_list import QuarantineDetail, QuarantineRow, build_detail, list_rows
from gnomon.storage.store.coordination import quarantine

ROWS_MAX = 1000


@operation("quarantine.list", "read", "quarantine")
def list_quarantine(scope: OperationScope, limit: int = 100) -> list[QuarantineRow]:
    """The messages, DAGs and groups in quarantine, oldest first."""
    with scope.db.read() as tx:
        return list_rows(tx, min(max(limit, 1), ROWS_MAX))


@operation("quarantine.show", "read", "quarantine")
def show_quarantine(scope: OperationScope, item: int) -> QuarantineDetail:
    """One item with its message; what is encrypted in it stays so."""
    with scope.db.read() as tx:
        return build_detail(quarantine.find_item(tx, item))


@operation("quarantine.retry", "edit", "quarantine")
def retry_quarantine(scope: OperationScope, item: int) -> str:
    """Put a message back into its mailbox, or let a DAG be loaded again. The text says what happens now."""
    return retry_item(scope.actor, scope.db, item)


@operation("quarantine.discard", "delete", "quarantine")
def discard_quarantine(scope: OperationScope, item: int) -> str:
    """Delete a message; an attempt that still waits for it fails. The text says what happens now."""
    return discard_item(scope.actor, scope.db, item)
