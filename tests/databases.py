"""Either database, empty or with the schema, for what must hold on both."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from tests.postgres import own_schema

from gnomon.storage.store import migrations
from gnomon.storage.store.address import SQLITE, parse_address
from gnomon.storage.store.drivers import postgres

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
"""The parameters of a fixture."""


@contextmanager
def empty_database(kind: str, folder: Path) -> Iterator[str]:
    """The address of one without a schema; a file of SQLite is in the folder."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'gnomon.db'}"
    else:
        with own_schema() as url:
            yield url


@contextmanager
def new_database(kind: str, folder: Path = Path(), *, keeps_sessions: bool = False) -> Iterator[str]:
    """The address of one with the present schema and without a row of a test; a file of SQLite is in the folder.

    `keeps_sessions`: connections of this process use sessions that an earlier test has left; not for tests of sessions, of plans or of many rows.
    """
    if kind == "sqlite":
        with empty_database(kind, folder) as url:
            create_file(folder / "gnomon.db")
            yield url
        return
    kept = _kept.pop() if _kept else KeptSchema()
    with kept.sessions.used(keeps_sessions):
        yield kept.url
    if kept.reset():
        _kept.append(kept)
    else:
        kept.sessions.close()


def create_schema(url: str) -> None:
    """Give the database at this address the present schema: a file of SQLite that is not there is a copy."""
    address = parse_address(url)
    if address.dialect == SQLITE and not address.path.exists():
        create_file(address.path)
    else:
        migrations.upgrade_schema(url)


def create_file(path: Path) -> None:
    """Make this file of SQLite, with the present schema: a copy takes a twentieth of the time of its creation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(_make_file(), path)


@cache
def _make_file() -> Path:
    """One without a row of a test; removed when this process ends."""
    folder = tempfile.TemporaryDirectory(prefix="gnomon-schema-")
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "gnomon.db"
    migrations.upgrade_schema(f"sqlite:///{path}")
    assert not path.with_name("gnomon.db-wal").exists()
    return path


class KeptSessions:
    """Idle sessions of one schema, for the next connections: a new one reads the catalog, and prepares and plans every statement again."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[psycopg.Connection[Any]] = []

    @contextmanager
    def used(self, keeps: bool) -> Iterator[None]:
        """In this block connections of this process to the schema use them; `keeps=False`: they are closed, and none is kept."""
        if not keeps:
            self.close()
            yield
            return
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(postgres, "PostgresConnection", _KeptConnection)
            patch.setitem(_sessions, self._url, self)
            yield

    def take(self) -> psycopg.Connection[Any] | None:
        """One that has not ended; None: there is none."""
        while self._idle:
            session = self._idle.pop()
            if not session.closed:
                return session
        return None

    def give(self, session: psycopg.Connection[Any]) -> None:
        """Keep it, or close it when it is in a transaction or there are enough."""
        if (
            not session.closed
            and session.info.transaction_status == TransactionStatus.IDLE
            and len(self._idle) < SESSIONS_MAX
        ):
            self._idle.append(session)
        else:
            session.close()

    def close(self) -> None:
        """Close all."""
        while self._idle:
            self._idle.pop().close()


class _KeptConnection(postgres.PostgresConnection):
    """A connection that gives its session back instead of closing it. A forked child has no part in it."""

    def __init__(self, url: str, read_limit_s: float | None = None) -> None:
        self._kept = _sessions.get(url) if os.getpid() == _PROCESS else None
        session = self._kept.take() if self._kept else None
        if session is None:
            super().__init__(url, read_limit_s)
        else:
            self._connection, self._pending, self._read_limit_s = session, [], read_limit_s
            if not self.is_current():
                session.close()
                super().__init__(url, read_limit_s)

    def close(self) -> None:
        session, self._connection = self._connection, _CLOSED
        if self._kept is None or os.getpid() != _PROCESS:
            session.close()
        elif session is not _CLOSED:
            self._kept.give(session)


class KeptSchema:
    """A schema of PostgreSQL that one test after another uses: its creation takes fifty times as long as its emptying."""

    def __init__(self) -> None:
        self._session: psycopg.Connection[tuple[Any, ...]] | None = None
        self._owner = own_schema()
        self.url = self._owner.__enter__()
        atexit.register(self._owner.__exit__, None, None, None)
        self.sessions = KeptSessions(parse_address(self.url).target)
        atexit.register(self.sessions.close)
        migrations.upgrade_schema(self.url)
        with psycopg.connect(self.url) as connection:
            self.tables: list[str] = [
                name
                for (name,) in connection.execute(
                    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
                ).fetchall()
            ]
            self._sequences = [
                name
                for (name,) in connection.execute(
                    "SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()"
                ).fetchall()
            ]
            self._rows = {table: connection.execute(f'SELECT * FROM "{table}"').fetchall() for table in self.tables}
            self._shape = connection.execute(SHAPE).fetchall()
            self._catalog = connection.execute(CATALOG).fetchall()

    def reset(self) -> bool:
        """Give every table the rows and every sequence the number of a new database; False when a test left a lock or another shape.

        It keeps its session: a new one reads the catalog of all tables first, which takes twice as long as the rest.
        """
        try:
            if self._session is None or self._session.closed:
                self._session = psycopg.connect(self.url, autocommit=True)
                atexit.register(self._session.close)
            with self._session.transaction():
                connection = self._session
                connection.execute(
                    "SET lock_timeout = '1s'; SET session_replication_role = replica; "
                    + "; ".join(f'DELETE FROM "{table}"' for table in self.tables)
                )
                for table, rows in self._rows.items():
                    if rows:
                        places = ", ".join([f"({', '.join(['%s'] * len(rows[0]))})"] * len(rows))
                        connection.execute(
                            f'INSERT INTO "{table}" VALUES {places}', [value for row in rows for value in row]
                        )
                connection.execute("; ".join(f"SELECT setval('\"{name}\"', 1, false)" for name in self._sequences))
                catalog = connection.execute(CATALOG).fetchall()
                if catalog == self._catalog:
                    return True
                self._catalog = catalog
                return connection.execute(SHAPE).fetchall() == self._shape
        except psycopg.Error:
            if self._session is not None:
                self._session.close()
            return False


SHAPE = """
SELECT table_name || column_name || data_type || is_nullable || COALESCE(column_default, '') AS part FROM information_schema.columns WHERE table_schema = current_schema()
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL SELECT conrelid::regclass || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
ORDER BY part
"""
"""What the tables, indexes, constraints and triggers are."""
_OWN = "(SELECT current_schema()::regnamespace::oid)"
"""Asked once, and not for each row of a catalog."""
_OWN_CLASSES = f"SELECT oid FROM pg_class WHERE relnamespace = {_OWN}"
CATALOG = f"""
SELECT 'class', count(*), sum(xmin::text::bigint) FROM pg_class WHERE relnamespace = {_OWN}
UNION ALL SELECT 'column', count(*), sum(xmin::text::bigint) FROM pg_attribute WHERE attrelid IN ({_OWN_CLASSES})
UNION ALL SELECT 'default', count(*), sum(xmin::text::bigint) FROM pg_attrdef WHERE adrelid IN ({_OWN_CLASSES})
UNION ALL SELECT 'constraint', count(*), sum(xmin::text::bigint) FROM pg_constraint WHERE connamespace = {_OWN}
UNION ALL SELECT 'trigger', count(*), sum(xmin::text::bigint) FROM pg_trigger WHERE tgrelid IN ({_OWN_CLASSES})
ORDER BY 1
"""
"""The transactions that wrote the entries of these: equal ones mean an equal shape, and are read in a tenth of its time."""
_kept: list[KeptSchema] = []
SESSIONS_MAX = 3
"""Idle ones of a schema: those of the processes of tests stay below the number that a server permits."""
_PROCESS = os.getpid()
_CLOSED: Any = SimpleNamespace(closed=True, broken=False, close=lambda: None)
_sessions: dict[str, KeptSessions] = {}
"""Those of the databases that tests use now, by address."""
