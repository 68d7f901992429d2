"""The tables, as SQLAlchemy metadata: for migrations and their tests, and for the report's dynamic filters.

Nothing else imports this package: the hot path speaks SQL from `store/sql` and does without SQLAlchemy.
"""

from gnomon.store.schema import dags, events, meeting, owners, runs, secrets, states, triggers
from gnomon.store.schema.columns import metadata

__all__ = ["dags", "events", "meeting", "metadata", "owners", "runs", "secrets", "states", "triggers"]
