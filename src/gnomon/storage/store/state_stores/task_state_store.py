"""The task state store: values by key of one task instance of one run. They outlive its tries."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class TaskStateScope:
    """The task instance whose values are meant."""

    run_pk: int
    task_no: int
    map_index: int


@dataclass(frozen=True, slots=True)
class StoredTaskState:
    """One value; `value` is JSON text."""

    task_no: int
    map_index: int
    key: str
    value: str
    updated_at: Instant
    expires_at: Instant | None
    """None: never."""


@dataclass(frozen=True, slots=True)
class ExpiredTaskState:
    """The place of a value that has expired and is not deleted yet."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    key: str


def get_task_state(tx: Transaction, scope: TaskStateScope, key: str, now: Instant) -> str | None:
    """The value under `key`; None when there is none, or it has expired."""
    row = tx.one(
        "task_state_store.get", run_pk=scope.run_pk, task_no=scope.task_no, map_index=scope.map_index, key=key, now=now
    )
    return None if row is None else row[0]


def set_task_state(
    tx: Transaction, scope: TaskStateScope, key: str, value: str, now: Instant, expires_at: Instant | None
) -> None:
    """Insert or replace a value, which expires at `expires_at` (None: never)."""
    tx.run(
        "task_state_store.put",
        run_pk=scope.run_pk,
        task_no=scope.task_no,
        map_index=scope.map_index,
        key=key,
        value=value,
        updated_at=now,
        expires_at=expires_at,
    )


def delete_task_state(tx: Transaction, scope: TaskStateScope, key: str) -> bool:
    """Delete a value; False when there was none."""
    return (
        tx.run(
            "task_state_store.remove", run_pk=scope.run_pk, task_no=scope.task_no, map_index=scope.map_index, key=key
        )
        == 1
    )


def clear_task_state(tx: Transaction, scope: TaskStateScope) -> int:
    """Delete all values of the task instance; returns their number."""
    return tx.run("task_state_store.clear", run_pk=scope.run_pk, task_no=scope.task_no, map_index=scope.map_index)


def list_task_state(tx: Transaction, run_pk: int, now: Instant) -> list[StoredTaskState]:
    """All values of a run that have not expired, by task number, map index and key."""
    return [StoredTaskState(*row) for row in tx.all("task_state_store.of_run", run_pk=run_pk, now=now)]


def list_instance_state(tx: Transaction, scope: TaskStateScope, now: Instant) -> list[StoredTaskState]:
    """All values of a task instance that have not expired, by key."""
    rows = tx.all(
        "task_state_store.of_task_instance",
        run_pk=scope.run_pk,
        task_no=scope.task_no,
        map_index=scope.map_index,
        now=now,
    )
    return [StoredTaskState(*row) for row in rows]


def clear_state_of_task(tx: Transaction, run_pk: int, task_no: int) -> int:
    """Delete all values of all instances of a task of a run; returns their number."""
    return tx.run("task_state_store.clear_task", run_pk=run_pk, task_no=task_no)


def lock_run(tx: Transaction, run_pk: int) -> bool:
    """Keep the run from being deleted until the transaction ends; False when it is not stored any more."""
    return tx.one("task_state_store.lock_run", run_pk=run_pk) is not None


def list_expired(tx: Transaction, now: Instant, limit: int) -> list[ExpiredTaskState]:
    """At most `limit` values that have expired."""
    return [ExpiredTaskState(*row) for row in tx.all("task_state_store.expired", now=now, limit=limit)]


def delete_expired(tx: Transaction, now: Instant, limit: int) -> int:
    """Delete at most `limit` values that have expired; returns their number."""
    return tx.run("task_state_store.remove_expired", now=now, limit=limit)
