"""Changes as server-sent events."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from fastapi import Header, Query, Request
from starlette.responses import Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.streams.event_stream import MEDIA_TYPE, EventStream
from gnomon.api.streams.stream_interest import StreamInterest
from gnomon.model.accounts import Role
from gnomon.queries.report.activity.change_feed import parse_place
from gnomon.queries.report.listings.dag_list import find_dag

router = OperationRouter(prefix="/events", tags=["Event"])
DAGS_MAX = 100
"""The most DAGs that one stream names."""


class EventKind(str, Enum):
    """What an event is about."""

    DAG_RUN = "dag_run"
    TASK_INSTANCE = "task_instance"
    TASK_INSTANCES = "task_instances"
    DAG = "dag"
    IMPORT_ERROR = "import_error"
    BACKFILL = "backfill"
    POOL = "pool"
    ASSET_EVENT = "asset_event"


@router.get(
    "",
    dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)],
    response_class=Response,
    responses={
        200: {
            "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
            "description": "Events, until one of the two sides ends the stream.",
        }
    },
)
def stream_events(
    request: Request,
    context: Context,
    user: CurrentUser,
    dag_id: Annotated[list[str] | None, Query(max_length=DAGS_MAX)] = None,
    kind: Annotated[list[EventKind] | None, Query()] = None,
    after: Annotated[
        str | None,
        Query(description="The id of an event after which the stream begins; `Last-Event-ID` goes before it."),
    ] = None,
    last_event_id: Annotated[str | None, Header(description="The id of the last event that the client has.")] = None,
) -> Response:
    """Changes from now on, or after the event `Last-Event-ID` or `after`; of these DAGs, or of all that the account may see.

    The first event is `ready`, or `reset` when changes since the last event are not kept any more: then read everything anew.
    """
    if dag_id:
        with context.database.read() as tx:
            for requested_id in dag_id:
                require_role(context, tx, user, requested_id, Role.VIEWER)
                find_dag(tx, requested_id)
    interest = StreamInterest(
        user.identity,
        None if not dag_id else frozenset(dag_id),
        None if not kind else frozenset(event_kind.value for event_kind in kind),
    )
    last = after if last_event_id is None else last_event_id
    place = None if last is None else parse_place(last) or _UNKNOWN_PLACE
    return EventStream(context.event_hub, interest, context.policy.find_credential(request), place)


_UNKNOWN_PLACE = (-1, 0)
"""Before all places that are kept."""
