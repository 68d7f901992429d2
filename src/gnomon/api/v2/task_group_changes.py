"""Changing the task instances of a task group."""

from __future__ import annotations

from typing import Annotated

from fastapi import HTTPException, Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.schemas.task_instances_shapes import PatchTaskInstanceBody, TaskInstanceCollectionResponse
from gnomon.api.v2.task_instance_changes import (
    InstancesToChange,
    change_in_runs,
    list_runs_to_mark,
    read_patch,
    select_group,
)
from gnomon.storage.store import Transaction

router = OperationRouter(
    prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}", tags=["Task Instance"]
)
_EDIT = requires(Permission.EDIT, ApiResource.TASK_INSTANCE)


@router.patch("", dependencies=[_EDIT])
def patch_task_group_instances(
    dag_id: Id,
    dag_run_id: Id,
    group_id: Id,
    body: PatchTaskInstanceBody,
    context: Context,
    user: CurrentUser,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> TaskInstanceCollectionResponse:
    """Set the states of all task instances of a group, and of the groups in it, or their notes."""
    fields = read_patch(body, update_mask)
    with context.database.read() as tx:
        chosen = _select(tx, (dag_id, dag_run_id, group_id), body)
    return change_in_runs(context, user, chosen, fields, dry_run=False)


@router.patch("/dry_run", dependencies=[_EDIT])
def patch_task_group_instances_dry_run(
    dag_id: Id, dag_run_id: Id, group_id: Id, body: PatchTaskInstanceBody, context: Context, user: CurrentUser
) -> TaskInstanceCollectionResponse:
    """The task instances whose state a request without `dry_run` would set."""
    fields = read_patch(body, None)
    with context.database.read() as tx:
        chosen = _select(tx, (dag_id, dag_run_id, group_id), body)
    return change_in_runs(context, user, chosen, fields, dry_run=True)


def _select(tx: Transaction, name: tuple[str, str, str], body: PatchTaskInstanceBody) -> list[InstancesToChange]:
    """The instances in the run, and in the runs before or after it that the body includes and that have the group."""
    dag_id, run_id, group_id = name
    chosen = [select_group(tx, name, body)]
    for other in list_runs_to_mark(tx, dag_id, run_id, body)[1:]:
        try:
            chosen.append(select_group(tx, (dag_id, other, group_id), body))
        except HTTPException:  # this run has no such group
            continue
    return chosen
