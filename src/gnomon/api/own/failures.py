"""What failed in a time: the DAGs that are still broken, and those that a later success has healed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from fastapi import Query

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.reader_language import word
from gnomon.api.common.sentence_answers import SpannedAnswer, map_spans
from gnomon.api.common.shapes import Answer, copy_fields
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.model.instants import to_datetime
from gnomon.queries.report.activity.failed_dags import RunFailure, list_failed_dags
from gnomon.queries.report.activity.run_timeline import HOUR

router = OperationRouter(prefix="/failures", tags=["Failure"])
LIMIT_MAX = 200
DEFAULT_HOURS = 24


class FailedTaskAnswer(Answer):
    """A task instance that failed."""

    task_id: str
    map_index: int
    error: str | None
    """The first line of why it failed."""


class RunFailureAnswer(SpannedAnswer):
    """A failed run."""

    run_id: str
    run_after: datetime
    ended_at: datetime
    reason: str | None
    tasks: list[FailedTaskAnswer]
    """At most 3 of its failed task instances."""
    failed_tasks: int
    """The number of these task instances."""


class FailedDagAnswer(Answer):
    """A DAG of which a run failed."""

    dag_id: str
    runs: int
    """How many of its runs failed in the time."""
    failures: list[RunFailureAnswer]
    """At most 5 of these runs, the one that ended last first."""
    is_broken: bool
    """The newest finished run of the DAG failed."""
    healed_by: str | None
    """The newest finished run, if it succeeded; null while the DAG is broken."""


class FailuresAnswer(Answer):
    """DAGs with failures, those that are still broken first, then the failure that ended last first."""

    since: datetime
    dags: list[FailedDagAnswer]
    left_out: int
    """DAGs that are not listed."""
    complete: bool
    """False: only the 5,000 failed runs that ended last were looked at."""


@router.get("", dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)])
def get_failures(
    context: Context,
    user: CurrentUser,
    since: datetime | None = None,
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 50,
) -> FailuresAnswer:
    """The DAGs of which a run ended failed at `since` or later; without `since`, in the last 24 hours."""
    first = context.clock.now() - DEFAULT_HOURS * HOUR if since is None else read_instant(since)
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        hide = build_name_filter(visible)
        failures = list_failed_dags(tx, first, lambda dag_id: dag_id in visible, limit)
    return FailuresAnswer.model_validate(
        {
            "since": to_datetime(first),
            "left_out": failures.left_out,
            "complete": failures.is_complete,
            "dags": [
                {**copy_fields(row), "failures": [_hide_in_run(failure, hide) for failure in row.failures]}
                for row in failures.dags
            ],
        }
    )


def _hide_in_run(failure: RunFailure, hide: Callable[[str], str]) -> dict[str, object]:
    tasks = [
        {**copy_fields(task), "error": None if task.error is None else hide(word(task.error))} for task in failure.tasks
    ]
    reason = None if failure.reason is None else hide(word(failure.reason))
    return {**copy_fields(failure), "reason": reason, "tasks": tasks, "spans": map_spans([failure.reason], hide)}
