"""Where owners and everybody else meet: mail, requests, pools, waits between DAGs (OWNERSHIP.md lines 3 to 5)."""

from __future__ import annotations

from sqlalchemy import Index, PrimaryKeyConstraint, Table

from gnomon.store.schema.column_types import big, check, flag, integer, metadata, partial, serial, small, words

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

run_wait = Table(
    "run_wait",
    metadata,
    big("down_run", nullable=False),
    integer("edge_no", nullable=False, doc="model.edges.Edge.number"),
    words("up_dag", nullable=False, doc="the id of the upstream DAG, whether there is one or not"),
    big("up_at", nullable=False, doc="planned time (run_after) of the upstream's run, never its slot_key; 0: no slot"),
    small("down_group", nullable=False),
    small("up_group", nullable=False),
    words("task_id", doc="of the upstream; NULL: its whole run"),
    small("state", nullable=False, doc="model.runwaits.WaitState"),
    small("keeps", nullable=False),
    words("rule", nullable=False, doc="of dependencies.Resolution"),
    big("since", nullable=False),
    integer("clear_number", nullable=False, doc="of the upstream run that was heard of last"),
    words("note"),
    PrimaryKeyConstraint("down_run", "edge_no", "up_dag", "up_at"),
    check("groups", "down_group BETWEEN 0 AND 63 AND up_group BETWEEN 0 AND 63"),
    sqlite_with_rowid=False,
)
Index("run_wait_slot", run_wait.c.up_dag, run_wait.c.up_at)
partial("run_wait_open", "state < 100", run_wait.c.up_group)
