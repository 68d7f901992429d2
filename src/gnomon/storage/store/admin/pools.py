"""Pools: named numbers of slots that bound how many attempts run at a time."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.change_entries import PoolChange
from gnomon.model.instants import Instant
from gnomon.model.records import PoolRecord
from gnomon.model.sentences import Command, say
from gnomon.model.states import TASK_STATES_BY_CODE, TaskInstanceState
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.errors import NotFound, ResourceInUse
from gnomon.storage.store.transaction import Row, Transaction

DEFAULT_POOL = "default_pool"


def list_pools(tx: Transaction) -> list[PoolRecord]:
    """All pools by name."""
    return [_decode(row) for row in tx.all("pools.list")]


def find_pool(tx: Transaction, name: str) -> PoolRecord | None:
    """The pool; None when it does not exist."""
    row = tx.one("pools.find", name=name)
    return None if row is None else _decode(row)


def read_live_slots(tx: Transaction) -> dict[str, dict[TaskInstanceState, int]]:
    """By pool: the slots of task instances of unfinished runs that are scheduled, queued, running, restarting or deferred."""
    slots: dict[str, dict[TaskInstanceState, int]] = {}
    for pool, code, count in tx.all("pools.live_slots"):
        slots.setdefault(pool, {})[TASK_STATES_BY_CODE[code]] = int(count)
    return slots


@dataclass(frozen=True, slots=True)
class PoolInstance:
    """A task instance of an unfinished run that names a pool."""

    pool: str
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    state: TaskInstanceState
    slots: int
    priority: int
    started_at: Instant | None


def list_live_instances(tx: Transaction, limit: int) -> list[PoolInstance]:
    """Task instances of unfinished runs that are scheduled, queued, running, restarting or deferred, at most `limit`, the highest priority first."""
    return [
        PoolInstance(pool, dag_id, run_id, task_id, map_index, TASK_STATES_BY_CODE[state], slots, priority, started_at)
        for pool, dag_id, run_id, task_id, map_index, state, slots, priority, started_at in tx.all(
            "pools.live_instances", limit=limit
        )
    ]


def set_pool(tx: Transaction, name: str, slots: int, *, description: str = "", include_deferred: bool = False) -> None:
    """Insert or replace the settings of a pool; `slots` of -1 means unlimited. Running tasks continue, also above a new bound."""
    tx.run("pools.put", name=name, slots=slots, include_deferred=include_deferred, description=description)
    record_change(tx, PoolChange(name, "updated"))


def delete_pool(tx: Transaction, name: str) -> None:
    """Delete a pool. Raises ResourceInUse for the default pool and for a pool with used slots, NotFound for an unknown name."""
    if name == DEFAULT_POOL:
        raise ResourceInUse(say("default_pool_cannot_be_deleted", pool=name))
    if not tx.run("pools.remove", name=name):
        pool = find_pool(tx, name)
        if pool is None:
            raise NotFound(say("pool_of_name_does_not_exist", name=name, command=Command("pools list")))
        raise ResourceInUse(say("used_pool_cannot_be_deleted", pool=name, used=pool.used))
    record_change(tx, PoolChange(name, "deleted"))


def _decode(row: Row) -> PoolRecord:
    return PoolRecord(row[0], row[1], row[2], bool(row[3]), row[4])
