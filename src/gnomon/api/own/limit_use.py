"""The limits of DAGs, runs and tasks, who holds and who waits, and the slots of the workers."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.reader_language import word
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.queries.report.activity.limit_use import read_limit_use
from gnomon.queries.report.explanations.engine_state_reading import build_limits

router = OperationRouter(prefix="/limits", tags=["Limit"])


class LimitUserAnswer(Answer):
    """A run, or a task instance, that holds a place of a limit or waits for one."""

    dag_id: str
    run_id: str
    task_id: str | None
    """Null: the run itself."""
    map_index: int
    since: datetime | None


class LimitUseAnswer(Answer):
    """A limit of a DAG, a run or a task."""

    dag_id: str
    run_id: str | None
    """For a limit that each run has for itself."""
    name: str
    """As the sentences of `explain` name it."""
    limit: int
    used: int
    waiting: int
    holders: list[LimitUserAnswer]
    """At most 50."""
    waiters: list[LimitUserAnswer]
    """At most 50."""


class WorkerUseAnswer(Answer):
    """A live worker."""

    worker: str
    host: str
    """Empty: the account does not see all DAGs."""
    slots: int
    used: int | None
    """Null: not known."""


class LimitsAnswer(Answer):
    """The limits that are used or waited for, those with waiters first; at most 200."""

    limits: list[LimitUseAnswer]
    workers: list[WorkerUseAnswer]
    parallelism: int | None
    """[core] parallelism: the most attempts at a time; null: no limit."""
    live_attempts: int | None
    """Null: not known, or the account does not see all DAGs."""
    complete: bool
    """False: there are more limits, or more than 2,000 unfinished runs, and then no limit is read."""


@router.get("", dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_limits(context: Context, user: CurrentUser) -> LimitsAnswer:
    """Which limits are in use now, which runs and task instances hold their places, and which wait."""
    limits = build_limits(context.cfg)
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        in_use = read_limit_use(tx, limits, context.clock.now(), lambda dag_id: dag_id in visible)
    workers = [
        {
            **asdict(worker),
            "host": worker.host if visible.is_all else "",
            "used": worker.used if visible.is_all and worker.used >= 0 else None,
        }
        for worker in in_use.workers
    ]
    return LimitsAnswer.model_validate(
        {
            "limits": [asdict(use) | {"name": word(use.name)} for use in in_use.limits],
            "workers": workers,
            "parallelism": in_use.parallelism,
            "live_attempts": in_use.live_attempts if visible.is_all and in_use.live_attempts >= 0 else None,
            "complete": in_use.is_complete,
        }
    )
