"""Variables and connections, and by what a wrong key is found out."""

from __future__ import annotations

from sqlalchemy import Table

from gnomon.store.schema.column_types import check, flag, integer, metadata, small, words

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

key_check = Table(
    "key_check",
    metadata,
    small("only_row", primary_key=True, autoincrement=False),
    words("sealed", nullable=False, doc="by the key that seals all the rest"),
    check("only_row", "only_row = 1"),
)
