"""The audit log: what was done, when, by whom."""

from __future__ import annotations

from sqlalchemy import Index, Table

from gnomon.model.ids import UNMAPPED
from gnomon.store.schema.columns import big, integer, metadata, partial, serial, words

event_log = Table(
    "event_log",
    metadata,
    serial("event_pk"),
    big("at", nullable=False),
    words("kind", nullable=False),
    big("dag_pk"),
    big("run_pk"),
    integer("task_no"),
    integer("map_index", nullable=False, server_default=str(UNMAPPED)),
    words("by", nullable=False),
    words("body", nullable=False),
)
Index("event_log_dag", event_log.c.dag_pk, event_log.c.event_pk)
partial("event_log_passed", "kind IN ('slot_held', 'slots_passed')", event_log.c.dag_pk, event_log.c.event_pk)
Index("event_log_run", event_log.c.run_pk, event_log.c.event_pk)
