"""The trigger, the timer or the question that a deferred task instance waits for."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Query

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instants import moment, to_datetime
from gnomon.model.sentences import RunName, TaskName, say
from gnomon.queries.report.listings.deferral_facts import find_deferral

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", tags=["Task Instance"])


class DeferralAnswer(Answer):
    """A deferral. `GET /triggers` shows the arguments of its trigger."""

    classpath: str
    kind: str
    """`timer`, which the scheduler keeps; `question` to a person; `trigger` on a triggerer."""
    since: datetime
    due_at: datetime | None
    """When a timer fires."""
    fails_at: datetime | None
    """When the task fails if no event comes before."""
    next_method: str | None
    """The method that the task resumes in; null: the event ends it."""
    queue: str | None
    triggerer: str | None
    host: str | None
    notes: list[str]
    """Where the trigger runs, or why nowhere, and its faults."""


@router.get("/deferral", dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_deferral(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    context: Context,
    map_index: Annotated[int, Query(ge=UNMAPPED, lt=2**31)] = UNMAPPED,
) -> DeferralAnswer:
    """What the deferred task instance waits for; 404 for one that is not deferred."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        instances = RunInstances(tx, dag_id, dag_run_id)
        detail = instances.find(task_id, map_index)
        deferral = find_deferral(tx, TaskKey(instances.run.run_pk, detail.task_no, map_index))
    if deferral is None:
        raise Refusal(
            404,
            say(
                "task_of_run_is_not_deferred",
                task=TaskName(dag_id, dag_run_id, task_id),
                run=RunName(dag_id, dag_run_id),
            ),
        )
    return DeferralAnswer(
        classpath=deferral.classpath,
        kind=deferral.kind,
        since=to_datetime(deferral.since),
        due_at=moment(deferral.due_at),
        fails_at=moment(deferral.fails_at),
        next_method=deferral.next_method,
        queue=deferral.queue,
        triggerer=deferral.triggerer,
        host=deferral.host,
        notes=[word(note) for note in deferral.notes],
    )
