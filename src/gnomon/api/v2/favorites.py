"""Marking a DAG as a favourite of the user, and undoing it."""

from __future__ import annotations

from fastapi import Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import find_stored_dag
from gnomon.changes.actions.favorite_changes import mark_favorite, unmark_favorite
from gnomon.model.sentences import say

router = OperationRouter(prefix="/dags/{dag_id}", tags=["DAG"])
_MARK = requires(Permission.READ, ApiResource.DAG)
"""Who may read a DAG may mark it: the mark belongs to the account."""


@router.post("/favorite", status_code=204, dependencies=[_MARK])
def favorite_dag(dag_id: Id, context: Context, user: CurrentUser) -> Response:
    """Mark the DAG as a favourite; one that is marked already stays marked."""
    with context.database.read() as tx:
        dag = find_stored_dag(tx, dag_id)
    mark_favorite(context.act_as(user), context.database, user.name, dag)
    return Response(status_code=204)


@router.post("/unfavorite", status_code=204, dependencies=[_MARK])
def unfavorite_dag(dag_id: Id, context: Context, user: CurrentUser) -> Response:
    """Undo the mark."""
    with context.database.read() as tx:
        dag = find_stored_dag(tx, dag_id)
    if not unmark_favorite(context.act_as(user), context.database, user.name, dag):
        raise Refusal(409, say("dag_is_no_favourite", dag=dag_id))
    return Response(status_code=204)
