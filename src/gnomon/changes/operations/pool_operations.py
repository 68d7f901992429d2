"""Pools."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.errors.product import UserError
from gnomon.model.records import PoolRecord
from gnomon.model.sentences import say
from gnomon.queries.report.listings.not_found import pool_not_found
from gnomon.storage.store import notify_on_commit
from gnomon.storage.store.admin import pools


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A pool as listings print it."""

    pool: str
    slots: int
    """-1: no limit."""
    used: int
    include_deferred: bool
    description: str


@dataclass(frozen=True, slots=True)
class PoolFields:
    """A pool that is created or changed."""

    name: str
    slots: int
    description: str
    include_deferred: bool


@operation("pools.list", "read", "pool")
def list_pools(scope: OperationScope) -> list[PoolRow]:
    """All pools, their slots, and how many slots are used."""
    with scope.db.read() as tx:
        return [_build_row(pool) for pool in pools.list_pools(tx)]


@operation("pools.set", "edit", "pool")
def set_pools(scope: OperationScope, fields: list[PoolFields]) -> None:
    """Create or change pools, all or none of them. -1 slots: no limit."""
    low = next((pool for pool in fields if pool.slots < -1), None)
    if low is not None:
        raise UserError(say("pool_cannot_have_slots", name=low.name, number=low.slots))
    with scope.db.write() as tx:
        for pool in fields:
            scope.changes(tx).set_pool(
                pool.name, pool.slots, description=pool.description, include_deferred=pool.include_deferred
            )
        notify_on_commit(tx)
    scope.actor.wake_services()


@operation("pools.delete", "delete", "pool")
def delete_pool(scope: OperationScope, name: str) -> None:
    """Delete a pool; tasks that name it wait until it exists again."""
    with scope.db.write() as tx:
        if pools.find_pool(tx, name) is None:
            raise pool_not_found(name, [pool.name for pool in pools.list_pools(tx)])
        scope.changes(tx).delete_pool(name)
        notify_on_commit(tx)
    scope.actor.wake_services()


def _build_row(pool: PoolRecord) -> PoolRow:
    return PoolRow(pool.name, pool.slots, pool.used, pool.include_deferred, pool.description)
