"""Pools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from gnomon.api.access.permissions import CurrentAuthor, CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.common.text_patterns import matches_pattern, starts_with
from gnomon.api.common.update_masks import read_changes
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.bulk_changes import BulkTarget, change_in_bulk
from gnomon.api.v2.schemas.bulk_shapes import BulkBody, BulkResponse
from gnomon.api.v2.schemas.pools_shapes import PoolBody, PoolCollectionResponse, PoolPatchBody, PoolResponse
from gnomon.changes.actions.admin_changes import AdminChanges
from gnomon.model.records import PoolRecord
from gnomon.model.sentences import say
from gnomon.model.states import TaskInstanceState
from gnomon.queries.report.listings.not_found import pool_not_found
from gnomon.storage.store import Transaction, notify_on_commit
from gnomon.storage.store.admin import pools

router = OperationRouter(prefix="/pools", tags=["Pool"])
_READ = requires(Permission.READ, ApiResource.POOL)
DEFAULT_POOL = "default_pool"
UNLIMITED = -1


class PoolFilters(PageParameters):
    """The parameters of the list."""

    order_by: list[str] = Field([])
    pool_name_pattern: str | None = None
    pool_name_prefix_pattern: str | None = None


_ORDER: dict[str, Any] = {
    "id": lambda pool: pool.name,
    "pool": lambda pool: pool.name,
    "name": lambda pool: pool.name,
    "slots": lambda pool: pool.slots,
    "description": lambda pool: pool.description,
    "include_deferred": lambda pool: pool.include_deferred,
}


@router.get("", dependencies=[_READ])
def get_pools(filters: Annotated[PoolFilters, Query()], context: Context) -> PoolCollectionResponse:
    """Pools, by name."""
    with context.database.read() as tx:
        stored_pools, live = pools.list_pools(tx), pools.read_live_slots(tx)
    chosen = [
        pool
        for pool in stored_pools
        if matches_pattern(pool.name, filters.pool_name_pattern)
        and starts_with(pool.name, filters.pool_name_prefix_pattern)
    ]
    ordered = sort_entries(chosen, filters.order_by, _ORDER, "name")
    return PoolCollectionResponse(
        pools=[_build(pool, live.get(pool.name, {})) for pool in cut_page(ordered, filters)], total_entries=len(ordered)
    )


@router.post("", status_code=201, dependencies=[requires(Permission.CREATE, ApiResource.POOL)])
def post_pool(body: PoolBody, context: Context, user: CurrentUser, author: CurrentAuthor) -> PoolResponse:
    """Add a pool."""
    with context.database.write() as tx:
        if pools.find_pool(tx, body.name) is not None:
            raise Refusal(409, say("name_exists", thing="pool", name=body.name))
        _create(AdminChanges(tx, author), body)
    context.act_as(user).wake_services()
    return _read(context, body.name)


@router.get("/{pool_name}", dependencies=[_READ])
def get_pool(pool_name: Id, context: Context) -> PoolResponse:
    """One pool."""
    return _read(context, pool_name)


@router.patch("/{pool_name}", dependencies=[requires(Permission.EDIT, ApiResource.POOL)])
def patch_pool(
    pool_name: Id,
    body: PoolPatchBody,
    context: Context,
    user: CurrentUser,
    author: CurrentAuthor,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> PoolResponse:
    """Change a pool. Its name stays, as running tasks hold its slots by name."""
    changes = read_changes(body, update_mask)
    if changes.get("pool") not in (None, pool_name):
        raise Refusal(400, say("pool_keeps_its_name", name=pool_name))
    with context.database.write() as tx:
        _change(AdminChanges(tx, author), pool_name, {name: value for name, value in changes.items() if name != "pool"})
    context.act_as(user).wake_services()
    return _read(context, pool_name)


@router.patch("", dependencies=[requires(Permission.EDIT, ApiResource.POOL)])
def bulk_pools(body: BulkBody[PoolBody], context: Context, user: CurrentUser, author: CurrentAuthor) -> BulkResponse:
    """Create, change and delete pools."""
    answer = change_in_bulk(
        context.database,
        body,
        BulkTarget(
            "pool",
            lambda entity: entity.name,
            lambda tx, name: pools.find_pool(tx, name) is not None,
            lambda tx, entity: _create(AdminChanges(tx, author), entity),
            lambda tx, entity, mask: _change(
                AdminChanges(tx, author),
                entity.name,
                {name: value for name, value in read_changes(entity, mask).items() if name != "name"},
            ),
            lambda tx, name: _delete(AdminChanges(tx, author), name),
        ),
    )
    context.act_as(user).wake_services()
    return answer


@router.delete("/{pool_name}", status_code=204, dependencies=[requires(Permission.DELETE, ApiResource.POOL)])
def delete_pool(pool_name: Id, context: Context, user: CurrentUser, author: CurrentAuthor) -> Response:
    """Delete a pool that no task uses now; tasks that name it wait until it exists again."""
    with context.database.write() as tx:
        _delete(AdminChanges(tx, author), pool_name)
    context.act_as(user).wake_services()
    return Response(status_code=204)


def _create(changes: AdminChanges, body: PoolBody) -> None:
    _check_team(body.team_name)
    changes.set_pool(body.name, body.slots, description=body.description or "", include_deferred=body.include_deferred)
    notify_on_commit(changes.tx)


def _change(changes: AdminChanges, name: str, fields: Mapping[str, Any]) -> None:
    """Change some fields of a pool. Raises Refusal for a value that a pool cannot have, NameNotFound."""
    _check_team(fields.get("team_name"))
    if null := [name for name in ("slots", "include_deferred") if fields.get(name, name) is None]:
        raise Refusal(422, say("field_of_pool_is_null", name=null[0]))
    slots = fields.get("slots")
    if slots is not None and slots < UNLIMITED:
        raise Refusal(422, say("slots_of_pool_are_wrong", least=UNLIMITED, number=str(slots)))
    pool = _find(changes.tx, name)
    description = fields.get("description", pool.description) or ""
    if name == DEFAULT_POOL and description != pool.description:
        raise Refusal(400, say("default_pool_has_fixed_fields", pool=DEFAULT_POOL))
    include_deferred = fields.get("include_deferred")
    changes.set_pool(
        name,
        pool.slots if slots is None else slots,
        description=description,
        include_deferred=pool.include_deferred if include_deferred is None else include_deferred,
    )
    notify_on_commit(changes.tx)


def _delete(changes: AdminChanges, name: str) -> None:
    if name == DEFAULT_POOL:
        raise Refusal(400, say("default_pool_stays", pool=DEFAULT_POOL))
    _find(changes.tx, name)
    changes.delete_pool(name)
    notify_on_commit(changes.tx)


def _check_team(team_name: str | None) -> None:
    if team_name is not None:
        raise ApiUnsupported(say("no_teams_exist"))


def _find(tx: Transaction, name: str) -> PoolRecord:
    pool = pools.find_pool(tx, name)
    if pool is None:
        raise pool_not_found(name, [pool.name for pool in pools.list_pools(tx)])
    return pool


def _read(context: ApiContext, name: str) -> PoolResponse:
    with context.database.read() as tx:
        return _build(_find(tx, name), pools.read_live_slots(tx).get(name, {}))


def _build(pool: PoolRecord, live: Mapping[TaskInstanceState, int]) -> PoolResponse:
    return PoolResponse(
        name=pool.name,
        slots=pool.slots,
        description=pool.description or None,
        include_deferred=pool.include_deferred,
        occupied_slots=pool.used,
        running_slots=live.get(TaskInstanceState.RUNNING, 0) + live.get(TaskInstanceState.RESTARTING, 0),
        queued_slots=live.get(TaskInstanceState.QUEUED, 0),
        scheduled_slots=live.get(TaskInstanceState.SCHEDULED, 0),
        open_slots=UNLIMITED if pool.slots == UNLIMITED else pool.slots - pool.used,
        deferred_slots=live.get(TaskInstanceState.DEFERRED, 0),
        team_name=None,
    )
