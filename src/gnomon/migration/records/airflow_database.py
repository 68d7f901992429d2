"""Reads connections, Variables and pools from the database of an Airflow installation. Nothing is written to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from gnomon.config.masking import without_passwords
from gnomon.errors.product import ResourceUnavailable, UserError
from gnomon.migration.records.airflow_records import AirflowPool, AirflowRecords
from gnomon.sdk.runtime.connection import Connection
from gnomon.sdk.runtime.exported_files import ExportedVariable

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


def read_database(url: str, fernet_key: str | None, records: AirflowRecords) -> None:
    """Add the records of the database at `url`, `sqlite:////folder/airflow.db` or `postgresql://user:password@host/name`.

    `fernet_key`: the keys of Airflow's `[core] fernet_key`, separated by commas. Raises UserError for another kind of address, a key
    that is none, or an encrypted value without a key; ResourceUnavailable when the database does not answer.
    """
    cipher = _build_cipher(fernet_key)
    with _connect(url) as fetch:
        for row in fetch("connections"):
            _add_connection(records, row, cipher)
        for key, value, description, is_encrypted in fetch("variables"):
            text = _decrypt(records, cipher, value, bool(is_encrypted), f"Variable {key!r}")
            if text is not None:
                records.variables[key] = ExportedVariable(text, description)
        for name, slots, description, include_deferred in fetch("pools"):
            records.pools[name] = AirflowPool(int(slots), description or "", bool(include_deferred))


def _add_connection(records: AirflowRecords, row: Sequence[Any], cipher: MultiFernet | None) -> None:
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
        conn_id=conn_id, conn_type=conn_type, description=description, host=host, schema=schema, login=login, password=password, port=port,
        extra=extra or None,
    )


def _decrypt(records: AirflowRecords, cipher: MultiFernet | None, text: str | None, is_encrypted: bool, what: str) -> str | None:
    if not text or not is_encrypted:
        return text
    if cipher is None:
        raise UserError(f"{what} is encrypted; give Airflow's [core] fernet_key with --fernet-key, or in AIRFLOW__CORE__FERNET_KEY")
    try:
        return cipher.decrypt(text.encode()).decode()
    except InvalidToken:
        records.skipped.append(f"{what} cannot be decrypted: it was encrypted with another key")
        return None


def _build_cipher(keys: str | None) -> MultiFernet | None:
    if not keys:
        return None
    try:
        return MultiFernet([Fernet(key.strip().encode()) for key in keys.split(",") if key.strip()])
    except ValueError:
        raise UserError("the fernet key is not valid: it is 32 bytes in URL-safe base64; several are separated by commas") from None


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
        raise UserError(f"{without_passwords(url)!r} is no address that can be read; write sqlite:////folder/airflow.db or "
                        "postgresql://user:password@host/name. From another database use `airflow connections export`, `variables export` and `pools export`")


@contextmanager
def _connect_sqlite(url: str) -> Iterator[Any]:
    path = Path("/" + unquote(urlsplit(url).path).lstrip("/")) if "////" in url or ":///" not in url else Path(unquote(url.partition(":///")[2]))
    if not path.is_file():
        raise UserError(f"there is no database {path}; an absolute path has four slashes: sqlite:////folder/airflow.db")
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_TIMEOUT_S)

    def fetch(kind: str) -> Rows:
        try:
            return database.execute(_QUERIES[kind]).fetchall()
        except sqlite3.OperationalError as error:
            if "include_deferred" in str(error):
                return database.execute(_OLDER_POOLS).fetchall()
            raise UserError(f"{path} is not the database of an Airflow 2 or 3: {error}") from None
        except sqlite3.DatabaseError as error:
            raise UserError(f"{path} is not a SQLite database: {error}") from None

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
        raise ResourceUnavailable(f"the database of Airflow does not answer: {' '.join(without_passwords(str(error)).split())}") from None

    def fetch(kind: str) -> Rows:
        try:
            return database.execute(_QUERIES[kind]).fetchall()
        except psycopg.errors.UndefinedColumn as error:
            if "include_deferred" in str(error):
                return database.execute(_OLDER_POOLS).fetchall()
            raise UserError(f"the database is not that of an Airflow 2 or 3: {str(error).splitlines()[0]}") from None
        except psycopg.Error as error:
            raise UserError(f"the database is not that of an Airflow 2 or 3: {str(error).splitlines()[0]}") from None

    try:
        yield fetch
    finally:
        database.close()
