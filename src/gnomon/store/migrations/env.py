"""What Alembic runs: one transaction for all revisions."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from gnomon.store.schema import metadata


def run() -> None:
    """Apply the revisions that were asked for over one connection."""
    url = context.config.get_main_option("sqlalchemy.url")
    assert url is not None
    with create_engine(url, poolclass=NullPool).connect() as connection:
        context.configure(connection=connection, target_metadata=metadata, transaction_per_migration=False)
        with context.begin_transaction():
            context.run_migrations()


run()
