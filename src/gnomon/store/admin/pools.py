"""Pools: how many task instances of a kind run at a time."""

from __future__ import annotations

from gnomon.model.records import PoolRecord
from gnomon.store.errors import NotFound, ResourceInUse
from gnomon.store.transaction import Row, Transaction

DEFAULT_POOL = "default_pool"


def list_pools(tx: Transaction) -> list[PoolRecord]:
    """All pools by name."""
    return [_decode(row) for row in tx.all("pools.list")]


def find_pool(tx: Transaction, name: str) -> PoolRecord | None:
    """The pool, None when there is none."""
    row = tx.one("pools.find", name=name)
    return None if row is None else _decode(row)


def set_pool(tx: Transaction, name: str, slots: int, *, description: str = "", include_deferred: bool = False) -> None:
    """The pool exists with these settings; `slots` of -1 is no bound. What runs in it goes on, even above a new bound."""
    tx.run("pools.put", name=name, slots=slots, include_deferred=include_deferred, description=description)


def delete_pool(tx: Transaction, name: str) -> None:
    """The pool is gone. InUse for the default pool and for one in which tasks run; NotFound when there is none."""
    if name == DEFAULT_POOL:
        raise ResourceInUse(f"pool {name!r} cannot be deleted: tasks without a pool of their own are in it; set its slots instead")
    if not tx.run("pools.remove", name=name):
        pool = find_pool(tx, name)
        if pool is None:
            raise NotFound(f"there is no pool {name!r}; `gnomon pools list` shows what there is")
        raise ResourceInUse(f"pool {name!r} cannot be deleted: {pool.used} of its slots are in use; try again when they are free")


def correct_used_slots(tx: Transaction, name: str, believed: int, used: int) -> bool:
    """A recount found `used` where the pool said `believed`: it says so now, unless it has moved meanwhile."""
    return tx.run("pools.repair", name=name, believed=believed, used=used) == 1


def _decode(row: Row) -> PoolRecord:
    return PoolRecord(row[0], row[1], row[2], bool(row[3]), row[4])
