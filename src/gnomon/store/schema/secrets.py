"""Variables and connections."""

from __future__ import annotations

from sqlalchemy import Table

from gnomon.store.schema.columns import flag, integer, metadata, words

variable = Table(
    "variable",
    metadata,
    words("key", primary_key=True),
    words("value", nullable=False),
    words("description"),
    flag("encrypted"),
)

connection = Table(
    "connection",
    metadata,
    words("conn_id", primary_key=True),
    words("conn_type", nullable=False),
    words("host"),
    words("schema"),
    words("login"),
    words("password"),
    integer("port"),
    words("extra"),
    words("description"),
    flag("encrypted"),
)
