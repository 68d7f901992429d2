"""Reads connections, Variables and pools from the database of an Airflow installation. Nothing is written to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from gnomon.airflow_compat.migration.records.airflow_keys import WAYS, AirflowCipher
from gnomon.airflow_compat.migration.records.airflow_records import AirflowPool, AirflowRecords
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.exported_files import ExportedVariable
from gnomon.ground.config.masking import without_passwords
from gnomon.model.errors.product import ResourceUnavailable, UserError
from gnomon.model.sentences import say

_QUERIES = {
    "connections": "SELECT conn_id, conn_type, description, host, schema, login, password, port, extra, is_encrypted, is_extra_encrypted FROM connection ORDER BY conn_id",
    "variables": "SELECT key, val, description, is_encrypted FROM variable ORDER BY key",
    "pools": "SELECT pool, slots, description, include_deferred FROM slot_pool ORDER BY pool",
}
"""The tables of Airflow 2.7 and later."""
_OLDER_POOLS = "SELECT pool, slots, description, 0 FROM slot_pool ORDER BY pool"
"""Before Airflow 2.7 a pool had no include_deferred."""
_TIMEOUT_S = 10

Rows = Sequence[Sequence[Any]]


def read_database(url: str, cipher: AirflowCipher, records: AirflowRecords) -> None:
    """Add the records of the database at `url`, `sqlite:////folder/airflow.db` or `postgresql://user:password@host/name`.

    Raises UserError for another kind of address, for an encrypted value without a key, and for keys that decrypt no value at all;
    ResourceUnavailable when the database does not answer. Single values of another key are `records.skipped`.
    """
    with _connect(url) as fetch:
        for row in fetch("connections"):
            _add_connection(records, row, cipher)
        for key, value, description, is_encrypted in fetch("variables"):
            text = _decrypt(records, cipher, value, bool(is_encrypted), f"Variable {key!r}")
            if text is not None:
                records.variables[key] = ExportedVariable(text, description)
        for name, slots, description, include_deferred in fetch("pools"):
            records.pools[name] = AirflowPool(int(slots), description or "", bool(include_deferred))
    if cipher.failed and not cipher.decrypted:
        raise UserError(say("key_decrypts_nothing", place=cipher.place, remedy=WAYS))


def _add_connection(records: AirflowRecords, row: Sequence[Any], cipher: AirflowCipher) -> None:
    conn_id, conn_type, description, host, schema, login, password, port, extra, is_encrypted, is_extra_encrypted = row
    failed = len(records.skipped)
    password = _decrypt(records, cipher, password, bool(is_encrypted), f"the password of connection {conn_id!r}")
    extra = _decrypt(records, cipher, extra, bool(is_extra_encrypted), f"the extra of connection {conn_id!r}")
    if len(records.skipped) > failed:
        return
    if not conn_type:
        records.skipped.append(f"connection {conn_id!r} has no conn_type")
        return
    records.connections[conn_id] = Connection(
        conn_id=conn_id,
        conn_type=conn_type,
        description=description,
        host=host,
        schema=schema,
        login=login,
        password=password,
        port=port,
        extra=extra or None,
    )


def _decrypt(
    records: AirflowRecords, cipher: AirflowCipher, text: str | None, is_encrypted: bool, what: str
) -> str | None:
    if not text or not is_encrypted:
        return text
    decrypted = cipher.decrypt(text)
    if decrypted is None:
        records.skipped.append(
            f"{what} cannot be decrypted: it was encrypted with another key than that of {cipher.place}"
        )
    return decrypted


@contextmanager
def _connect(url: str) -> Iterator[Any]:
    scheme = url.partition(":")[0].partition("+")[0].lower()
    if scheme == "sqlite":
        with _connect_sqlite(url) as fetch:
            yield fetch
    elif scheme in ("postgresql", "postgres"):
        with _connect_postgres(url) as fetch:
            yield fetch
    else:
        raise UserError(say("airflow_address_is_wrong", url=without_passwords(url)))


@contextmanager
def _connect_sqlite(url: str) -> Iterator[Any]:
    path = (
        Path("/" + unquote(urlsplit(url).path).lstrip("/"))
        if "////" in url or ":///" not in url
        else Path(unquote(url.partition(":///")[2]))
    )
    if not path.is_file():
        raise UserError(say("airflow_database_does_not_exist", file=str(path)))
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_TIMEOUT_S)

    def fetch(kind: str) -> Rows:
        try:
            return database.execute(_QUERIES[kind]).fetchall()
        except sqlite3.OperationalError as error:
            if "include_deferred" in str(error):
                return database.execute(_OLDER_POOLS).fetchall()
            raise UserError(say("file_is_no_airflow_database", file=str(path), error=str(error))) from None
        except sqlite3.DatabaseError as error:
            raise UserError(say("file_is_no_sqlite_database", file=str(path), error=str(error))) from None

    try:
        yield fetch
    finally:
        database.close()


@contextmanager
def _connect_postgres(url: str) -> Iterator[Any]:
    import psycopg  # not needed for files

    plain = "postgresql://" + url.partition("://")[2]
    try:
        database = psycopg.connect(plain, connect_timeout=_TIMEOUT_S, autocommit=True)
        database.execute("SET default_transaction_read_only = on")
    except psycopg.Error as error:
        raise ResourceUnavailable(
            say("airflow_database_does_not_answer", error=" ".join(without_passwords(str(error)).split()))
        ) from None

    def fetch(kind: str) -> Rows:
        try:
            return database.execute(_QUERIES[kind]).fetchall()
        except psycopg.errors.UndefinedColumn as error:
            if "include_deferred" in str(error):
                return database.execute(_OLDER_POOLS).fetchall()
            raise UserError(say("database_is_not_of_airflow", error=str(error).splitlines()[0])) from None
        except psycopg.Error as error:
            raise UserError(say("database_is_not_of_airflow", error=str(error).splitlines()[0])) from None

    try:
        yield fetch
    finally:
        database.close()
