"""Parsing a DAG file again, and the links of task instances."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags, require_role
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.dag_answers import decode_file_token
from gnomon.api.v2.schemas.tasks_shapes import ExtraLinkCollectionResponse
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.model.accounts import Role
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import say
from gnomon.queries.report.listings.extra_links import find_extra_links
from gnomon.storage.store import notify_on_commit
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.parsed_files import dag_files

router = OperationRouter()


@router.put(
    "/parseDagFile/{file_token}",
    status_code=201,
    tags=["DAG Parsing"],
    dependencies=[requires(Permission.EDIT, ApiResource.DAG)],
)
def reparse_dag_file(file_token: Id, context: Context, user: CurrentUser) -> Response:
    """Have a file of DAGs parsed again although nothing in it has changed. It needs the role user on one of its DAGs."""
    file = decode_file_token(file_token)
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        dag_ids = [dag.dag_id for dag in dags.list_dags(tx) if dag.file == file and dag.dag_id in visible]
        if not dag_ids:
            raise Refusal(404, say("token_names_no_file"))
        changeable = VisibleDags(context, tx, user, Role.USER)
        if not any(dag_id in changeable for dag_id in dag_ids):
            require_role(context, tx, user, dag_ids[0], Role.USER)
    with context.database.write() as tx:
        dag_files.mark_stale(tx, dag_ids[0])
        notify_on_commit(tx)
    context.act_as(user).wake_services()
    return Response(status_code=201, content="null", media_type="application/json")


@router.get(
    "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/links",
    tags=["Extra Links"],
    dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)],
)
def get_extra_links(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    context: Context,
    map_index: Annotated[int, Query(ge=-1)] = UNMAPPED,
    try_number: int | None = None,
) -> ExtraLinkCollectionResponse:
    """The links of a task instance by name; null while the URL is not known."""
    with context.database.read() as tx:
        instances = RunInstances(tx, dag_id, dag_run_id)
        record = instances.find(task_id, map_index).record
        if try_number is not None and (record is None or record.try_number != try_number):
            raise ApiUnsupported(say("links_are_of_current_try"))
        links = find_extra_links(tx, instances.dag, instances.run, task_id, map_index)
    return ExtraLinkCollectionResponse(extra_links=links, total_entries=len(links))
