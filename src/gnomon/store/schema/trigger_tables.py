"""What deferred task instances wait for, and what their triggerers are to be told (OWNERSHIP.md line 21)."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Table, UniqueConstraint

from gnomon.store.schema.column_types import big, flag, integer, metadata, partial, serial, words

UNCLAIMED = "triggerer IS NULL AND due_at IS NULL AND fired IS NULL AND NOT sent"

trigger = Table(
    "trigger",
    metadata,
    serial("trigger_pk"),
    big("run_pk", nullable=False),
    integer("task_no", nullable=False),
    integer("map_index", nullable=False),
    integer("defer_seq", nullable=False),
    big("dag_pk", nullable=False),
    words("classpath", nullable=False),
    words("kwargs", nullable=False, doc="sealed"),
    words("next_method"),
    words("next_kwargs", doc="sealed; NULL: none"),
    words("queue"),
    big("due_at", doc="of a timer, which is the owner's own: no triggerer takes it"),
    Column("due_in_s", Float, doc="of a timer that was counted from the deferral on"),
    big("timeout_at"),
    Column("timeout_s", Float),
    flag("ends_task"),
    integer("held_slots", nullable=False),
    words("fired", doc="sealed; kept until the attempt that goes on has ended"),
    flag("sent"),
    words("triggerer"),
    flag("begun"),
    integer("priority", nullable=False),
    big("created_at", nullable=False),
    UniqueConstraint("run_pk", "task_no", "map_index"),
    sqlite_autoincrement=True,
)
"""`begun`: somebody has run it, so if somebody ends its wait, its on_kill is due."""
partial("trigger_claimed", "triggerer IS NOT NULL", trigger.c.triggerer, trigger.c.dag_pk)
partial("trigger_unclaimed", UNCLAIMED, trigger.c.priority.desc(), trigger.c.trigger_pk)
partial("trigger_unclaimed_dag", UNCLAIMED, trigger.c.dag_pk)

trigger_end = Table(
    "trigger_end",
    metadata,
    big("trigger_pk", primary_key=True, autoincrement=False),
    words("triggerer", doc="NULL: nobody; who takes it calls its on_kill"),
    flag("on_kill"),
    flag("told"),
    big("run_pk", nullable=False),
    integer("task_no", nullable=False),
    integer("map_index", nullable=False),
    big("dag_pk", nullable=False),
    words("classpath", nullable=False),
    words("kwargs", nullable=False, doc="sealed"),
    words("queue"),
)
"""A trigger runs whose row is gone, or has run and is to hear on_kill: written by the owner in the same transaction. A note
without on_kill goes as it is read; one with it is `told`, and goes when the trigger is gone: whoever takes over calls on_kill anew."""
Index("trigger_end_triggerer", trigger_end.c.triggerer)
