"""A value by which a host is told at its start that its key is not the one of this database."""

from __future__ import annotations

from alembic import op

from gnomon.store.migrations.migration_targets import run_script

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The table is there, without a row: whoever starts next writes it."""
    run_script(revision, op.get_bind())
