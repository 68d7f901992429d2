"""Stored connections. An account of the API gets their secrets masked."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace

from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.authoring.sdk.connections.connection import Connection, ConnectionModel
from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, say
from gnomon.queries.report.listings.connection_list import ConnectionRow, make_row, to_connection, to_stored
from gnomon.queries.report.listings.not_found import connection_not_found
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin import connections
from gnomon.storage.store.admin.connections import StoredConnection

_CONN_ID = re.compile(r"[\w#!()\-.:/\\]{1,250}")
"""As in Airflow."""
_TYPES = "gnomon.authoring.sdk.connections.connection_check:list_connection_types"
FIELDS = ("conn_type", "description", "host", "login", "password", "schema", "port", "extra")


@dataclass(frozen=True, slots=True)
class GivenConnection:
    """What a user gives: the whole connection as a URI or as JSON, or single fields."""

    uri: str | None = None
    json: str | None = None
    fields: dict[str, str | int] = field(default_factory=dict)
    """Of FIELDS, those that are given."""


@operation("connections.list", "read", "connection")
def list_connections(scope: OperationScope, conn_id: str | None = None) -> list[ConnectionRow]:
    """The stored connections, with masked passwords and extras; only the one with this id if it is given."""
    with scope.db.read() as tx:
        stored = connections.list_connections(tx) if conn_id is None else [_find(tx, conn_id)]
    return [make_row(connection, shows_secrets=False) for connection in stored]


@operation("connections.get", "read", "connection")
def get_connection(scope: OperationScope, conn_id: str, show_secrets: bool = False) -> ConnectionRow:
    """One connection; with its secrets only in the home."""
    if show_secrets and scope.is_remote:
        raise UserError(
            say("api_gives_no_secrets", command=Command("connections get", (conn_id,), ("--show-secrets",)))
        )
    with scope.db.read() as tx:
        return make_row(_find(tx, conn_id), shows_secrets=show_secrets)


@operation("connections.add", "create", "connection")
def add_connection(scope: OperationScope, conn_id: str, given: GivenConnection) -> str:
    """Add a connection; returns its type."""
    _check_id(conn_id)
    connection = _make_connection(conn_id, given, None)
    scope.db.bind_key()  # raises when this host has another key: with it, no other host could decrypt the secrets
    with scope.db.write() as tx:
        if connections.get_connection(tx, conn_id) is not None:
            raise UserError(say("connection_exists", name=conn_id, command=Command("connections set")))
        scope.changes(tx).set_connection(to_stored(connection))
    return connection.conn_type or ""


@operation("connections.set", "edit", "connection")
def set_connection(scope: OperationScope, conn_id: str, given: GivenConnection) -> str:
    """Change the given fields of a connection, or add it; a URI and JSON replace all its fields. Returns its type."""
    _check_id(conn_id)
    scope.db.bind_key()
    with scope.db.write() as tx:
        connection = _make_connection(conn_id, given, connections.get_connection(tx, conn_id))
        scope.changes(tx).set_connection(to_stored(connection))
    return connection.conn_type or ""


@operation("connections.delete", "delete", "connection")
def delete_connection(scope: OperationScope, conn_id: str) -> None:
    """Delete a connection."""
    with scope.db.write() as tx:
        if not scope.changes(tx).delete_connection(conn_id):
            raise connection_not_found(conn_id, [connection.conn_id for connection in connections.list_connections(tx)])


@operation("connections.import", "edit", "connection")
def import_connections(
    scope: OperationScope, new_connections: list[StoredConnection], overwrite: bool = False
) -> list[str]:
    """Add these connections, all or none; returns the ids of those that exist and were left, as without `overwrite`."""
    left_ids = []
    scope.db.bind_key()
    with scope.db.write() as tx:
        known_ids = {connection.conn_id for connection in connections.list_connections(tx)}
        for connection in new_connections:
            if connection.conn_id in known_ids and not overwrite:
                left_ids.append(connection.conn_id)
            else:
                scope.changes(tx).set_connection(connection)
    return left_ids


@operation("connections.types", "read", "connection")
def list_connection_types(scope: OperationScope) -> list[str]:
    """The types for which an installed package has a hook. The packages are asked in a process of their own."""
    types: list[str] = ask_and_wait(
        scope.actor.cfg, _TYPES, list[str], imports=True, answers=make_question_handler(scope.actor.cfg)
    )
    return types


def _find(tx: Transaction, conn_id: str) -> StoredConnection:
    stored = connections.get_connection(tx, conn_id)
    if stored is None:
        raise connection_not_found(conn_id, [connection.conn_id for connection in connections.list_connections(tx)])
    return stored


def _check_id(conn_id: str) -> None:
    if not _CONN_ID.fullmatch(conn_id):
        raise UserError(say("connection_id_is_invalid", name=conn_id))


def _make_connection(conn_id: str, options: GivenConnection, existing: StoredConnection | None) -> Connection:
    """The connection that a user describes; single fields change the existing one. Raises UserError."""
    unknown = sorted(set(options.fields) - set(FIELDS))
    if unknown:
        raise UserError(say("connection_has_no_field", names=", ".join(unknown), options=", ".join(FIELDS)))
    _check_extra(conn_id, options.fields.get("extra"))
    try:
        connection = _apply(conn_id, options, existing)
    except AirflowException as error:
        raise UserError(say("connection_is_wrong", error=str(error))) from None
    if not connection.conn_type:
        raise UserError(say("connection_has_no_type", name=conn_id))
    return connection


def _check_extra(conn_id: str, extra: object) -> None:
    """Raises UserError for a text that is no JSON. Its text may contain a secret, so only the place is told."""
    try:
        json.loads(str(extra or "{}"))
    except ValueError as error:
        place = (
            f"{error.msg} at character {error.pos + 1}"
            if isinstance(error, json.JSONDecodeError)
            else "a number is too long"
        )
        raise UserError(say("connection_extra_is_no_json", name=conn_id, place=place)) from None
    except RecursionError:
        raise UserError(say("connection_extra_is_nested", name=conn_id)) from None


def _apply(conn_id: str, options: GivenConnection, existing: StoredConnection | None) -> Connection:
    if options.uri is not None or options.json is not None:
        connection: Connection = (
            ConnectionModel.from_uri(options.uri, conn_id)
            if options.uri is not None
            else Connection.from_json(options.json or "", conn_id)
        )
        if "description" in options.fields:
            connection.description = str(options.fields["description"])
    elif existing is not None:
        connection = to_connection(replace(existing, **options.fields))  # type: ignore[arg-type]  # the port is a number, the others are texts
    else:
        connection = Connection(conn_id, **options.fields)  # type: ignore[arg-type]
    return connection
