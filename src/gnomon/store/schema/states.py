"""The look-up of state numbers; the code's own table is `model.states`, and the migrations keep this one equal to it."""

from __future__ import annotations

from sqlalchemy import PrimaryKeyConstraint, Table

from gnomon.store.schema.columns import metadata, small, words

state = Table(
    "state",
    metadata,
    words("kind", nullable=False, doc="run | task"),
    small("code", nullable=False, doc="final states from 100 on"),
    words("name", nullable=False),
    PrimaryKeyConstraint("kind", "code"),
)
