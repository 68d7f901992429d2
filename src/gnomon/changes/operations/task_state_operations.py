"""What task instances keep in the state store. An account of the API gets the secrets of stored connections and Variables masked."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.actions import state_changes
from gnomon.changes.actions.state_changes import DAY_US, InstanceScope
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.changes.operations.state_texts import hide_secrets, read_value
from gnomon.model.errors.product import UserError
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant, iso
from gnomon.model.sentences import Command, RunName, Sentence, say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import find_run, list_task_instances
from gnomon.storage.store import Transaction
from gnomon.storage.store.state_stores import task_state_store
from gnomon.storage.store.state_stores.task_state_store import TaskStateScope

CLEAN_BATCH = 1_000_000
"""Most rows that one transaction deletes when `[state_store] state_cleanup_batch_size` is 0."""
EXPIRED_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class TaskStateRow:
    """A value of a task instance as listings print it."""

    task_id: str
    map_index: int
    key: str
    value: str
    updated_at: str | None
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class ExpiredRow:
    """The place of a value that has expired and is not deleted yet."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    key: str


@operation("task_state.list", "read", "task instance")
def list_task_values(scope: OperationScope, dag_id: str, run_id: str) -> list[TaskStateRow]:
    """What the task instances of a run keep."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        names = {number: name for name, number in dag.task_numbers.items()}
        entries = task_state_store.list_task_state(tx, find_run(tx, dag, run_id).run_pk, scope.actor.clock.now())
        values = hide_secrets(scope, tx, [entry.value for entry in entries])
    return [
        TaskStateRow(
            names.get(entry.task_no, f"task {entry.task_no}"),
            entry.map_index,
            entry.key,
            value,
            iso(entry.updated_at),
            iso(entry.expires_at),
        )
        for entry, value in zip(entries, values, strict=True)
    ]


@operation("task_state.get", "read", "task instance")
def get_task_value(scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int, key: str) -> str:
    """The JSON text that a task instance keeps under a key."""
    now = scope.actor.clock.now()
    with scope.db.read() as tx:
        place = _find_place(tx, dag_id, run_id, task_id, map_index, now)
        value = task_state_store.get_task_state(tx, place.scope, key, now)
        if value is None:
            raise _no_value(dag_id, task_id, run_id, key)
        return hide_secrets(scope, tx, [value])[0]


@operation("task_state.set", "edit", "task instance")
def set_task_value(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    task_id: str,
    map_index: int,
    key: str,
    value: str,
    expires_in_days: int | None = None,
) -> None:
    """Keep a value, a JSON text, for a task instance; without `expires_in_days` it expires by [state_store] default_retention_days."""
    actor = scope.actor
    new_value, now = read_value(value), actor.clock.now()
    with scope.db.read() as tx:
        place = _find_place(tx, dag_id, run_id, task_id, map_index, now)
    expires_at = now + expires_in_days * DAY_US if expires_in_days else state_changes.find_default_expiry(actor)
    state_changes.set_task_value(actor, scope.db, place, key, new_value, expires_at)


@operation("task_state.clear", "delete", "task instance")
def clear_task_values(
    scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int, key: str | None = None
) -> int:
    """Delete what a task instance keeps, or only the value under a key; returns the number of values."""
    with scope.db.read() as tx:
        place = _find_place(tx, dag_id, run_id, task_id, map_index, scope.actor.clock.now())
    if key is None:
        return state_changes.clear_task_values(scope.actor, scope.db, place, of_all_instances=False)
    deleted = state_changes.delete_task_value(scope.actor, scope.db, place, key)
    if not deleted:
        raise _no_value(dag_id, task_id, run_id, key)
    return 1


@operation("task_state.expired", "read", "configuration")
def list_expired_values(scope: OperationScope) -> list[ExpiredRow]:
    """Values of task instances that have expired and are not deleted yet, at most a thousand."""
    with scope.db.read() as tx:
        expired = task_state_store.list_expired(tx, scope.actor.clock.now(), EXPIRED_SHOWN)
        shown = scope.select(tx, expired, lambda entry: entry.dag_id)
    return [ExpiredRow(entry.dag_id, entry.run_id, entry.task_id, entry.map_index, entry.key) for entry in shown]


@operation("task_state.clean", "edit", "configuration")
def clean_expired_values(scope: OperationScope) -> int:
    """Delete the values of task instances that have expired; returns their number."""
    now, batch = (
        scope.actor.clock.now(),
        scope.actor.cfg.integer("state_store", "state_cleanup_batch_size") or CLEAN_BATCH,
    )
    return state_changes.delete_expired_values(scope.actor, scope.db, now, batch)


def _find_place(tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int, now: Instant) -> InstanceScope:
    """The task instance of these names. Raises UserError when there is none, unless it still keeps something: it was mapped otherwise before."""
    dag = find_dag(tx, dag_id)
    run = find_run(tx, dag, run_id)
    if task_id not in dag.task_numbers:
        raise task_not_found(dag_id, task_id, dag.task_numbers)
    number = dag.task_numbers[task_id]
    instances = {row.map_index for row in list_task_instances(tx, dag, run) if row.task_id == task_id} or {UNMAPPED}
    if map_index not in instances and all(
        (entry.task_no, entry.map_index) != (number, map_index)
        for entry in task_state_store.list_task_state(tx, run.run_pk, now)
    ):
        raise UserError(_say_instances(RunName(dag_id, run_id), task_id, map_index, instances))
    return InstanceScope(dag.dag_pk, dag_id, run_id, TaskStateScope(run.run_pk, number, map_index))


def _say_instances(run: RunName, task_id: str, map_index: int, instances: set[int]) -> Sentence:
    if map_index == UNMAPPED:
        return say("map_index_is_needed", task_id=task_id, run=run, most=max(instances))
    indices = None if instances <= {UNMAPPED} else max(instances)
    why = say("it_is_not_mapped") if indices is None else say("map_indexes_are", most=indices)
    return say("map_index_is_not_among", task_id=task_id, map_index=map_index, run=run, why=why)


def _no_value(dag_id: str, task_id: str, run_id: str, key: str) -> UserError:
    return UserError(
        say(
            "task_keeps_nothing",
            task_id=task_id,
            key=key,
            run=RunName(dag_id, run_id),
            command=Command("state-store task list"),
        )
    )
