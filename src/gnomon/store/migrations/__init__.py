"""Making and upgrading the schema. Heavy tools (SQLAlchemy, Alembic) are imported only when there is something to do."""

from gnomon.store.migrations.upgrade import check_schema, upgrade_schema

__all__ = ["check_schema", "upgrade_schema"]
