"""What is kept of an asset in the asset state store. It is kept under the name of the asset: two assets with one name share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_assets import find_visible_asset
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.schemas.state_stores_shapes import (
    AssetStateStoreBody,
    AssetStateStoreCollectionResponse,
    AssetStateStoreLastUpdatedBy,
    AssetStateStoreResponse,
    AssetStateStoreWriterKind,
)
from gnomon.changes.actions import state_changes
from gnomon.model.accounts import Role
from gnomon.model.instants import to_datetime
from gnomon.model.json_text import read_shown_json
from gnomon.model.sentences import say
from gnomon.model.state_values import StateWriter
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.storage.store import Transaction
from gnomon.storage.store.state_stores.asset_state_store import StoredAssetState, list_asset_state

router = OperationRouter(prefix="/assets/{asset_id}/state-store", tags=["Asset State Store"])
_READ = requires(Permission.READ, ApiResource.ASSET)
_DELETE = requires(Permission.DELETE, ApiResource.ASSET)


@router.get("", dependencies=[_READ])
def list_asset_state_store(
    asset_id: int, page: Annotated[PageParameters, Query()], context: Context, user: CurrentUser
) -> AssetStateStoreCollectionResponse:
    """What is kept of the asset, by key."""
    with context.database.read() as tx:
        entries = list_asset_state(tx, find_visible_asset(context, tx, user, asset_id).key.name)
        answers = _build(tx, VisibleDags(context, tx, user), cut_page(entries, page))
    return AssetStateStoreCollectionResponse(asset_state_store=answers, total_entries=len(entries))


@router.get("/{key:path}", dependencies=[_READ])
def get_asset_state_store(asset_id: int, key: Id, context: Context, user: CurrentUser) -> AssetStateStoreResponse:
    """The value under one key."""
    with context.database.read() as tx:
        name = find_visible_asset(context, tx, user, asset_id).key.name
        matching = [entry for entry in list_asset_state(tx, name) if entry.key == key]
        if not matching:
            raise Refusal(404, say("asset_keeps_nothing_under_key", asset=name, key=key))
        return _build(tx, VisibleDags(context, tx, user), matching)[0]


@router.put("/{key:path}", status_code=204, dependencies=[requires(Permission.EDIT, ApiResource.ASSET)])
def set_asset_state_store(
    asset_id: int, key: Id, body: AssetStateStoreBody, context: Context, user: CurrentUser
) -> Response:
    """Keep a value of the asset, in place of the one under the key."""
    state_changes.set_asset_value(
        context.act_as(user), context.database, _find_name(context, user, asset_id), key, body.value
    )
    return Response(status_code=204)


@router.delete("/{key:path}", status_code=204, dependencies=[_DELETE])
def delete_asset_state_store(asset_id: int, key: Id, context: Context, user: CurrentUser) -> Response:
    """Delete the value under one key; one that does not exist is no error, as in Airflow."""
    state_changes.delete_asset_value(context.act_as(user), context.database, _find_name(context, user, asset_id), key)
    return Response(status_code=204)


@router.delete("", status_code=204, dependencies=[_DELETE])
def clear_asset_state_store(asset_id: int, context: Context, user: CurrentUser) -> Response:
    """Delete everything that is kept of the asset."""
    state_changes.clear_asset_values(context.act_as(user), context.database, _find_name(context, user, asset_id))
    return Response(status_code=204)


def _find_name(context: ApiContext, user: User, asset_id: int) -> str:
    """The name of the asset, which the user may change. Raises as `find_visible_asset` does."""
    with context.database.read() as tx:
        return find_visible_asset(context, tx, user, asset_id, Role.USER).key.name


def _build(tx: Transaction, visible: VisibleDags, entries: Sequence[StoredAssetState]) -> list[AssetStateStoreResponse]:
    """What is kept, secrets masked: those are looked up once for all."""
    values = hide_stored_secrets(tx, [read_shown_json(entry.value) for entry in entries])
    writers = [None if entry.source is None else _build_writer(visible, entry.source) for entry in entries]
    return [
        AssetStateStoreResponse(
            key=entry.key, value=value, updated_at=to_datetime(entry.updated_at), last_updated_by=writer
        )
        for entry, value, writer in zip(entries, values, writers, strict=True)
    ]


def _build_writer(visible: VisibleDags, writer: StateWriter) -> AssetStateStoreLastUpdatedBy:
    """The writer; a task of a DAG that is hidden from the user has no names. A command counts as the API: Airflow has no kind for it."""
    kind = AssetStateStoreWriterKind.API if writer.kind == "cli" else AssetStateStoreWriterKind(writer.kind)
    if writer.dag_id is not None and writer.dag_id not in visible:
        return AssetStateStoreLastUpdatedBy(kind=kind)
    return AssetStateStoreLastUpdatedBy(
        kind=kind, dag_id=writer.dag_id, run_id=writer.run_id, task_id=writer.task_id, map_index=writer.map_index
    )
