"""The two kinds of database that can be created or upgraded: what a schema change needs from each."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.model.instants import Instant, to_datetime
from gnomon.model.sentences import say
from gnomon.storage.store.address import POSTGRESQL, SQLITE, Address
from gnomon.storage.store.drivers.sqlite import connect_sqlite
from gnomon.storage.store.drivers.sqlite_file import (
    check_file_system,
    check_library,
    check_rights,
    file_exists,
    translate_sqlite_error,
)
from gnomon.storage.store.errors import DatabaseReadOnly, DatabaseUnavailable
from gnomon.storage.store.schema_revision import VERSION_QUERY
from gnomon.storage.store.statements import load_statements

if TYPE_CHECKING:
    import psycopg

ADVISORY_LOCK = 0x676E6F6D6F6E
"""`gnomon` in ASCII: the key of the lock that upgrades of one PostgreSQL database take."""


class SqliteTarget:
    """A SQLite file, which may not exist yet. Raises UnusableFile when the file or this Python's SQLite cannot be used."""

    dialect = SQLITE

    def __init__(self, address: Address) -> None:
        self.path = address.path
        self.display_url = str(address.path)
        check_library()
        check_file_system(self.path)

    def revision(self) -> str | None:
        """The revision of the schema; None when the file has no schema."""
        if not file_exists(self.path):
            return None
        with self._connection() as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
                return None
            row = connection.execute(VERSION_QUERY).fetchone()
            return None if row is None else str(row[0])

    def tables(self) -> list[str]:
        """The names of all tables in the file."""
        if not file_exists(self.path):
            return []
        with self._connection() as connection:
            return [name for (name,) in connection.execute(load_statements(SQLITE)["schema.tables"].text)]

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the upgrade lock of this file: other processes wait until the block ends."""
        try:
            self.path.parent.parent.mkdir(parents=True, exist_ok=True)
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            check_rights(self.path)
            fd = os.open(
                self.path.with_name(self.path.name + ".migrating"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660
            )
        except OSError as error:
            raise DatabaseReadOnly(
                say("database_cannot_be_created", folder=str(self.path.parent), error=error.strerror)
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            _create_private_file(self.path)
            yield
        finally:
            os.close(fd)

    def run_in_transaction(self, statements: Iterable[str]) -> None:
        """Execute the statements in one transaction: after an error the file is as before.

        Foreign keys are not checked meanwhile: a script that makes a table anew drops the one before, and with it nothing that refers to it.
        """
        with self._connection() as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("BEGIN IMMEDIATE")
            for statement in statements:
                connection.execute(statement)
            connection.execute("COMMIT")

    def write_backup(self, revision: str, at: Instant) -> Path:
        """Copy the file to `<db>.backup-<revision>-<UTC time>`; the copy has this name only when it is complete."""
        stamp = to_datetime(at).strftime("%Y%m%dT%H%M%SZ")
        backup = self.path.with_name(f"{self.path.name}.backup-{revision}-{stamp}")
        unfinished = backup.with_name(backup.name + ".part")
        unfinished.unlink(missing_ok=True)
        with self._connection() as source:
            try:
                _create_private_file(unfinished)
                with closing(sqlite3.connect(unfinished)) as copy:
                    source.backup(copy)
                with unfinished.open("rb") as file:
                    os.fsync(file.fileno())
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
        unfinished.rename(backup)
        return backup

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A new connection, closed at the end of the block; closing rolls an open transaction back."""
        try:
            with closing(connect_sqlite(self.path)) as connection:
                yield connection
        except sqlite3.Error as error:
            raise (translate_sqlite_error(error, self.path) or error) from error


def _create_private_file(path: Path) -> None:
    """Create an empty file that only its owner can read, if there is none: SQLite's files beside it get the same mode."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        pass


class PostgresTarget:
    """A schema of a PostgreSQL database, which may not have tables yet."""

    dialect = POSTGRESQL

    def __init__(self, address: Address) -> None:
        self.display_url = address.display_url
        self._url = address.target

    def revision(self) -> str | None:
        """The revision of the schema; None when there are no tables."""
        with self._connection() as connection:
            if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
                return None
            row = connection.execute(VERSION_QUERY).fetchone()
            return None if row is None else str(row[0])

    def tables(self) -> list[str]:
        """The names of all tables in the schema."""
        with self._connection() as connection:
            return [name for (name,) in connection.execute(load_statements(POSTGRESQL)["schema.tables"].text.encode())]

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the upgrade lock of this database: other processes wait until the block ends."""
        with self._connection() as connection:
            connection.execute("SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0")
            connection.execute(f"SELECT pg_advisory_lock({ADVISORY_LOCK})")
            yield

    def run_in_transaction(self, statements: Iterable[str]) -> None:
        """Execute the statements in one transaction: after an error the database is as before."""
        with self._connection() as connection, connection.transaction():
            for statement in statements:
                connection.execute(statement.encode())

    def write_backup(self, revision: str, at: Instant) -> None:
        """Do nothing: a PostgreSQL server has backups of its own, and an upgrade is one transaction."""

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        import psycopg  # start-up cost: SQLite does not need it

        from gnomon.storage.store.drivers.postgres import connect_postgres

        try:
            with closing(connect_postgres(self._url)) as connection:
                yield connection
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(
                say("postgres_did_not_complete", url=self.display_url, error=str(error).splitlines()[0])
            ) from error
