"""The waiting rows of schedulers at pools, which no release wrote, are removed."""

from __future__ import annotations

from alembic import op

from gnomon.store.migrations.scripts import run

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The table is gone."""
    run(revision, op.get_bind())
