"""Runs, their task instances, attempts and XComs. Flat at 10^7 finished rows (OWNERSHIP.md, schema sketch)."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from gnomon.model.attempts import XCOM_MAX_BYTES
from gnomon.model.ids import UNMAPPED
from gnomon.store.schema.column_types import big, check, integer, metadata, partial, serial, small, words

dag_run = Table(
    "dag_run",
    metadata,
    serial("run_pk"),
    big("dag_pk", ForeignKey("dag.dag_pk"), nullable=False),
    small("group_no", nullable=False),
    words("run_id", nullable=False),
    words("slot_key"),
    words("run_type", nullable=False),
    big("logical_at"),
    big("interval_start"),
    big("interval_end"),
    big("run_after", nullable=False),
    big("version_pk"),
    small("state", nullable=False),
    words("reason"),
    words("conf", nullable=False, server_default="{}"),
    big("queued_at", nullable=False),
    big("started_at"),
    big("ended_at"),
    integer("clear_number", nullable=False, server_default="0"),
    big("backfill_pk"),
    big("stands_for", doc="of a run by hand that holds a planned slot: the planned time of that slot"),
    UniqueConstraint("dag_pk", "run_id"),
    UniqueConstraint("dag_pk", "slot_key"),
    check("final", "(ended_at IS NULL) = (state < 100)"),
    sqlite_autoincrement=True,
    postgresql_with={"fillfactor": 80},
)
Index("dag_run_order", dag_run.c.dag_pk, dag_run.c.run_after.desc(), dag_run.c.run_pk.desc())
partial("dag_run_unfinished", "ended_at IS NULL", dag_run.c.group_no)
partial("dag_run_stands", "stands_for IS NOT NULL", dag_run.c.dag_pk, dag_run.c.stands_for)
partial("dag_run_failed", "state = 101", dag_run.c.ended_at)

task_instance = Table(
    "task_instance",
    metadata,
    big("run_pk", nullable=False),
    integer("task_no", nullable=False),
    integer("map_index", nullable=False),
    small("state", nullable=False),
    integer("try_number", nullable=False),
    integer("max_tries", nullable=False),
    integer("seq", nullable=False),
    words("attempt"),
    words("worker"),
    integer("defer_seq", nullable=False),
    words("pool"),
    integer("pool_slots", nullable=False),
    integer("priority", nullable=False),
    big("resume_at"),
    big("started_at"),
    big("ended_at"),
    words("reason"),
    big("version_pk", doc="of the run when this row was written"),
    PrimaryKeyConstraint("run_pk", "task_no", "map_index"),
    check("final", "state < 100 OR ended_at IS NOT NULL"),
    sqlite_with_rowid=False,
    postgresql_with={"fillfactor": 80},
)
"""No foreign key: the insert itself joins `dag_run`, and a run is deleted with everything of it. No other index: the
scheduler's questions are answered by its memory, and on PostgreSQL updates stay within their page."""

attempt = Table(
    "attempt",
    metadata,
    big("run_pk", nullable=False),
    integer("task_no", nullable=False),
    integer("map_index", nullable=False),
    integer("seq", nullable=False),
    words("attempt", nullable=False),
    integer("try_number", nullable=False),
    words("kind", nullable=False),
    words("state", nullable=False),
    words("reason"),
    words("worker"),
    big("started_at"),
    big("ended_at"),
    integer("exit_code"),
    words("log"),
    PrimaryKeyConstraint("run_pk", "task_no", "map_index", "seq"),
    check("kind", "kind IN ('task', 'callback')"),
    sqlite_with_rowid=False,
)

xcom = Table(
    "xcom",
    metadata,
    serial("xcom_pk"),
    big("run_pk", nullable=False),
    integer("task_no", nullable=False),
    integer("map_index", nullable=False),
    words("key", nullable=False),
    words("value", nullable=False),
    UniqueConstraint("run_pk", "task_no", "map_index", "key"),
    check("size", f"length(value) <= {XCOM_MAX_BYTES}"),
)
"""A rowid table on SQLite: large values would bloat the pages of a clustered one.

The check counts characters, which are never more than the bytes that `commit` compares with the limit.
"""


state = Table(
    "state",
    metadata,
    words("kind", nullable=False, doc="run | task"),
    small("code", nullable=False, doc="final states from 100 on"),
    words("name", nullable=False),
    PrimaryKeyConstraint("kind", "code"),
)


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
