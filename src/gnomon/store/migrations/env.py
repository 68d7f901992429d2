"""What Alembic runs: one transaction for all revisions."""

from __future__ import annotations

import sqlite3

from alembic import context
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from gnomon.store.schema import metadata


def run() -> None:
    """Apply the revisions that were asked for over one connection."""
    url = context.config.get_main_option("sqlalchemy.url")
    assert url is not None
    engine = create_engine(url, poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        _make_transactional(engine)
    with engine.connect() as connection:
        context.configure(connection=connection, target_metadata=metadata, transaction_per_migration=False)
        with context.begin_transaction():
            context.run_migrations()


def _make_transactional(engine: Engine) -> None:
    """Python's driver opens no transaction for DDL by itself; an upgrade that fails must leave nothing behind."""

    @event.listens_for(engine, "connect")
    def leave_transactions_alone(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


run()
