"""The waiting rows of schedulers at pools, which no release wrote, are removed."""

from __future__ import annotations

from alembic import op

from gnomon.store.migrations.migration_targets import run_script

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The table is gone."""
    run_script(revision, op.get_bind())
