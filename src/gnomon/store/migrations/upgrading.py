"""Bring a database to the newest schema: at most one process at a time, and never without a backup of a SQLite file."""

from __future__ import annotations

from gnomon.clock import Clock, SystemClock
from gnomon.store.address import SQLITE, parse_address
from gnomon.store.migrations.places import PostgresPlace, SqlitePlace
from gnomon.store.migrations.scripts import script
from gnomon.store.revisions import HEAD, KNOWN, check_revision, check_tables

DEFAULT_POOL_SLOTS = 128


def upgrade(url: str, *, clock: Clock | None = None, default_pool_slots: int = DEFAULT_POOL_SLOTS) -> None:
    """The database at `url` exists and has schema HEAD.

    A SQLite file that had an older one was copied to `<db>.backup-<revision>-<UTC time>` before. Processes that come at
    the same moment wait for the first and find nothing left to do. SchemaTooNew when a newer Gnomon made it; ForeignDatabase when another program did (Airflow, for example).
    `default_pool_slots`: of a database that is made now; an existing one keeps what it has.
    """
    place = _place(url)
    if place.revision() == HEAD:
        return
    with place.alone():
        revision = place.revision()
        if revision not in KNOWN:
            check_tables(place.tables(), place.shown)
        if revision is None:
            place.create([script(known, place.dialect) for known in KNOWN], HEAD, default_pool_slots)
        elif revision not in KNOWN:
            check_revision(revision, place.shown)
        elif revision != HEAD:
            place.back_up(revision, (clock or SystemClock()).now())
        if place.revision() != HEAD:
            from gnomon.store.migrations.chain import run_chain

            run_chain(place.sqlalchemy_url)


def check(url: str) -> None:
    """Returns when the database is at HEAD; NotInitialised, SchemaTooOld or SchemaTooNew say what to do otherwise."""
    place = _place(url)
    check_revision(place.revision(), place.shown)


def _place(url: str) -> SqlitePlace | PostgresPlace:
    address = parse_address(url)
    return SqlitePlace(address) if address.dialect == SQLITE else PostgresPlace(address)
