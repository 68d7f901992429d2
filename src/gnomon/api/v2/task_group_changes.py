"""Changing the task instances of a task group."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.policies import ApiResource, Permission
from gnomon.api.common.paths import Id
from gnomon.api.context import Context
from gnomon.api.v2.schemas.task_instances_shapes import PatchTaskInstanceBody, TaskInstanceCollectionResponse
from gnomon.api.v2.task_instance_changes import change_instances, read_patch, select_group

router = APIRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}", tags=["Task Instance"])
_EDIT = requires(Permission.EDIT, ApiResource.TASK_INSTANCE)


@router.patch("", dependencies=[_EDIT])
def patch_task_group_instances(
    dag_id: Id, dag_run_id: Id, group_id: Id, body: PatchTaskInstanceBody, context: Context, user: CurrentUser,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> TaskInstanceCollectionResponse:  # fmt: skip
    """Set the states of all task instances of a group, and of the groups in it, or their notes."""
    fields = read_patch(body, update_mask)
    with context.database.read() as tx:
        chosen = select_group(context, tx, (dag_id, dag_run_id, group_id), body)
    return change_instances(context, user, chosen, fields, dry_run=False)


@router.patch("/dry_run", dependencies=[_EDIT])
def patch_task_group_instances_dry_run(
    dag_id: Id, dag_run_id: Id, group_id: Id, body: PatchTaskInstanceBody, context: Context, user: CurrentUser
) -> TaskInstanceCollectionResponse:
    """The task instances whose state a request without `dry_run` would set."""
    fields = read_patch(body, None)
    with context.database.read() as tx:
        chosen = select_group(context, tx, (dag_id, dag_run_id, group_id), body)
    return change_instances(context, user, chosen, fields, dry_run=True)
