"""Events of assets that DAGs have not consumed yet: one entry for each DAG and asset, and deleting them.

The owner of a DAG deletes from its queue, so a deletion is a request to each owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Query, Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_assets import find_visible_asset
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.lookup import find_display_names, find_stored_dag, require_answer
from gnomon.api.v2.schemas.assets_shapes import QueuedEventCollectionResponse, QueuedEventResponse
from gnomon.changes.actions.asset_event_changes import discard_queued_events
from gnomon.model.accounts import Role
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.sentences import Sentence, say
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records.asset_queue import QueuedAsset, list_queued_assets

router = OperationRouter(tags=["Asset"])
_READ = requires(Permission.READ, ApiResource.ASSET)
_DELETE = requires(Permission.DELETE, ApiResource.ASSET)
Before = Annotated[str | None, Query()]


@router.get("/assets/{asset_id}/queuedEvents", dependencies=[_READ])
def get_asset_queued_events(
    asset_id: int, context: Context, user: CurrentUser, before: Before = None
) -> QueuedEventCollectionResponse:
    """The DAGs that have not consumed events of the asset yet. `before`: only events from before this date."""
    instant = _read_before(before)
    with context.database.read() as tx:
        find_visible_asset(context, tx, user, asset_id)
        visible = VisibleDags(context, tx, user)
        queued = [
            entry for entry in list_queued_assets(tx, asset_pk=asset_id, before=instant) if entry.dag_id in visible
        ]
        return _build_list(context, tx, queued)


@router.delete("/assets/{asset_id}/queuedEvents", status_code=204, dependencies=[_DELETE])
def delete_asset_queued_events(asset_id: int, context: Context, user: CurrentUser, before: Before = None) -> Response:
    """Delete events of the asset from the queues of the DAGs on which the user has the role user."""
    instant = _read_before(before)
    with context.database.read() as tx:
        find_visible_asset(context, tx, user, asset_id)
        changeable = VisibleDags(context, tx, user, Role.USER)
        queued = [
            entry for entry in list_queued_assets(tx, asset_pk=asset_id, before=instant) if entry.dag_id in changeable
        ]
    return _delete(
        context,
        user,
        queued,
        asset_id,
        instant,
        say("no_dag_has_event", number=str(asset_id)),
    )


@router.get("/dags/{dag_id}/assets/queuedEvents", dependencies=[_READ])
def get_dag_asset_queued_events(dag_id: Id, context: Context, before: Before = None) -> QueuedEventCollectionResponse:
    """The assets of which the DAG has not consumed events yet."""
    instant = _read_before(before)
    with context.database.read() as tx:
        return _build_list(
            context, tx, list_queued_assets(tx, dag_pk=find_stored_dag(tx, dag_id).dag_pk, before=instant)
        )


@router.delete("/dags/{dag_id}/assets/queuedEvents", status_code=204, dependencies=[_DELETE])
def delete_dag_asset_queued_events(dag_id: Id, context: Context, user: CurrentUser, before: Before = None) -> Response:
    """Delete events of all assets from the queue of the DAG."""
    instant = _read_before(before)
    with context.database.read() as tx:
        queued = list_queued_assets(tx, dag_pk=find_stored_dag(tx, dag_id).dag_pk, before=instant)
    return _delete(context, user, queued, None, instant, say("dag_has_no_event", dag=dag_id, subject=say("an_asset")))


@router.get("/dags/{dag_id}/assets/{asset_id}/queuedEvents", dependencies=[_READ])
def get_dag_asset_queued_event(
    dag_id: Id, asset_id: int, context: Context, before: Before = None
) -> QueuedEventResponse:
    """The entry of one asset in the queue of the DAG."""
    instant = _read_before(before)
    with context.database.read() as tx:
        queued = list_queued_assets(tx, dag_pk=find_stored_dag(tx, dag_id).dag_pk, asset_pk=asset_id, before=instant)
        if not queued:
            raise Refusal(404, say("dag_has_no_event", dag=dag_id, subject=say("asset_number", number=str(asset_id))))
        return _build(context, tx, queued)[0]


@router.delete("/dags/{dag_id}/assets/{asset_id}/queuedEvents", status_code=204, dependencies=[_DELETE])
def delete_dag_asset_queued_event(
    dag_id: Id, asset_id: int, context: Context, user: CurrentUser, before: Before = None
) -> Response:
    """Delete events of one asset from the queue of the DAG."""
    instant = _read_before(before)
    with context.database.read() as tx:
        queued = list_queued_assets(tx, dag_pk=find_stored_dag(tx, dag_id).dag_pk, asset_pk=asset_id, before=instant)
    return _delete(
        context,
        user,
        queued,
        asset_id,
        instant,
        say("dag_has_no_event", dag=dag_id, subject=say("asset_number", number=str(asset_id))),
    )


def _delete(
    context: ApiContext,
    user: User,
    queued: Sequence[QueuedAsset],
    asset_pk: int | None,
    before: Instant | None,
    otherwise: Sentence,
) -> Response:
    """Delete events from the queues of these DAGs. Raises Refusal: 404 with the sentence `otherwise` when there are none, 503 without an answer."""
    if not queued:
        raise Refusal(404, otherwise)
    dag_pks = sorted({entry.dag_pk for entry in queued})
    for reply in discard_queued_events(context.act_as(user), context.database, dag_pks, asset_pk, before):
        require_answer(reply)
    return Response(status_code=204)


def _read_before(text: str | None) -> Instant | None:
    """The instant of `before`. Raises Refusal (422) for a text that is no date."""
    if text is None:
        return None
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise Refusal(422, say("before_is_no_date", text=text)) from None
    return read_instant(date)


def _build_list(context: ApiContext, tx: Transaction, queued: Sequence[QueuedAsset]) -> QueuedEventCollectionResponse:
    answers = _build(context, tx, queued)
    return QueuedEventCollectionResponse(queued_events=answers, total_entries=len(answers))


def _build(context: ApiContext, tx: Transaction, queued: Sequence[QueuedAsset]) -> list[QueuedEventResponse]:
    names = find_display_names(context, tx, (entry.dag_id for entry in queued))
    return [
        QueuedEventResponse(
            dag_id=entry.dag_id,
            asset_id=entry.asset_pk,
            created_at=to_datetime(entry.oldest_at),
            dag_display_name=names.get(entry.dag_id, entry.dag_id),
        )
        for entry in queued
    ]
