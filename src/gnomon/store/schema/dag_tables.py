"""Files, and the DAGs that they define."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, LargeBinary, PrimaryKeyConstraint, Table, UniqueConstraint

from gnomon.store.schema.column_types import big, check, flag, integer, metadata, serial, small, words

file = Table(
    "file",
    metadata,
    serial("file_pk"),
    words("path", nullable=False, unique=True),
    words("input_hash", nullable=False),
    words("inputs", nullable=False, doc="JSON [[path, stamp], ...]"),
    flag("looked_further"),
    words("fresh", doc="why its tasks need a fresh interpreter"),
    big("parsed_at", nullable=False),
    Column("duration_s", Float, nullable=False),
    flag("failed"),
    flag("stale"),
    words("warnings", nullable=False, server_default="[]"),
    big("gone_at", doc="when it was found deleted; its DAGs keep pointing here"),
    sqlite_autoincrement=True,
)

import_error = Table(
    "import_error",
    metadata,
    big("file_pk", ForeignKey("file.file_pk", ondelete="CASCADE"), nullable=False),
    integer("number", nullable=False),
    words("kind", nullable=False),
    words("message", nullable=False),
    integer("line"),
    words("traceback", nullable=False),
    big("at", nullable=False),
    PrimaryKeyConstraint("file_pk", "number"),
)

dag = Table(
    "dag",
    metadata,
    serial("dag_pk"),
    words("dag_id", nullable=False, unique=True),
    small("group_no", nullable=False),
    big("file_pk", ForeignKey("file.file_pk"), nullable=False),
    big("version_pk", doc="the newest version; NULL only inside the transaction that makes the first"),
    words("input_hash", nullable=False, doc="of the parse that gave this DAG last"),
    flag("paused"),
    flag("active"),
    big("plan_seq", nullable=False, server_default="0"),
    words("cursor", doc="JSON model.slots.Cursor"),
    big("next_run_after"),
    words("next_body", doc="JSON model.slots.PlannedRun"),
    words("fingerprint"),
    words("error", doc="why planning refuses"),
    words("dependency_error", doc="why its dependencies on other DAGs can never be met"),
    big("live_at", doc="since when it has been unpaused and in a file, with this schedule"),
    check("group", "group_no BETWEEN 0 AND 63"),
    check("next", "(next_run_after IS NULL) = (next_body IS NULL)"),
    sqlite_autoincrement=True,
)
Index("dag_of_group", dag.c.group_no)
Index("dag_of_file", dag.c.file_pk)

task_name = Table(
    "task_name",
    metadata,
    big("dag_pk", ForeignKey("dag.dag_pk"), nullable=False),
    integer("task_no", nullable=False),
    words("task_id", nullable=False),
    PrimaryKeyConstraint("dag_pk", "task_no"),
    UniqueConstraint("dag_pk", "task_id"),
    sqlite_with_rowid=False,
)

dag_version = Table(
    "dag_version",
    metadata,
    serial("version_pk"),
    big("dag_pk", ForeignKey("dag.dag_pk"), nullable=False),
    integer("number", nullable=False),
    words("spec_hash", nullable=False),
    Column("spec", LargeBinary, nullable=False, doc="zlib JSON model.spec.DagSpec"),
    words("input_hash", nullable=False),
    big("created_at", nullable=False),
    UniqueConstraint("dag_pk", "number"),
    sqlite_autoincrement=True,
)

dag_edge = Table(
    "dag_edge",
    metadata,
    big("dag_pk", ForeignKey("dag.dag_pk"), nullable=False),
    integer("edge_no", nullable=False, doc="model.edges.Edge.number"),
    words("task_id", doc="the task that waits; NULL: the whole run"),
    words("up_dag", nullable=False, doc="the id of the DAG that is depended on, whether there is one or not"),
    words("body", nullable=False, doc="JSON model.edges.AfterSpec"),
    PrimaryKeyConstraint("dag_pk", "edge_no"),
    sqlite_with_rowid=False,
)
"""The dependencies of the newest version of each DAG, so that the graph of all is read without their specs."""
Index("dag_edge_up", dag_edge.c.up_dag)

run_tally = Table(
    "run_tally",
    metadata,
    big("dag_pk", ForeignKey("dag.dag_pk"), nullable=False),
    small("state", nullable=False),
    big("n", nullable=False),
    PrimaryKeyConstraint("dag_pk", "state"),
    sqlite_with_rowid=False,
)

__all__ = ["dag", "dag_edge", "dag_version", "file", "import_error", "run_tally", "task_name"]
