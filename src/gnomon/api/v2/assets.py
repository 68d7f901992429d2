"""Assets and their aliases: lists and single ones, and running the DAG that writes an asset."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_assets import find_visible_asset, read_visible_assets
from gnomon.api.access.visible_dags import VisibleDags, require_role
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.text_patterns import matches_pattern, starts_with
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.asset_answers import build_alias, build_assets
from gnomon.api.v2.dag_runs import read_new_run, read_run
from gnomon.api.v2.schemas.assets_shapes import (
    AssetAliasCollectionResponse,
    AssetAliasResponse,
    AssetCollectionResponse,
    AssetResponse,
    MaterializeAssetBody,
)
from gnomon.api.v2.schemas.dag_runs_shapes import DAGRunResponse
from gnomon.changes.actions.manual_runs import create_run
from gnomon.model.accounts import Role
from gnomon.model.sentences import say
from gnomon.model.states import DagRunType
from gnomon.queries.report.listings.asset_list import list_producing_dags
from gnomon.queries.report.listings.visible_assets import VisibleAssets
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.asset_records.asset_declarations import StoredAsset

router = OperationRouter(prefix="/assets", tags=["Asset"])
_READ = requires(Permission.READ, ApiResource.ASSET)


class AssetFilters(PageParameters):
    """The parameters of the list of assets."""

    name_pattern: str | None = None
    name_prefix_pattern: str | None = None
    uri_pattern: str | None = None
    uri_prefix_pattern: str | None = None
    dag_ids: list[str] = Field([])
    only_active: bool = True
    order_by: list[str] = Field([])


class AliasFilters(PageParameters):
    """The parameters of the list of aliases."""

    name_pattern: str | None = None
    name_prefix_pattern: str | None = None
    order_by: list[str] = Field([])


_ORDER: dict[str, Any] = {
    "id": lambda asset: asset.asset_pk,
    "name": lambda asset: asset.key.name,
    "uri": lambda asset: asset.key.uri,
    "created_at": lambda asset: asset.created_at,
    "updated_at": lambda asset: asset.updated_at,
}
_ALIAS_ORDER: dict[str, Any] = {"id": lambda alias: alias.alias_pk, "name": lambda alias: alias.name}


@router.get("", dependencies=[_READ])
def get_assets(
    filters: Annotated[AssetFilters, Query()], context: Context, user: CurrentUser
) -> AssetCollectionResponse:
    """Assets that a file names, by id; with `only_active=false` also those that no file names any more. `dag_ids`: those that one of these DAGs names."""
    with context.database.read() as tx:
        visible = read_visible_assets(context, tx, user)
        chosen = [asset for asset in asset_declarations.list_assets(tx) if _matches(asset, filters, visible)]
        ordered = sort_entries(chosen, filters.order_by, _ORDER, "id")
        return AssetCollectionResponse(
            assets=build_assets(tx, visible, cut_page(ordered, filters)), total_entries=len(ordered)
        )


@router.get("/aliases", dependencies=[_READ])
def get_asset_aliases(
    filters: Annotated[AliasFilters, Query()], context: Context, user: CurrentUser
) -> AssetAliasCollectionResponse:
    """Aliases, by id, also those that no file names any more."""
    with context.database.read() as tx:
        visible = read_visible_assets(context, tx, user)
        chosen = [
            alias
            for alias in asset_declarations.list_aliases(tx)
            if visible.shows_alias(alias.name)
            and matches_pattern(alias.name, filters.name_pattern)
            and starts_with(alias.name, filters.name_prefix_pattern)
        ]
    ordered = sort_entries(chosen, filters.order_by, _ALIAS_ORDER, "id")
    return AssetAliasCollectionResponse(
        asset_aliases=[build_alias(alias) for alias in cut_page(ordered, filters)], total_entries=len(ordered)
    )


@router.get("/aliases/{asset_alias_id}", dependencies=[_READ], response_model=None)
def get_asset_alias(asset_alias_id: int, context: Context, user: CurrentUser) -> AssetAliasResponse:
    """One alias."""
    with context.database.read() as tx:
        visible = read_visible_assets(context, tx, user)
        aliases = [
            alias
            for alias in asset_declarations.list_aliases(tx)
            if alias.alias_pk == asset_alias_id and visible.shows_alias(alias.name)
        ]
    if not aliases:
        raise Refusal(404, say("alias_id_does_not_exist", number=str(asset_alias_id)))
    return build_alias(aliases[0])


@router.get("/{asset_id}", dependencies=[_READ])
def get_asset(asset_id: int, context: Context, user: CurrentUser) -> AssetResponse:
    """One asset."""
    with context.database.read() as tx:
        asset = find_visible_asset(context, tx, user, asset_id)
        return build_assets(tx, read_visible_assets(context, tx, user), [asset])[0]


@router.post("/{asset_id}/materialize", dependencies=[requires(Permission.CREATE, ApiResource.ASSET)])
def materialize_asset(
    asset_id: int, context: Context, user: CurrentUser, body: MaterializeAssetBody | None = None
) -> DAGRunResponse:
    """Create a run of the only DAG that has a task with the asset as outlet."""
    with context.database.read() as tx:
        asset = find_visible_asset(context, tx, user, asset_id)
        visible = VisibleDags(context, tx, user)
        shown = [dag_id for dag_id in list_producing_dags(tx, asset.key) if dag_id in visible]
        if not shown:
            raise Refusal(404, say("asset_has_no_writer", asset=asset.key.name))
        if len(shown) > 1:
            raise Refusal(409, say("asset_has_several_writers", asset=asset.key.name, names=", ".join(shown)))
        require_role(context, tx, user, shown[0], Role.USER)
    new = read_new_run(shown[0], body or MaterializeAssetBody(), DagRunType.ASSET_MATERIALIZATION)
    created = create_run(context.act_as(user), context.database, new)
    return read_run(context, shown[0], created.run.run_id)


def _matches(asset: StoredAsset, filters: AssetFilters, visible: VisibleAssets) -> bool:
    if not visible.shows_asset(asset.key):
        return False
    about = visible.list_about(asset.key)
    if filters.only_active and all(declaration.leaf != asset.key for declaration in about):
        return False
    if filters.dag_ids and not {declaration.dag_id for declaration in about}.intersection(filters.dag_ids):
        return False
    return (
        matches_pattern(asset.key.name, filters.name_pattern)
        and starts_with(asset.key.name, filters.name_prefix_pattern)
        and matches_pattern(asset.key.uri, filters.uri_pattern)
        and starts_with(asset.key.uri, filters.uri_prefix_pattern)
    )
