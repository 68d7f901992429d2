"""Clearing what markers of cleared tasks name in runs of other DAGs."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.changes.actions.run_changes import clear_instances
from gnomon.changes.operations.changed_instances import InstanceChange, read_instance_change
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import say
from gnomon.queries.report.listings.marked_tasks import RunInstancesToClear, follow_markers
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.storage.store import Transaction


def find_marked(
    scope: OperationScope,
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    rows: Sequence[TaskInstanceRow],
    role: Role,
    *,
    only_failed: bool,
) -> list[RunInstancesToClear]:
    """What a clear of these instances clears in runs of other DAGs. Raises UserError when the user has not the role on one of these DAGs."""
    cleared = follow_markers(tx, dag, run, rows, only_failed=only_failed)
    if not all(scope.dags.has_role(tx, run_instances.dag.dag_id, role) for run_instances in cleared):
        raise UserError(say("account_lacks_role_on_marked_dags", role=str(role)))
    return cleared


def clear_marked(
    scope: OperationScope,
    change: InstanceChange,
    marked: Sequence[RunInstancesToClear],
    *,
    is_newest_wanted: bool | None,
) -> InstanceChange:
    """Clear the task instances in the runs of other DAGs; returns the whole change."""
    for run_instances in marked:
        answer = clear_instances(
            scope.actor,
            scope.db,
            run_instances.dag,
            run_instances.run,
            run_instances.rows,
            is_newest_wanted=is_newest_wanted,
        )
        change = change.add(
            read_instance_change(scope, run_instances.dag, run_instances.run, run_instances.rows, answer)
        )
    return change
