"""Clearing, marking and deleting runs and task instances: requests to the owner of the DAG."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.owner_requests import OwnerAnswer, ask_owner
from gnomon.model.records import DagRecord, RunRecord
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.storage.store import Database


def clear_instances(
    actor: Actor,
    db: Database,
    dag: DagRecord,
    run: RunRecord,
    rows: Iterable[TaskInstanceRow] | None,
    *,
    only_failed: bool = False,
    is_newest_wanted: bool | None = None,
) -> OwnerAnswer:
    """Run these task instances again, all of the run without `rows`. Raises RequestRefused.

    `is_newest_wanted`: whether a run with a bundle version takes the newest one; None: its DAG says so.
    """
    body = {
        "dag_pk": dag.dag_pk,
        "run_pk": run.run_pk,
        "tasks": _encode_keys(dag, rows),
        "only_failed": only_failed,
        "is_newest_wanted": is_newest_wanted,
    }
    return ask_owner(actor, db, dag, "clear", body)


def mark_instances(
    actor: Actor, db: Database, dag: DagRecord, run: RunRecord, rows: Iterable[TaskInstanceRow] | None, state: str
) -> OwnerAnswer:
    """Set these task instances to a final state; without `rows` end the run in it. Raises RequestRefused."""
    body = {"dag_pk": dag.dag_pk, "run_pk": run.run_pk, "tasks": _encode_keys(dag, rows), "state": state}
    return ask_owner(actor, db, dag, "mark", body)


def delete_run(actor: Actor, db: Database, dag: DagRecord, run: RunRecord) -> OwnerAnswer:
    """Delete the run with everything that belongs to it. Raises RequestRefused."""
    return ask_owner(actor, db, dag, "delete", {"dag_pk": dag.dag_pk, "run_pk": run.run_pk})


def _encode_keys(dag: DagRecord, rows: Iterable[TaskInstanceRow] | None) -> list[list[int]] | None:
    return None if rows is None else [[dag.task_numbers[row.task_id], row.map_index] for row in rows]
