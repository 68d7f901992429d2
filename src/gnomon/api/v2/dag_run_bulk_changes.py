"""Bulk changes of runs: setting states and deleting. Each run is a request to the owner of its DAG: one that is refused leaves the others changed."""

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
from gnomon.api.v2.dag_run_changes import delete_dag_run, patch_dag_run
from gnomon.api.v2.schemas.bulk_shapes import (
    BulkActionNotOnExistence,
    BulkActionResponse,
    BulkBody,
    BulkCreateAction,
    BulkResponse,
    BulkUpdateAction,
)
from gnomon.api.v2.schemas.dag_runs_shapes import BulkDAGRunBody, DAGRunPatchBody
from gnomon.model.accounts import Role
from gnomon.model.errors.product import GnomonError
from gnomon.model.sentences import say

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns", tags=["DagRun"])


@router.patch("", dependencies=[requires(Permission.EDIT, ApiResource.DAG_RUN), RUN_CHANGE_SLOTS.require()])
def bulk_dag_runs(dag_id: Id, body: BulkBody[BulkDAGRunBody], context: Context, user: CurrentUser) -> BulkResponse:
    """Set the states of runs, or delete runs. With `~` in the path each entity names its DAG."""
    check_entity_count(body)
    results: dict[str, BulkActionResponse] = {}
    for action in body.actions:
        result = results.setdefault(action.action, BulkActionResponse(success=[], errors=[]))
        if isinstance(action, BulkCreateAction):
            result.errors.append(
                {"error": "runs are not created in bulk; trigger each with POST .../dagRuns", "status_code": 405}
            )
            continue
        mask = action.update_mask if isinstance(action, BulkUpdateAction) else None
        for entity in action.entities:
            run = BulkDAGRunBody(dag_run_id=entity) if isinstance(entity, str) else entity
            error = _change(context, user, dag_id, run, mask, deletes=not isinstance(action, BulkUpdateAction))
            if error is None:
                result.success.append(f"{run.dag_id or dag_id}.{run.dag_run_id}")
            elif error["status_code"] != 404 or action.action_on_non_existence is BulkActionNotOnExistence.FAIL:
                result.errors.append(error)
    return BulkResponse.model_validate(results, from_attributes=True)


def _change(
    context: ApiContext, user: User, path_dag_id: str, run: BulkDAGRunBody, mask: Sequence[str] | None, *, deletes: bool
) -> dict[str, object] | None:
    """Change or delete one run; returns the entry of `errors` when that is refused."""
    dag_id = run.dag_id or path_dag_id
    try:
        if dag_id == ALL or (ALL not in (path_dag_id, dag_id) and dag_id != path_dag_id):
            raise Refusal(400, say("run_of_body_has_no_dag", text=run.dag_run_id))
        with context.database.read() as tx:
            require_role(context, tx, user, dag_id, Role.USER)
        if deletes:
            delete_dag_run(dag_id, run.dag_run_id, context, user)
        else:
            fields = run.model_dump(include=run.model_fields_set - {"dag_id", "dag_run_id"})
            patch_dag_run(
                dag_id, run.dag_run_id, DAGRunPatchBody(**fields), context, user, None if mask is None else list(mask)
            )
    except AccessRefused as error:
        return {"error": str(error), "status_code": error.status}
    except (HTTPException, GnomonError, UnicodeError, OverflowError) as error:
        return describe_error(error, user)
    return None
