"""What a task instance keeps in the task state store between its tries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.schemas.state_stores_shapes import (
    TaskStateStoreBody,
    TaskStateStoreCollectionResponse,
    TaskStateStorePatchBody,
    TaskStateStoreResponse,
)
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.changes.actions import state_changes
from gnomon.changes.actions.state_changes import InstanceScope
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import moment, to_datetime
from gnomon.model.json_text import read_shown_json
from gnomon.model.sentences import RunName, TaskName, say
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.storage.store import Transaction
from gnomon.storage.store.state_stores.task_state_store import StoredTaskState, TaskStateScope, list_instance_state

router = OperationRouter(
    prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store", tags=["Task State Store"]
)
_READ = requires(Permission.READ, ApiResource.TASK_INSTANCE)
_EDIT = requires(Permission.EDIT, ApiResource.TASK_INSTANCE)
_DELETE = requires(Permission.DELETE, ApiResource.TASK_INSTANCE)
MapIndex = Annotated[int, Query(ge=-1)]


class StatePage(PageParameters):
    """The parameters of the list."""

    map_index: int = Field(UNMAPPED, ge=-1)


@router.get("", dependencies=[_READ])
def list_task_state_store(
    dag_id: Id, dag_run_id: Id, task_id: Id, page: Annotated[StatePage, Query()], context: Context
) -> TaskStateStoreCollectionResponse:
    """What the task instance keeps, by key."""
    with context.database.read() as tx:
        place = _find_place(tx, dag_id, dag_run_id, task_id, page.map_index)
        entries = list_instance_state(tx, place.scope, context.clock.now())
        answers = _build(tx, cut_page(entries, page))
    return TaskStateStoreCollectionResponse(task_state_store=answers, total_entries=len(entries))


@router.delete("", status_code=204, dependencies=[_DELETE])
def clear_task_state_store(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    context: Context,
    user: CurrentUser,
    map_index: MapIndex = UNMAPPED,
    all_map_indices: Annotated[bool, Query()] = False,
) -> Response:
    """Delete everything that the task instance keeps; with `all_map_indices` what all instances of the task keep."""
    with context.database.read() as tx:
        place = _find_place(tx, dag_id, dag_run_id, task_id, None if all_map_indices else map_index)
    state_changes.clear_task_values(context.act_as(user), context.database, place, of_all_instances=all_map_indices)
    return Response(status_code=204)


@router.get("/{key:path}", dependencies=[_READ])
def get_task_state_store(
    dag_id: Id, dag_run_id: Id, task_id: Id, key: Id, context: Context, map_index: MapIndex = UNMAPPED
) -> TaskStateStoreResponse:
    """The value under one key."""
    with context.database.read() as tx:
        place = _find_place(tx, dag_id, dag_run_id, task_id, map_index)
        matching = [entry for entry in list_instance_state(tx, place.scope, context.clock.now()) if entry.key == key]
        if not matching:
            raise Refusal(
                404,
                say(
                    "task_keeps_nothing_under_key",
                    task=TaskName(dag_id, dag_run_id, task_id, map_index),
                    key=key,
                    run=RunName(dag_id, dag_run_id),
                ),
            )
        return _build(tx, matching)[0]


@router.put("/{key:path}", status_code=204, dependencies=[_EDIT])
def set_task_state_store(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    key: Id,
    body: TaskStateStoreBody,
    context: Context,
    user: CurrentUser,
    map_index: MapIndex = UNMAPPED,
) -> Response:
    """Keep a value for the task instance, in place of the one under the key. `expires_at`: null for never, `default` for the configured time."""
    actor = context.act_as(user)
    with context.database.read() as tx:
        place = _find_place(tx, dag_id, dag_run_id, task_id, map_index)
    if body.expires_at == "default":
        expires_at = state_changes.find_default_expiry(actor)
    else:
        expires_at = None if body.expires_at is None else read_instant(body.expires_at)
    state_changes.set_task_value(actor, context.database, place, key, body.value, expires_at)
    return Response(status_code=204)


@router.patch("/{key:path}", dependencies=[_EDIT], response_model=None)
def patch_task_state_store(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    key: Id,
    body: TaskStateStorePatchBody,
    context: Context,
    user: CurrentUser,
    map_index: MapIndex = UNMAPPED,
) -> None:
    """Replace the value under a key; it expires as before."""
    with context.database.read() as tx:
        place = _find_place(tx, dag_id, dag_run_id, task_id, map_index)
    state_changes.replace_task_value(context.act_as(user), context.database, place, key, body.value)


@router.delete("/{key:path}", status_code=204, dependencies=[_DELETE])
def delete_task_state_store(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    key: Id,
    context: Context,
    user: CurrentUser,
    map_index: MapIndex = UNMAPPED,
) -> Response:
    """Delete the value under one key; one that does not exist is no error, as in Airflow."""
    with context.database.read() as tx:
        place = _find_place(tx, dag_id, dag_run_id, task_id, map_index)
    state_changes.delete_task_value(context.act_as(user), context.database, place, key)
    return Response(status_code=204)


def _find_place(tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int | None) -> InstanceScope:
    """The task instance; None as the map index is any. Raises NameNotFound, Refusal (404) for an instance that the run does not have."""
    instances = RunInstances(tx, dag_id, run_id, task_id)
    if task_id not in instances.dag.task_numbers:
        raise task_not_found(dag_id, task_id, instances.dag.task_numbers)
    if map_index is not None:
        instances.find(task_id, map_index)
    scope = TaskStateScope(
        instances.run.run_pk, instances.dag.task_numbers[task_id], UNMAPPED if map_index is None else map_index
    )
    return InstanceScope(instances.dag.dag_pk, dag_id, run_id, scope)


def _build(tx: Transaction, entries: Sequence[StoredTaskState]) -> list[TaskStateStoreResponse]:
    """What is kept, secrets masked: those are looked up once for all."""
    values = hide_stored_secrets(tx, [read_shown_json(entry.value) for entry in entries])
    return [
        TaskStateStoreResponse(
            key=entry.key, value=value, updated_at=to_datetime(entry.updated_at), expires_at=moment(entry.expires_at)
        )
        for entry, value in zip(entries, values, strict=True)
    ]
