"""The tables, as SQLAlchemy metadata: for migrations and their tests, and for the report's dynamic filters.

Nothing else imports this package: the hot path speaks SQL from `store/sql` and does without SQLAlchemy.
"""

from gnomon.store.schema import (
    dag_tables,
    lease_tables,
    mail_tables,
    run_tables,
    secret_tables,
    trigger_tables,
)
from gnomon.store.schema.column_types import metadata

__all__ = ["dag_tables", "lease_tables", "mail_tables", "metadata", "run_tables", "secret_tables", "trigger_tables"]
