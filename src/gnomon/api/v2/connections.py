"""Connections. Passwords and values under sensitive names are masked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from gnomon.api.access.permissions import CurrentAuthor, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import RETRY_AFTER_S, ApiUnsupported, Refusal
from gnomon.api.common.text_patterns import matches_pattern, starts_with
from gnomon.api.common.update_masks import read_changes
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.bulk_changes import BulkTarget, change_in_bulk
from gnomon.api.v2.schemas.bulk_shapes import BulkBody, BulkResponse
from gnomon.api.v2.schemas.connections_shapes import (
    ConnectionBody,
    ConnectionCollectionResponse,
    ConnectionResponse,
    ConnectionTestResponse,
)
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.changes.actions.admin_changes import AdminChanges
from gnomon.changes.actions.connection_checks import check_stored_connection
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.sentences import quote, say
from gnomon.queries.report.listings.connection_list import make_row
from gnomon.queries.report.listings.masked_values import keep_connection_secrets
from gnomon.queries.report.listings.not_found import connection_not_found
from gnomon.rules.planning import PlanningError
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin import connections
from gnomon.storage.store.admin.connections import StoredConnection

router = OperationRouter(prefix="/connections", tags=["Connection"])
_READ = requires(Permission.READ, ApiResource.CONNECTION)
_CHECKS_AT_A_TIME = 4
_CHECKS = threading.BoundedSemaphore(_CHECKS_AT_A_TIME)
"""Each test is a process that may take some seconds."""
_CONNECTION_ID = re.compile(r"[\w.-]+")


class ConnectionFilters(PageParameters):
    """The parameters of the list."""

    order_by: list[str] = Field([])
    connection_id_pattern: str | None = None
    connection_id_prefix_pattern: str | None = None


_ORDER: dict[str, Any] = {
    "id": lambda connection: connection.conn_id,
    "conn_id": lambda connection: connection.conn_id,
    "connection_id": lambda connection: connection.conn_id,
    "conn_type": lambda connection: connection.conn_type,
    "description": lambda connection: connection.description,
    "host": lambda connection: connection.host,
    "port": lambda connection: connection.port,
}


@router.get("", dependencies=[_READ])
def get_connections(filters: Annotated[ConnectionFilters, Query()], context: Context) -> ConnectionCollectionResponse:
    """Connections, by id."""
    with context.database.read() as tx:
        stored = connections.list_connections(tx)
    chosen = [
        connection
        for connection in stored
        if matches_pattern(connection.conn_id, filters.connection_id_pattern)
        and starts_with(connection.conn_id, filters.connection_id_prefix_pattern)
    ]
    ordered = sort_entries(chosen, filters.order_by, _ORDER, "connection_id")
    return ConnectionCollectionResponse(
        connections=[_build(connection) for connection in cut_page(ordered, filters)], total_entries=len(ordered)
    )


@router.post("", status_code=201, dependencies=[requires(Permission.CREATE, ApiResource.CONNECTION)])
def post_connection(body: ConnectionBody, context: Context, author: CurrentAuthor) -> ConnectionResponse:
    """Add a connection."""
    context.database.bind_key()
    with context.database.write() as tx:
        if connections.get_connection(tx, body.connection_id) is not None:
            raise Refusal(409, say("name_exists", thing="connection", name=body.connection_id))
        _create(AdminChanges(tx, author), body)
        return _build(_find(tx, body.connection_id))


@router.post("/test", dependencies=[requires(Permission.CREATE, ApiResource.CONNECTION)])
def test_connection(body: ConnectionBody, context: Context) -> ConnectionTestResponse:
    """Test a connection with the hook of its type, in a process of its own. A secret that is masked, as an answer shows it, is the stored one."""
    allowed = context.cfg.text("core", "test_connection")
    if allowed != "Enabled":
        raise Refusal(403, say("connections_are_not_tested", state=allowed))
    with context.database.read() as tx:
        before = connections.get_connection(tx, body.connection_id)
        stored = _merge(before or StoredConnection(body.connection_id, body.conn_type), body, None)
        if before is not None:
            stored = keep_connection_secrets(tx, before, stored)
    if not _CHECKS.acquire(blocking=False):
        raise Refusal(
            429, say("too_many_connections_are_tested", most=_CHECKS_AT_A_TIME), {"Retry-After": RETRY_AFTER_S}
        )
    try:
        check = check_stored_connection(context.cfg, stored)
    except PlanningError as error:
        return ConnectionTestResponse(status=False, message=str(error))
    finally:
        _CHECKS.release()
    return ConnectionTestResponse(status=check.is_ok, message=check.message)


@router.get("/{connection_id}", dependencies=[_READ])
def get_connection(connection_id: Id, context: Context) -> ConnectionResponse:
    """One connection."""
    with context.database.read() as tx:
        return _build(_find(tx, connection_id))


@router.patch("/{connection_id}", dependencies=[requires(Permission.EDIT, ApiResource.CONNECTION)])
def patch_connection(
    connection_id: Id,
    body: ConnectionBody,
    context: Context,
    author: CurrentAuthor,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> ConnectionResponse:
    """Change a connection. A secret that is masked, as an answer shows it, stays as it was."""
    if body.connection_id != connection_id:
        raise Refusal(
            400, say("body_names_other_thing", thing="connection", name=body.connection_id, text=connection_id)
        )
    context.database.bind_key()
    with context.database.write() as tx:
        _change(AdminChanges(tx, author), body, update_mask)
        return _build(_find(tx, connection_id))


@router.patch("", dependencies=[requires(Permission.EDIT, ApiResource.CONNECTION)])
def bulk_connections(body: BulkBody[ConnectionBody], context: Context, author: CurrentAuthor) -> BulkResponse:
    """Create, change and delete connections."""
    context.database.bind_key()
    return change_in_bulk(
        context.database,
        body,
        BulkTarget(
            "connection",
            lambda entity: entity.connection_id,
            lambda tx, name: connections.get_connection(tx, name) is not None,
            lambda tx, entity: _create(AdminChanges(tx, author), entity),
            lambda tx, entity, mask: _change(AdminChanges(tx, author), entity, mask),
            lambda tx, name: AdminChanges(tx, author).delete_connection(name),
        ),
    )


@router.delete("/{connection_id}", status_code=204, dependencies=[requires(Permission.DELETE, ApiResource.CONNECTION)])
def delete_connection(connection_id: Id, context: Context, author: CurrentAuthor) -> Response:
    """Delete a connection."""
    with context.database.write() as tx:
        _find(tx, connection_id)
        AdminChanges(tx, author).delete_connection(connection_id)
    return Response(status_code=204)


def _create(changes: AdminChanges, body: ConnectionBody) -> None:
    _check(body)
    if _CONNECTION_ID.fullmatch(body.connection_id) is None:
        raise Refusal(422, say("connection_id_has_wrong_characters"))
    changes.set_connection(
        StoredConnection(
            body.connection_id,
            body.conn_type,
            body.host,
            body.schema_,
            body.login,
            body.password,
            body.port,
            body.extra,
            body.description,
        )
    )


def _change(changes: AdminChanges, body: ConnectionBody, update_mask: Sequence[str] | None) -> None:
    changes.set_connection(_merge(_find(changes.tx, body.connection_id), body, update_mask))


def _merge(before: StoredConnection, body: ConnectionBody, update_mask: Sequence[str] | None) -> StoredConnection:
    """The connection with the fields that the client gave."""
    _check(body)
    fields = {
        "schema" if name == "schema_" else name: value
        for name, value in read_changes(body, update_mask).items()
        if name not in ("connection_id", "team_name")
    }
    return replace(before, **fields)


def _check(body: ConnectionBody) -> None:
    if body.team_name is not None:
        raise ApiUnsupported(say("no_teams_exist"))
    try:
        Connection(body.connection_id, port=body.port, extra=body.extra)
    except AirflowException as error:
        raise Refusal(422, quote(str(error))) from None
    if body.extra and not _is_object(body.extra):
        raise Refusal(422, say("extra_is_no_object"))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _find(tx: Transaction, conn_id: str) -> StoredConnection:
    stored = connections.get_connection(tx, conn_id)
    if stored is None:
        raise connection_not_found(conn_id, [connection.conn_id for connection in connections.list_connections(tx)])
    return stored


def _build(stored: StoredConnection) -> ConnectionResponse:
    row = make_row(stored, shows_secrets=False)
    return ConnectionResponse(
        connection_id=row.conn_id,
        conn_type=row.conn_type,
        description=row.description,
        host=row.host,
        login=row.login,
        schema=row.schema,
        port=row.port,
        password=row.password,
        extra=row.extra,
        team_name=None,
    )
