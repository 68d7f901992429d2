"""What deferred tasks wait for, and which trigger blocked the others."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from fastapi import Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import find_stored_dag
from gnomon.queries.report.activity import trigger_waits
from gnomon.queries.report.activity.trigger_waits import LISTED_MAX
from gnomon.storage.store.pages.page_query import Condition, Operator

router = OperationRouter(prefix="/triggers", tags=["Trigger"])


class TriggerWaitAnswer(Answer):
    """A deferred task instance, and what it waits for."""

    number: int
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    kind: str
    """trigger: a triggerer runs it; timer: the scheduler keeps the time; question: a person answers."""
    classpath: str
    arguments: str
    """JSON with masked secrets, cut after 2,000 characters; empty for a timer and a question."""
    queue: str | None
    since: datetime
    due_at: datetime | None
    """When the timer fires, or when the time for an answer is over."""
    timeout_at: datetime | None
    triggerer: str | None
    """The triggerer that runs it; null: none, or none is needed."""
    is_over: bool
    """Its event has come; the scheduler will resume the task."""
    is_paused: bool
    """Its DAG is paused: no triggerer runs it."""
    priority: int


class TriggererAnswer(Answer):
    """A registered triggerer, with its counters since its start."""

    id: str
    host: str
    alive: bool
    beat_at: datetime
    running: int
    capacity: int
    queues: list[str] | None
    """Null: all."""
    succeeded: int
    failed: int
    blocks: int
    """How often a trigger blocked an event loop of it."""
    blocks_by_class: dict[str, int]
    blocked_now: list[str]
    """The classes of the triggers that blocked an event loop at the last heartbeat."""


class TriggerFaultAnswer(Answer):
    """A trigger that blocked the event loop of all triggers, or did not end when it was cancelled."""

    at: datetime
    kind: str
    """trigger_blocked or trigger_unresponsive."""
    dag_id: str | None
    run_id: str | None
    task_id: str | None
    map_index: int
    classpath: str
    text: str
    """For a block with the stack of the code that blocked."""


class TriggersAnswer(Answer):
    """What deferred tasks wait for, the oldest first."""

    waits: list[TriggerWaitAnswer]
    next: int | None
    """For `after`, if there are more."""
    triggerers: list[TriggererAnswer]
    faults: list[TriggerFaultAnswer]
    """Of the last seven days, the newest first; at most 20."""


@router.get("", dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_triggers(
    context: Context,
    user: CurrentUser,
    dag_id: str | None = None,
    after: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
    limit: Annotated[int, Query(ge=1, le=LISTED_MAX)] = LISTED_MAX,
) -> TriggersAnswer:
    """Deferred tasks with their triggers, timers and questions; the triggerers; and the triggers that blocked an event loop."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        conditions = visible.list_conditions()
        if dag_id is not None:
            conditions.append(
                Condition("dag_pk", Operator.EQUAL, find_stored_dag(tx, dag_id).dag_pk if dag_id in visible else -1)
            )
        waits = trigger_waits.list_trigger_waits(tx, conditions, after, limit + 1)
        states = (
            trigger_waits.list_triggerer_states(tx, context.cfg.number("triggerer", "job_heartbeat_sec"))
            if visible.is_all
            else []
        )
        faults = trigger_waits.list_trigger_faults(tx, visible.list_id_conditions(), context.clock.now())
    return TriggersAnswer.model_validate(
        {
            "waits": [asdict(wait) for wait in waits[:limit]],
            "next": waits[limit - 1].number if len(waits) > limit else None,
            "triggerers": [asdict(triggerer) for triggerer in states],
            "faults": [asdict(fault) for fault in faults if dag_id in (None, fault.dag_id)],
        }
    )
