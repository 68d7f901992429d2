"""Which task instances hold the slots of the pools, and which wait for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gnomon.model.instants import iso
from gnomon.model.records import PoolRecord
from gnomon.model.states import TaskInstanceState
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin.pools import list_live_instances, list_pools

INSTANCES_MAX = 5_000
"""Task instances that are read for one view: those of the highest priority."""
LISTED_MAX = 200
"""Task instances of one pool that are listed as holders, and as waiting."""
_HOLDING = (TaskInstanceState.QUEUED, TaskInstanceState.RUNNING, TaskInstanceState.RESTARTING)


@dataclass(frozen=True, slots=True)
class PoolUser:
    """A task instance that holds slots of a pool, or waits for them."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    state: str
    slots: int
    priority: int
    since: str | None
    """The start of the try; None while it has not begun."""


@dataclass(slots=True)
class PoolUse:
    """A pool and its users."""

    pool: PoolRecord
    held: int = 0
    """Slots of all holders that were read."""
    waiting: int = 0
    """Slots that all waiting task instances that were read need."""
    holders: list[PoolUser] = field(default_factory=list)
    waiters: list[PoolUser] = field(default_factory=list)
    """The highest priority first: the order in which they get slots, if nothing else prevents them."""


@dataclass(frozen=True, slots=True)
class PoolsInUse:
    """All pools. `is_complete`: no task instance was left out."""

    pools: list[PoolUse]
    is_complete: bool


def read_pool_use(tx: Transaction, is_visible: Callable[[str], bool] = lambda _: True) -> PoolsInUse:
    """The pools with the task instances that hold their slots, or are scheduled and not queued yet; those of other DAGs than visible ones are only counted.

    A pool that a task names and that does not exist is listed with 0 slots.
    """
    uses = {pool.name: PoolUse(pool) for pool in list_pools(tx)}
    instances = list_live_instances(tx, INSTANCES_MAX)
    for instance in instances:
        use = uses.setdefault(
            instance.pool, PoolUse(PoolRecord(instance.pool, 0, 0, description="this pool does not exist"))
        )
        user = PoolUser(
            instance.dag_id,
            instance.run_id,
            instance.task_id,
            instance.map_index,
            instance.state.value,
            instance.slots,
            instance.priority,
            iso(instance.started_at),
        )
        if instance.state in _HOLDING or (instance.state is TaskInstanceState.DEFERRED and use.pool.include_deferred):
            use.held += instance.slots
            users = use.holders
        elif instance.state is TaskInstanceState.SCHEDULED:
            use.waiting += instance.slots
            users = use.waiters
        else:
            continue
        if is_visible(instance.dag_id):
            users.append(user)
    for use in uses.values():
        del use.holders[LISTED_MAX:], use.waiters[LISTED_MAX:]
    return PoolsInUse(sorted(uses.values(), key=lambda use: use.pool.name), len(instances) < INSTANCES_MAX)
