"""The first schema. A new database gets the same scripts from `migrations.upgrade`, without Alembic."""

from __future__ import annotations

from alembic import op

from gnomon.store.migrations.migration_targets import run_script

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """All tables are there."""
    run_script(revision, op.get_bind())
