"""The registered processes of the services."""

from __future__ import annotations

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.queries.report.listings.service_list import ServiceRow
from gnomon.queries.report.listings.service_list import list_services as list_service_rows


@operation("services.list", "read", "job")
def list_services(scope: OperationScope) -> list[ServiceRow]:
    """The registered processes of the services with their heartbeats; one that ended normally is not registered."""
    with scope.db.read() as tx:
        return list_service_rows(tx, scope.actor.cfg.number("triggerer", "job_heartbeat_sec"))
