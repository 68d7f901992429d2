"""Bulk changes of task instances: setting states and notes. Each entity is a request to the owner of its DAG: one that is refused leaves the others changed."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import HTTPException

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import ALL, Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import AccessRefused, ApiResource, Permission, User
from gnomon.api.v2.bulk_changes import RUN_CHANGE_SLOTS, check_entity_count, describe_error
from gnomon.api.v2.schemas.bulk_shapes import (
    BulkActionNotOnExistence,
    BulkActionResponse,
    BulkBody,
    BulkCreateAction,
    BulkDeleteAction,
    BulkResponse,
)
from gnomon.api.v2.schemas.task_instances_shapes import BulkTaskInstanceBody, PatchTaskInstanceBody
from gnomon.api.v2.task_instance_changes import patch_task_instance
from gnomon.api.v2.unsupported import NO_DELETION
from gnomon.model.accounts import Role
from gnomon.model.errors.product import GnomonError
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import render, say

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", tags=["Task Instance"])


@router.patch("", dependencies=[requires(Permission.EDIT, ApiResource.TASK_INSTANCE), RUN_CHANGE_SLOTS.require()])
def bulk_task_instances(
    dag_id: Id, dag_run_id: Id, body: BulkBody[BulkTaskInstanceBody], context: Context, user: CurrentUser
) -> BulkResponse:
    """Set states and notes of task instances. With `~` in the path each entity names its DAG or its run. Without a map index all instances are meant."""
    check_entity_count(body)
    results: dict[str, BulkActionResponse] = {}
    for action in body.actions:
        result = results.setdefault(action.action, BulkActionResponse(success=[], errors=[]))
        if isinstance(action, BulkCreateAction):
            result.errors.append(
                {
                    "error": "task instances are not created: the owner of a run derives them from the DAG",
                    "status_code": 405,
                }
            )
            continue
        if isinstance(action, BulkDeleteAction):
            result.errors.append({"error": render(say(NO_DELETION)), "status_code": 501})
            continue
        for entity in action.entities:
            changed, error = _change(context, user, (dag_id, dag_run_id), entity, action.update_mask)
            result.success += changed
            if error is not None and (
                error["status_code"] != 404 or action.action_on_non_existence is BulkActionNotOnExistence.FAIL
            ):
                result.errors.append(error)
    return BulkResponse.model_validate(results, from_attributes=True)


def _change(
    context: ApiContext, user: User, path: tuple[str, str], entity: BulkTaskInstanceBody, mask: Sequence[str] | None
) -> tuple[list[str], dict[str, object] | None]:
    """Change one entity; returns the names of the changed instances, and the entry of `errors` when that is refused."""
    dag_id, run_id = entity.dag_id or path[0], entity.dag_run_id or path[1]
    try:
        for named, in_path in ((dag_id, path[0]), (run_id, path[1])):
            if named == ALL or in_path not in (ALL, named):
                raise Refusal(400, say("task_of_body_has_no_run", text=entity.task_id))
        with context.database.read() as tx:
            require_role(context, tx, user, dag_id, Role.USER)
        fields = entity.model_dump(include=entity.model_fields_set & set(PatchTaskInstanceBody.model_fields))
        body = PatchTaskInstanceBody(**fields)
        changed = patch_task_instance(
            dag_id, run_id, entity.task_id, body, context, user, entity.map_index, None if mask is None else list(mask)
        )
    except AccessRefused as error:
        return [], {"error": str(error), "status_code": error.status}
    except (HTTPException, GnomonError, UnicodeError, OverflowError) as error:
        return [], describe_error(error, user)
    names = [f"{dag_id}.{run_id}.{instance.task_id}[{instance.map_index}]" for instance in changed.task_instances]
    return names or [
        f"{dag_id}.{run_id}.{entity.task_id}[{UNMAPPED if entity.map_index is None else entity.map_index}]"
    ], None
