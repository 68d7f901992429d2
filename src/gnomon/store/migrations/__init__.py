"""Making and upgrading the schema. Heavy tools (SQLAlchemy, Alembic) are imported only when there is something to do."""

from gnomon.store.migrations.upgrading import check, upgrade

__all__ = ["check", "upgrade"]
