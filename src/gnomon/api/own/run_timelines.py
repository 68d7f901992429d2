"""When the task instances of a run ran, in one compact answer."""

from __future__ import annotations

from datetime import datetime

import msgspec
from starlette.responses import Response

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.model.instants import iso
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run
from gnomon.queries.report.listings.run_times import read_run_times

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}", tags=["Timeline"])


class RunTimelineAnswer(Answer):
    """Task instances and their ended attempts. Names are indexes, times are milliseconds since 1970."""

    dag_id: str
    run_id: str
    state: str
    run_after: datetime
    start_date: datetime | None
    end_date: datetime | None
    now: int
    """When the answer was made."""
    task_ids: list[str]
    """In topological order; tasks that the version of the run does not have come last."""
    states: list[str | None]
    """The states that occur; null: task instances without a state."""
    instances: list[list[int | str | None]]
    """(task, map index, state, try number, start, end, next try at, rendered map index) of each."""
    attempts: list[list[int | None]]
    """(index in `instances`, try number, state, start, end) of each. A try has several when it was deferred or rescheduled; one that has not ended is
    the instance itself."""
    is_complete: bool
    """False: the run has more than 10,000 task instances, and the answer the first of them."""


@router.get(
    "/timeline", response_model=RunTimelineAnswer, dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)]
)
def get_timeline(dag_id: Id, dag_run_id: Id, context: Context) -> Response:
    """When the task instances of the run and their attempts started and ended."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, dag_run_id)
        timeline = read_run_times(tx, dag, run)
    return Response(
        msgspec.json.encode(
            {
                "dag_id": dag_id,
                "run_id": run.run_id,
                "state": run.state.value,
                "run_after": iso(run.run_after),
                "start_date": iso(run.started_at),
                "end_date": iso(run.ended_at),
                "now": context.clock.now() // 1_000,
                "task_ids": timeline.task_ids,
                "states": timeline.states,
                "instances": timeline.instances,
                "attempts": timeline.attempts,
                "is_complete": timeline.is_complete,
            }
        ),
        media_type="application/json",
    )
