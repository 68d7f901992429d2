"""All task instances of one run in one compact answer."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import find_dag_and_run, refuse_wildcard
from gnomon.queries.report.listings.run_tasks import read_run_tasks

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}", tags=["Run"])


class RunTaskAnswer(Answer):
    """A task of the run."""

    task_id: str
    name: str
    operator: str | None
    group: str | None
    pool: str | None
    queue: str | None
    is_mapped: bool
    upstream: list[str]
    counts: dict[str, int]
    """Instances by state; `none` without one."""


class RunTasksAnswer(Answer):
    """The tasks of a run, and their instances in columns."""

    tasks: list[RunTaskAnswer]
    """In topological order; tasks that the version of the run does not have come last."""
    groups: dict[str, str | None]
    """The parent of each task group."""
    states: list[str | None]
    """The states that occur."""
    instances: list[list[int | float | str | None]]
    """Index of the task, map index, index of the state, try, start and end in seconds since 1970, rendered map index; at most 50,000."""
    total: int
    """The number of all instances."""


@router.get(
    "/tasks", response_model=RunTasksAnswer, dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)]
)
def get_run_tasks(dag_id: Id, dag_run_id: Id, context: Context) -> Response:
    """The tasks of the run with the counts of their states, and all task instances."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        run_tasks = read_run_tasks(tx, *find_dag_and_run(tx, dag_id, dag_run_id))
    return Response(msgspec.json.encode(run_tasks), media_type="application/json")
