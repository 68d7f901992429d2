"""Connections as listings show them, and as code of authors has them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.secret_masking import mask_stored_secret
from gnomon.authoring.sdk.connections.secrets_masker import redact
from gnomon.ground.log.secret_masks import hide
from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin import connections, variables
from gnomon.storage.store.admin.connections import StoredConnection
from gnomon.storage.store.transaction import Row

HIDDEN = "***"
_ANY_DEPTH = 1_000_000


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A connection as listings print it."""

    conn_id: str
    conn_type: str
    description: str | None
    host: str | None
    port: int | None
    schema: str | None
    login: str | None
    password: str | None
    """*** when there is one that is not shown."""
    extra: str | None
    """With *** for values under sensitive names, unless they are shown."""
    uri: str


def make_row(stored: StoredConnection, *, shows_secrets: bool) -> ConnectionRow:
    """The row of a connection; with `shows_secrets` in clear text."""
    connection = to_connection(stored)
    if not shows_secrets:
        extra = _parse_extra(connection.extra)
        connection.extra = json.dumps(redact(extra)) if extra else HIDDEN if connection.extra else connection.extra
        connection.password = HIDDEN if connection.password else connection.password
        connection.host = _mask_login(connection.host)
        connection.schema = None if connection.schema is None else hide_uri_passwords(connection.schema)
        connection.description = None if connection.description is None else hide_uri_passwords(connection.description)
    uri = connection.get_uri() if shows_secrets else connection.get_uri().replace("%2A%2A%2A", HIDDEN)
    return ConnectionRow(
        stored.conn_id,
        stored.conn_type,
        connection.description,
        connection.host,
        stored.port,
        connection.schema,
        stored.login,
        connection.password,
        connection.extra,
        uri,
    )


def to_connection(stored: StoredConnection) -> Connection:
    """The object that authors get. What older versions have stored is shown as it is, so that users can correct it."""
    connection = Connection(
        stored.conn_id, stored.conn_type, stored.description, stored.host, stored.login, stored.password, stored.schema
    )
    connection.port, connection.extra = stored.port, stored.extra
    return connection


def to_stored(connection: Connection) -> StoredConnection:
    """The record of the object; texts that are empty are not stored."""
    c = connection
    return StoredConnection(
        str(c.conn_id),
        c.conn_type or "",
        c.host or None,
        c.schema or None,
        c.login or None,
        c.password or None,
        c.port,
        c.extra or None,
        c.description or None,
    )


def hide_stored_secrets(tx: Transaction, value: Any) -> Any:
    """The JSON value with *** for the secrets of all stored connections and Variables, and for values under sensitive names, at any depth.

    They are decrypted only when a row is not as it was at the last call of this process. Raises StoreError when the key of this host cannot decrypt them.
    """
    _masked_connections.update(connections.read_raw_rows(tx), lambda: _mask_connections(tx))
    _masked_variables.update(variables.read_raw_rows(tx), lambda: _mask_variables(tx))
    return _hide_keys(redact(value, max_depth=_ANY_DEPTH))


class _MaskedRows:
    """The rows, as they are stored, whose secrets this process masks. Masks only grow: a secret of a deleted row stays masked."""

    def __init__(self) -> None:
        self._rows: list[Row] | None = None

    def update(self, rows: list[Row], mask: Callable[[], object]) -> None:
        """Call `mask`, unless the rows are those of the last call."""
        if rows != self._rows:
            mask()
            self._rows = rows


_masked_connections = _MaskedRows()
_masked_variables = _MaskedRows()


def _mask_connections(tx: Transaction) -> None:
    for stored in connections.list_connections(tx):
        connection = to_connection(stored)
        mask_stored_secret([text for text in (connection.password, connection.extra) if text])
        mask_stored_secret(_parse_extra(connection.extra))


def _parse_extra(extra: str | None) -> Any:
    """`extra_dejson`, without its word about short secrets."""
    try:
        return json.loads(extra or "{}")
    except (ValueError, RecursionError):
        return {}


def _mask_variables(tx: Transaction) -> None:
    for stored in variables.list_variables(tx):
        mask_stored_secret(stored.value, stored.key)


def _hide_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {hide(key): _hide_keys(item) for key, item in value.items()}
    return [_hide_keys(item) for item in value] if isinstance(value, list) else value


def _mask_login(host: str | None) -> str | None:
    """The host; a login in it is masked (a host may be an address with a protocol), and values of parameters for passwords."""
    host = None if host is None else hide_uri_passwords(host)
    protocol, separator, rest = (host or "").rpartition("://")
    return f"{protocol}{separator}{HIDDEN}@{rest.rpartition('@')[2]}" if "@" in rest else host
