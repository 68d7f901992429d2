"""The SQL scripts of the revisions: `versions/<revision>.<dialect>.sql`. A new database is made of all of them, without Alembic."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.model.instants import Instant, to_datetime
from gnomon.store.drivers.address import POSTGRESQL, SQLITE, Address
from gnomon.store.drivers.sqlite import connect_sqlite
from gnomon.store.drivers.sqlite_file import (
    check_file_system,
    check_library,
    check_rights,
    file_exists,
    translate_sqlite_error,
)
from gnomon.store.errors import DatabaseReadOnly, DatabaseUnavailable
from gnomon.store.schema_revision import VERSION_QUERY
from gnomon.store.statements import load_statements

if TYPE_CHECKING:
    import psycopg
    from sqlalchemy import Connection

def run_script(revision: str, connection: Connection) -> None:
    """The statements of a revision's script were executed, as Alembic upgrades."""
    dialect = connection.dialect.name
    for statement in split_statements(read_script(revision, dialect)):
        connection.exec_driver_sql(statement.replace("%", "%%") if dialect == "postgresql" else statement)


def read_script(revision: str, dialect: str) -> str:
    """The text of a revision's script."""
    versions = resources.files("gnomon.store.migrations").joinpath("versions")
    return versions.joinpath(f"{revision}.{dialect}.sql").read_text(encoding="utf-8")


def split_statements(text: str) -> list[str]:
    """The statements of a script; each ends with a semicolon at the end of a line, comments stand on lines of their own."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [statement.strip() for statement in ("\n".join(lines) + "\n").split(";\n") if statement.strip()]


ADVISORY_LOCK = 0x676E6F6D6F6E
"""`gnomon` in ASCII: the key under which upgrades of one PostgreSQL database exclude one another."""
_VERSION_TABLE = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


def _creation_statements(scripts: Iterable[str], revision: str, default_pool_slots: int) -> list[str]:
    return [
        *chain.from_iterable(map(split_statements, scripts)),
        f"UPDATE pool SET slots = {default_pool_slots:d} WHERE name = 'default_pool'",
        _VERSION_TABLE,
        f"INSERT INTO alembic_version VALUES ('{revision}')",
    ]


class SqliteTarget:
    """A SQLite file, there or not yet."""

    dialect = SQLITE

    def __init__(self, address: Address) -> None:
        self.path = address.path
        self.display_url = str(address.path)
        self.sqlalchemy_url = f"sqlite:///{address.target}"
        check_library()
        check_file_system(self.path)

    def revision(self) -> str | None:
        """The schema's revision; None while there is none."""
        if not file_exists(self.path):
            return None
        with self._connection() as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
                return None
            row = connection.execute(VERSION_QUERY).fetchone()
            return None if row is None else str(row[0])

    def tables(self) -> list[str]:
        """The tables that are there."""
        if not file_exists(self.path):
            return []
        with self._connection() as connection:
            return [name for (name,) in connection.execute(load_statements(SQLITE)["schema.tables"].text)]

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Nobody else upgrades this file meanwhile."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            check_rights(self.path)
            fd = os.open(self.path.with_name(self.path.name + ".migrating"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
        except OSError as error:
            raise DatabaseReadOnly(f"cannot make a database in {self.path.parent} ({error.strerror}): check the folder's rights") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def create(self, scripts: Iterable[str], revision: str, default_pool_slots: int) -> None:
        """The schema of these scripts is there, whole, or nothing is."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _creation_statements(scripts, revision, default_pool_slots):
                connection.execute(statement)
            connection.execute("COMMIT")

    def write_backup(self, revision: str, at: Instant) -> Path:
        """A copy of the file as it is now stands beside it; it has its name only once it is complete."""
        stamp = to_datetime(at).strftime("%Y%m%dT%H%M%SZ")
        backup = self.path.with_name(f"{self.path.name}.backup-{revision}-{stamp}")
        unfinished = backup.with_name(backup.name + ".part")
        unfinished.unlink(missing_ok=True)
        with self._connection() as source:
            try:
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
        try:
            with closing(connect_sqlite(self.path)) as connection:
                yield connection
        except sqlite3.Error as error:
            raise (translate_sqlite_error(error, self.path) or error) from error


class PostgresTarget:
    """A schema of a PostgreSQL database, there or not yet."""

    dialect = POSTGRESQL

    def __init__(self, address: Address) -> None:
        self.display_url = address.display_url
        self.sqlalchemy_url = "postgresql+psycopg" + address.target.removeprefix("postgresql")
        self._url = address.target

    def revision(self) -> str | None:
        """The schema's revision; None while there is none."""
        with self._connection() as connection:
            if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
                return None
            row = connection.execute(VERSION_QUERY).fetchone()
            return None if row is None else str(row[0])

    def tables(self) -> list[str]:
        """The tables that are there."""
        with self._connection() as connection:
            return [name for (name,) in connection.execute(load_statements(POSTGRESQL)["schema.tables"].text.encode())]

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Nobody else upgrades this database meanwhile."""
        with self._connection() as connection:
            connection.execute("SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0")
            connection.execute(f"SELECT pg_advisory_lock({ADVISORY_LOCK})")
            yield

    def create(self, scripts: Iterable[str], revision: str, default_pool_slots: int) -> None:
        """The schema of these scripts is there, whole, or nothing is."""
        with self._connection() as connection, connection.transaction():
            for statement in _creation_statements(scripts, revision, default_pool_slots):
                connection.execute(statement.encode())

    def write_backup(self, revision: str, at: Instant) -> None:
        """Nothing: a PostgreSQL server has backups of its own, and every upgrade is one transaction."""

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        import psycopg

        from gnomon.store.drivers.postgres import connect_postgres

        try:
            with closing(connect_postgres(self._url)) as connection:
                yield connection
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(f"PostgreSQL could not do it ({self.display_url}): {str(error).splitlines()[0]}") from error
