"""Either database, empty or with the schema, for what must hold on both."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from tests.postgres import own_schema

from gnomon.store import migrations

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
def new_database(kind: str, folder: Path = Path()) -> Iterator[str]:
    """The address of one with the present schema and without a row of a test; a file of SQLite is in the folder."""
    if kind == "sqlite":
        with empty_database(kind, folder) as url:
            migrations.upgrade_schema(url)
            yield url
        return
    kept = _kept.pop() if _kept else KeptSchema()
    yield kept.url
    if kept.reset():
        _kept.append(kept)


class KeptSchema:
    """A schema of PostgreSQL that one test after another uses: its creation takes fifty times as long as its emptying."""

    def __init__(self) -> None:
        self._owner = own_schema()
        self.url = self._owner.__enter__()
        atexit.register(self._owner.__exit__, None, None, None)
        migrations.upgrade_schema(self.url)
        with psycopg.connect(self.url) as connection:
            self.tables: list[str] = [name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()]
            self._sequences = [name for (name,) in connection.execute("SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()").fetchall()]
            self._rows = {table: connection.execute(f'SELECT * FROM "{table}"').fetchall() for table in self.tables}
            self._shape = self._read_shape(connection)

    def reset(self) -> bool:
        """Give every table the rows and every sequence the number of a new database; False when a test left a lock or another shape."""
        try:
            with psycopg.connect(self.url) as connection:
                connection.execute("SET lock_timeout = '1s'; SET session_replication_role = replica; " + "; ".join(f'DELETE FROM "{table}"' for table in self.tables))
                for table, rows in self._rows.items():
                    if rows:
                        connection.cursor().executemany(f'INSERT INTO "{table}" VALUES ({", ".join(["%s"] * len(rows[0]))})', rows)
                connection.execute("; ".join(f'SELECT setval(\'"{name}"\', 1, false)' for name in self._sequences))
                return self._read_shape(connection) == self._shape
        except psycopg.Error:
            return False

    @staticmethod
    def _read_shape(connection: psycopg.Connection) -> list[object]:
        return connection.execute(SHAPE).fetchall()


SHAPE = """
SELECT table_name || column_name || data_type || is_nullable || COALESCE(column_default, '') AS part FROM information_schema.columns WHERE table_schema = current_schema()
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL SELECT conrelid::regclass || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
ORDER BY part
"""
_kept: list[KeptSchema] = []
