"""Connections: addresses and credentials for hooks.

Password and extra are encrypted, as in Airflow; values from before encryption are read in clear text.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.storage.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class StoredConnection:
    """One connection."""

    conn_id: str
    conn_type: str
    host: str | None = None
    schema: str | None = None
    login: str | None = None
    password: str | None = None
    port: int | None = None
    extra: str | None = None
    description: str | None = None


def get_connection(tx: Transaction, conn_id: str) -> StoredConnection | None:
    """The connection; None when it does not exist. Raises WrongKey."""
    row = tx.one("connections.get", conn_id=conn_id)
    return None if row is None else _decode(tx, row)


def set_connection(tx: Transaction, connection: StoredConnection) -> None:
    """Insert or replace a connection. Raises InvalidKey."""
    c = connection
    tx.run(
        "connections.put",
        conn_id=c.conn_id,
        conn_type=c.conn_type,
        host=c.host,
        schema=c.schema,
        login=c.login,
        password=_encrypt(tx, c.password),
        port=c.port,
        extra=_encrypt(tx, c.extra),
        description=c.description,
        encrypted=True,
    )


def delete_connection(tx: Transaction, conn_id: str) -> bool:
    """Delete a connection; False when it did not exist."""
    return tx.run("connections.remove", conn_id=conn_id) == 1


def read_raw_rows(tx: Transaction) -> list[Row]:
    """Every connection as it is stored, encrypted: to see whether one has changed."""
    return tx.all("connections.list")


def list_connections(tx: Transaction) -> list[StoredConnection]:
    """All connections by id. Raises WrongKey."""
    return [_decode(tx, row) for row in tx.all("connections.list")]


def _encrypt(tx: Transaction, text: str | None) -> str | None:
    return None if text is None else tx.cipher.encrypt(text)


def _decode(tx: Transaction, row: Row) -> StoredConnection:
    conn_id, conn_type, host, schema, login, password, port, extra, description, encrypted = row
    if encrypted:
        password, extra = (None if text is None else tx.cipher.decrypt(text) for text in (password, extra))
    return StoredConnection(conn_id, conn_type, host, schema, login, password, port, extra, description)
