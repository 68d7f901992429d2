"""The pools, and the task instances that hold or want their slots."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.queries.report.activity.pool_use import PoolUse, PoolUser, read_pool_use

router = OperationRouter(prefix="/pools", tags=["Pool"])


class PoolUserAnswer(Answer):
    """A task instance that holds slots of a pool, or waits for them."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    state: str
    slots: int
    priority: int
    since: datetime | None
    """The start of the try; None while it has not begun."""


class PoolUseAnswer(Answer):
    """A pool and its users; those of DAGs that the user may not see are only counted."""

    pool: str
    slots: int
    """-1: no limit. 0 for a pool that tasks name and that does not exist."""
    used: int
    """Slots that are used, by the books of the schedulers."""
    held: int
    """Slots of all task instances that are queued or running, and deferred if the pool counts these."""
    waiting: int
    """Slots that the scheduled task instances need: they wait for this pool or for another limit; `explain` of the task says for which."""
    holders: list[PoolUserAnswer]
    """At most 200."""
    waiters: list[PoolUserAnswer]
    """The highest priority first; at most 200."""


class PoolsUseAnswer(Answer):
    """All pools by name."""

    pools: list[PoolUseAnswer]
    complete: bool
    """False: only the 5,000 task instances of the highest priority were read."""


@router.get("/use", dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_pool_use(context: Context, user: CurrentUser) -> PoolsUseAnswer:
    """Which task instances hold the slots of each pool, and which are scheduled and not queued yet."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        pools = read_pool_use(tx, lambda dag_id: dag_id in visible)
    chosen = [use for use in pools.pools if visible.is_all or use.holders or use.waiters]
    return PoolsUseAnswer(complete=pools.is_complete, pools=[_build(use) for use in chosen])


def _build(use: PoolUse) -> PoolUseAnswer:
    holders, waiters = (_build_users(users) for users in (use.holders, use.waiters))
    return PoolUseAnswer(
        pool=use.pool.name,
        slots=use.pool.slots,
        used=use.pool.used,
        held=use.held,
        waiting=use.waiting,
        holders=holders,
        waiters=waiters,
    )


def _build_users(users: list[PoolUser]) -> list[PoolUserAnswer]:
    return [PoolUserAnswer.model_validate(asdict(pool_user)) for pool_user in users]
