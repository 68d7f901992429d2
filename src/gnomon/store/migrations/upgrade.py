"""Bring a database to the newest schema: at most one process at a time, and never without a backup of a SQLite file."""

from __future__ import annotations

from gnomon.clock import Clock, SystemClock
from gnomon.store.drivers.address import SQLITE, parse_address
from gnomon.store.migrations.migration_targets import PostgresTarget, SqliteTarget, read_script
from gnomon.store.schema_revision import HEAD, REVISIONS, check_foreign_tables, check_revision

DEFAULT_POOL_SLOTS = 128


def upgrade_schema(url: str, *, clock: Clock | None = None, default_pool_slots: int = DEFAULT_POOL_SLOTS) -> None:
    """The database at `url` exists and has schema HEAD.

    A SQLite file that had an older one was copied to `<db>.backup-<revision>-<UTC time>` before. Processes that come at
    the same moment wait for the first and find nothing left to do. SchemaTooNew when a newer Gnomon made it; ForeignDatabase when another program did (Airflow, for example).
    `default_pool_slots`: of a database that is made now; an existing one keeps what it has.
    """
    place = _open_target(url)
    if place.revision() == HEAD:
        return
    with place.exclusive():
        revision = place.revision()
        if revision not in REVISIONS:
            check_foreign_tables(place.tables(), place.display_url)
        if revision is None:
            place.create([read_script(known, place.dialect) for known in REVISIONS], HEAD, default_pool_slots)
        elif revision not in REVISIONS:
            check_revision(revision, place.display_url)
        elif revision != HEAD:
            place.write_backup(revision, (clock or SystemClock()).now())
        if place.revision() != HEAD:
            from gnomon.store.migrations.alembic_runner import run_alembic

            run_alembic(place.sqlalchemy_url)


def check_schema(url: str) -> None:
    """Returns when the database is at HEAD; NotInitialised, SchemaTooOld or SchemaTooNew say what to do otherwise."""
    place = _open_target(url)
    check_revision(place.revision(), place.display_url)


def _open_target(url: str) -> SqliteTarget | PostgresTarget:
    address = parse_address(url)
    return SqliteTarget(address) if address.dialect == SQLITE else PostgresTarget(address)
