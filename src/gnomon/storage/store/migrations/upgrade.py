"""Bring a database to the newest schema: one process at a time, one transaction, and a backup of a SQLite file first."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from itertools import chain

from gnomon.ground.clock import Clock, SystemClock
from gnomon.storage.store.address import SQLITE, parse_address
from gnomon.storage.store.migrations.migration_targets import PostgresTarget, SqliteTarget
from gnomon.storage.store.schema_revision import (
    FORMER_REVISIONS,
    HEAD,
    REVISIONS,
    check_foreign_tables,
    check_revision,
)

DEFAULT_POOL_SLOTS = 128
SCRIPTS = resources.files("gnomon.storage.store.migrations").joinpath("scripts")
_CREATE_VERSION_TABLE = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)
"""Earlier builds wrote this table with Alembic. Its name stays, so that their databases can be upgraded."""


def upgrade_schema(url: str, *, clock: Clock | None = None, default_pool_slots: int = DEFAULT_POOL_SLOTS) -> None:
    """Create the database at `url`, or upgrade its schema to HEAD.

    A SQLite file with an older schema is first copied to `<db>.backup-<revision>-<UTC time>`. Processes that call this at
    the same time wait for the first one and then find nothing to do. `default_pool_slots` is the size of `default_pool` in a
    new database; an existing database keeps its size.

    Raises SchemaTooNew when a newer Gnomon made the database, SchemaNotReleased when a version did that was never released, and ForeignDatabase when
    another program (Airflow, for example) did.
    """
    target = _open_target(url)
    if target.revision() == HEAD:
        return
    with target.exclusive():
        revision = target.revision()
        if revision not in REVISIONS:
            check_foreign_tables(target.tables(), target.display_url)
        if revision is None:
            target.run_in_transaction(creation_statements(REVISIONS, target.dialect, default_pool_slots))
        elif revision not in REVISIONS and revision not in FORMER_REVISIONS:
            check_revision(revision, target.display_url)
        elif revision != HEAD:
            target.write_backup(revision, (clock or SystemClock()).now())
            target.run_in_transaction(_upgrade_statements(revision, target.dialect))


def check_schema(url: str) -> None:
    """Return when the database is at HEAD.

    Raises DatabaseNotInitialised, SchemaTooOld, SchemaNotReleased or SchemaTooNew otherwise; the message says what to do.
    """
    target = _open_target(url)
    check_revision(target.revision(), target.display_url)


def creation_statements(revisions: Iterable[str], dialect: str, default_pool_slots: int) -> list[str]:
    """The statements that give an empty database the schema of these revisions, of which the last becomes its own."""
    revisions = list(revisions)
    return [
        *script_statements(revisions, dialect),
        f"UPDATE pool SET slots = {default_pool_slots:d} WHERE name = 'default_pool'",
        _CREATE_VERSION_TABLE,
        f"INSERT INTO alembic_version VALUES ('{revisions[-1]}')",
    ]


def _upgrade_statements(revision: str, dialect: str) -> list[str]:
    if revision in FORMER_REVISIONS:
        names = [*FORMER_REVISIONS[revision], *REVISIONS[1:]]
    else:
        names = list(REVISIONS[REVISIONS.index(revision) + 1 :])
    return [*script_statements(names, dialect), f"UPDATE alembic_version SET version_num = '{HEAD}'"]


def script_statements(names: Iterable[str], dialect: str) -> Iterable[str]:
    """The statements of these scripts, in order."""
    return chain.from_iterable(_read_script(name, dialect) for name in names)


def _read_script(name: str, dialect: str) -> list[str]:
    """The statements of a script: each ends with a semicolon at the end of a line, comments stand on lines of their own."""
    text = SCRIPTS.joinpath(f"{name}.{dialect}.sql").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [statement.strip() for statement in ("\n".join(lines) + "\n").split(";\n") if statement.strip()]


def _open_target(url: str) -> SqliteTarget | PostgresTarget:
    address = parse_address(url)
    return SqliteTarget(address) if address.dialect == SQLITE else PostgresTarget(address)
