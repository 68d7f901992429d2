"""Who is alive and who owns which groups (OWNERSHIP.md lines 1 and 2)."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, Table

from gnomon.store.schema.column_types import big, check, flag, integer, metadata, small, words

scheduler = Table(
    "scheduler",
    metadata,
    words("id", primary_key=True, doc="one process start"),
    words("host", nullable=False),
    big("started_at", nullable=False),
    big("beat_at", nullable=False),
    flag("fenced"),
)

worker = Table(
    "worker",
    metadata,
    words("id", primary_key=True, doc="one process start"),
    words("host", nullable=False),
    words("address", nullable=False),
    integer("slots", nullable=False),
    big("beat_at", nullable=False),
    flag("lost"),
)

dag_processor = Table(
    "dag_processor",
    metadata,
    words("id", primary_key=True, doc="one process start"),
    words("host", nullable=False),
    big("beat_at", nullable=False),
)

triggerer = Table(
    "triggerer",
    metadata,
    words("id", primary_key=True, doc="one process start"),
    words("host", nullable=False),
    integer("capacity", nullable=False),
    words("queues", nullable=False, server_default="null", doc="JSON: the queues it listens to; null: all"),
    big("beat_at", nullable=False),
    flag("fenced"),
    words("counted", nullable=False, server_default="{}", doc="JSON: its figures since the start of its process, by name"),
)

dag_group = Table(
    "dag_group",
    metadata,
    small("group_no", primary_key=True, autoincrement=False),
    words("owner", ForeignKey("scheduler.id")),
    big("epoch", nullable=False, server_default="0"),
    check("group", "group_no BETWEEN 0 AND 63"),
)
Index("dag_group_owner", dag_group.c.owner)
