"""What failed."""

from __future__ import annotations

from gnomon.changes.operations.given_values import check_instants
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.queries.report.activity.failed_dags import FAILED_RUNS_MAX
from gnomon.queries.report.activity.failure_list import FailureRow, list_failures
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.storage.store.pages import dag_overview

LISTED_MAX = 500
"""The most failed runs of one answer."""


@operation("failures.list", "read", "run")
def list_failed_runs(
    scope: OperationScope, since: int, dag_ids: list[str] | None = None, limit: int = 50
) -> list[FailureRow]:
    """The runs of these DAGs, or of all, that ended failed at the instant `since` or later, the last end first, with what they hold up.

    At most `limit`, and never more than LISTED_MAX. Raises NameNotFound for a DAG that does not exist.
    """
    check_instants(since)
    with scope.db.read() as tx:
        for dag_id in dag_ids or ():
            scope.dags.require_role(tx, dag_id, Role.VIEWER)
            find_dag(tx, dag_id)
        runs = scope.select(tx, dag_overview.list_failed_runs(tx, since, FAILED_RUNS_MAX), lambda run: run.dag_id)
        chosen = [run for run in runs if not dag_ids or run.dag_id in dag_ids][: min(limit, LISTED_MAX)]
        return list_failures(
            tx, chosen, lambda dag_id: scope.dags.has_role(tx, dag_id, Role.VIEWER), scope.dags.build_name_filter(tx)
        )
