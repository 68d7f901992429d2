"""Where owners and everybody else meet: mail, requests, pools, waits between DAGs (OWNERSHIP.md lines 3 to 5)."""

from __future__ import annotations

from sqlalchemy import Index, PrimaryKeyConstraint, Table

from gnomon.store.schema.columns import big, check, flag, integer, metadata, partial, serial, small, words

mail = Table(
    "mail",
    metadata,
    serial("mail_pk"),
    small("group_no", nullable=False),
    words("kind", nullable=False),
    words("key", unique=True),
    words("body", nullable=False),
    big("at", doc="when it was sent, where the sender says so"),
    check("group", "group_no BETWEEN 0 AND 63"),
    sqlite_autoincrement=True,
)
Index("mail_group", mail.c.group_no, mail.c.mail_pk)

request = Table(
    "request",
    metadata,
    serial("request_pk"),
    words("by", nullable=False),
    words("kind", nullable=False),
    words("body", nullable=False),
    words("state", nullable=False),
    words("answer"),
    big("at"),
    check("state", "state IN ('pending', 'done', 'refused')"),
    check("answered", "(answer IS NULL) = (state = 'pending')"),
    sqlite_autoincrement=True,
)

pool = Table(
    "pool",
    metadata,
    words("name", primary_key=True),
    integer("slots", nullable=False),
    integer("used", nullable=False, server_default="0"),
    flag("include_deferred"),
    words("description", nullable=False, server_default=""),
    check("slots", "slots >= -1"),
    check("used", "used >= 0"),
    postgresql_with={"fillfactor": 50},
)

pool_waiter = Table(
    "pool_waiter",
    metadata,
    words("pool", nullable=False),
    words("scheduler", nullable=False),
    integer("priority", nullable=False),
    big("since", nullable=False),
    PrimaryKeyConstraint("pool", "scheduler"),
)

run_wait = Table(
    "run_wait",
    metadata,
    big("down_run", nullable=False),
    integer("edge_no", nullable=False),
    big("up_dag", nullable=False),
    big("up_at", nullable=False, doc="planned time (run_after) of the upstream's scheduled run, never its slot_key"),
    words("state", nullable=False),
    PrimaryKeyConstraint("down_run", "edge_no", "up_dag", "up_at"),
)
partial("run_wait_open", "state = 'open'", run_wait.c.up_dag, run_wait.c.up_at)
