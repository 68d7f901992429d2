"""Events of assets: the list, those that a run consumed, and adding one from outside."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_assets import find_visible_asset, require_event_role
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import FilterField, build_conditions, read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import SortField, parse_order
from gnomon.api.common.paging import PageParameters, count_entries
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import ApiUnsupported
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.asset_answers import build_events
from gnomon.api.v2.lookup import find_dag_and_run
from gnomon.api.v2.schemas.assets_shapes import AssetEventCollectionResponse, AssetEventResponse, CreateAssetEventsBody
from gnomon.changes.actions.asset_event_changes import add_asset_event
from gnomon.model.sentences import say
from gnomon.queries.report.listings.visible_assets import VisibleAssets
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.asset_records.asset_events import MAX_LISTED
from gnomon.storage.store.pages.asset_event_pages import count_asset_events, read_asset_event_page, read_consumed_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery

router = OperationRouter(tags=["Asset"])
_READ = requires(Permission.READ, ApiResource.ASSET)


class AssetEventFilters(PageParameters):
    """The parameters of the list."""

    order_by: list[str] = Field([])
    asset_id: int | None = None
    source_dag_id: str | None = None
    source_task_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int | None = None
    name_pattern: str | None = None
    name_prefix_pattern: str | None = None
    timestamp_gte: datetime | None = None
    timestamp_gt: datetime | None = None
    timestamp_lte: datetime | None = None
    timestamp_lt: datetime | None = None


_FIELDS = {
    name: FilterField(name)
    for name in ("asset_id", "source_dag_id", "source_task_id", "source_run_id", "source_map_index", "name")
} | {"timestamp": FilterField("timestamp", read_instant)}
_ORDER = {
    "timestamp": SortField("timestamp"),
    "source_map_index": SortField("source_map_index"),
    **{
        name: SortField(name, is_text=True, is_nullable=True)
        for name in ("source_dag_id", "source_task_id", "source_run_id")
    },
}
_KEY = (SortField("id"),)


@router.get("/assets/events", dependencies=[_READ])
def get_asset_events(
    filters: Annotated[AssetEventFilters, Query()], context: Context, user: CurrentUser
) -> AssetEventCollectionResponse:
    """Events of assets, the oldest first. An event of a DAG that is hidden from the user is left out."""
    order = parse_order(filters.order_by, _ORDER, "timestamp", _KEY)
    conditions = build_conditions(filters, _FIELDS, ("limit", "offset", "order_by"))
    with context.database.read() as tx:
        dags = VisibleDags(context, tx, user)
        if not dags.is_all:
            visible = VisibleAssets(tx, dags.dag_ids)
            shown = [asset.asset_pk for asset in asset_declarations.list_assets(tx) if visible.shows_asset(asset.key)]
            conditions += [
                Condition("asset_id", Operator.IN, shown),
                *dags.list_id_conditions("source_dag_id", or_none=True),
            ]
        page = read_asset_event_page(tx, PageQuery(tuple(conditions), order.keys, filters.size, filters.offset))
        total = count_entries(lambda most: count_asset_events(tx, conditions, most), filters.offset, filters.size)
        return AssetEventCollectionResponse(asset_events=build_events(tx, dags, page), total_entries=total.total)


@router.post("/assets/events", dependencies=[requires(Permission.CREATE, ApiResource.ASSET)])
def create_asset_event(body: CreateAssetEventsBody, context: Context, user: CurrentUser) -> AssetEventResponse:
    """Add an event of an asset from outside; the DAGs that it schedules consume it."""
    if body.access_control is not None and body.access_control.consumer_teams is not None:
        raise ApiUnsupported(say("no_teams_exist"))
    with context.database.read() as tx:
        asset = find_visible_asset(context, tx, user, body.asset_id)
        require_event_role(context, tx, user, asset)
    extra = {**body.extra, "from_rest_api": True}
    event_pk = add_asset_event(
        context.act_as(user), context.database, asset, f"api:{uuid.uuid4()}", extra, body.partition_key
    )
    with context.database.read() as tx:
        order = parse_order([], _ORDER, "timestamp", _KEY)
        page = read_asset_event_page(tx, PageQuery((Condition("id", Operator.EQUAL, event_pk),), order.keys, 1))
        return build_events(tx, VisibleDags(context, tx, user), page)[0]


@router.get(
    "/dags/{dag_id}/dagRuns/{dag_run_id}/upstreamAssetEvents",
    dependencies=[requires(Permission.READ, ApiResource.ASSET)],
    tags=["DagRun"],
)
def get_upstream_asset_events(
    dag_id: Id, dag_run_id: Id, context: Context, user: CurrentUser
) -> AssetEventCollectionResponse:
    """The events that a run consumed when it was created, the oldest first; none for a run that no asset has made."""
    with context.database.read() as tx:
        _dag, run = find_dag_and_run(tx, dag_id, dag_run_id)
        order = parse_order([], _ORDER, "timestamp", _KEY)
        page = read_consumed_page(tx, run.run_pk, PageQuery((), order.keys, MAX_LISTED))
        events = build_events(tx, VisibleDags(context, tx, user), page)
    return AssetEventCollectionResponse(asset_events=events, total_entries=len(events))
