"""Backfills: lists, one backfill, pausing, continuing and cancelling it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import AccessRefused, ApiResource, Permission, User
from gnomon.api.v2.lookup import find_display_names, find_stored_dag
from gnomon.api.v2.schemas.backfills_shapes import BackfillCollectionResponse, BackfillResponse, ReprocessBehavior
from gnomon.changes.actions.backfill_changes import BackfillSwitch, change_backfill
from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.accounts import Role
from gnomon.model.backfills import BackfillRecord
from gnomon.model.instants import moment, to_datetime
from gnomon.model.sentences import say
from gnomon.queries.report.listings.audit_list import hide_in_value
from gnomon.queries.report.listings.backfill_list import find_backfill
from gnomon.queries.report.listings.not_found import NameNotFound
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import backfills

_CANCEL_LOOKS, _CANCEL_PAUSE_S = 25, 0.04
router = OperationRouter(prefix="/backfills", tags=["Backfill"])
_READ = requires(Permission.READ, ApiResource.BACKFILL)
_EDIT = requires(Permission.EDIT, ApiResource.BACKFILL)
_NamedBackfill = tuple[str, BackfillRecord]


class BackfillFilters(PageParameters):
    """The parameters of the list."""

    dag_id: str
    order_by: list[str] = Field([])


_ORDER: dict[str, Any] = {
    "id": lambda named: named[1].backfill_pk,
    "dag_id": lambda named: named[0],
    "from_date": lambda named: named[1].from_at,
    "to_date": lambda named: named[1].to_at,
    "created_at": lambda named: named[1].created_at,
    "completed_at": lambda named: named[1].ended_at,
    "is_paused": lambda named: named[1].paused,
    "max_active_runs": lambda named: named[1].max_active_runs,
    "reprocess_behavior": lambda named: named[1].reprocess,
}


@router.get("", dependencies=[_READ])
def list_backfills(
    filters: Annotated[BackfillFilters, Query()], context: Context, user: CurrentUser
) -> BackfillCollectionResponse:
    """The backfills of a DAG."""
    with context.database.read() as tx:
        require_role(context, tx, user, filters.dag_id, Role.VIEWER)
        find_stored_dag(tx, filters.dag_id)
        records = backfills.list_backfills_of_dag(tx, filters.dag_id)
        ordered = sort_entries(records, filters.order_by, _ORDER, "id")
        return BackfillCollectionResponse(
            backfills=_build(context, tx, cut_page(ordered, filters)), total_entries=len(ordered)
        )


@router.get("/{backfill_id}", dependencies=[_READ])
def get_backfill(backfill_id: Annotated[int, Field(ge=0)], context: Context, user: CurrentUser) -> BackfillResponse:
    """One backfill."""
    return read_backfill(context, user, backfill_id)


def read_backfill(context: ApiContext, user: User, backfill_id: int) -> BackfillResponse:
    """The backfill as the API shows it. Raises Refusal (404), also for one of a hidden DAG."""
    with context.database.read() as tx:
        return _build(context, tx, [_find(context, tx, user, backfill_id, Role.VIEWER)])[0]


@router.post("/{backfill_id}/pause", dependencies=[_EDIT], include_in_schema=False)
@router.put("/{backfill_id}/pause", dependencies=[_EDIT])
def pause_backfill(backfill_id: Annotated[int, Field(ge=0)], context: Context, user: CurrentUser) -> BackfillResponse:
    """Start no further run of a backfill."""
    return _change(context, user, backfill_id, BackfillSwitch.PAUSE)


@router.post("/{backfill_id}/unpause", dependencies=[_EDIT], include_in_schema=False)
@router.put("/{backfill_id}/unpause", dependencies=[_EDIT])
def unpause_backfill(backfill_id: Annotated[int, Field(ge=0)], context: Context, user: CurrentUser) -> BackfillResponse:
    """Continue a backfill."""
    return _change(context, user, backfill_id, BackfillSwitch.UNPAUSE)


@router.post("/{backfill_id}/cancel", dependencies=[_EDIT], include_in_schema=False)
@router.put("/{backfill_id}/cancel", dependencies=[_EDIT])
def cancel_backfill(backfill_id: Annotated[int, Field(ge=0)], context: Context, user: CurrentUser) -> BackfillResponse:
    """End the queued runs of a backfill as failed; its running runs continue. The owner of the DAG does it, for which the answer waits for up to a second."""
    answer = _change(context, user, backfill_id, BackfillSwitch.CANCEL)
    for _ in range(_CANCEL_LOOKS):
        if answer.completed_at is not None:
            break
        context.sleep(_CANCEL_PAUSE_S)
        answer = read_backfill(context, user, backfill_id)
    return answer


def _change(context: ApiContext, user: User, backfill_id: int, change: BackfillSwitch) -> BackfillResponse:
    with context.database.read() as tx:
        dag_id, backfill = _find(context, tx, user, backfill_id, Role.USER)
    change_backfill(context.act_as(user), context.database, dag_id, backfill, change)
    return read_backfill(context, user, backfill_id)


def _find(context: ApiContext, tx: Transaction, user: User, backfill_id: int, role: Role) -> _NamedBackfill:
    """The backfill. Raises Refusal (404), also for one of a hidden DAG, and AccessRefused for a lower role on its DAG."""
    try:
        dag_id, backfill = find_backfill(tx, backfill_id)
        require_role(context, tx, user, dag_id, Role.VIEWER)
    except (NameNotFound, AccessRefused):
        raise Refusal(404, say("number_does_not_exist", thing="backfill", number=str(backfill_id))) from None
    require_role(context, tx, user, dag_id, role)
    return dag_id, backfill


def _build(context: ApiContext, tx: Transaction, named_records: Sequence[_NamedBackfill]) -> list[BackfillResponse]:
    names = find_display_names(context, tx, (dag_id for dag_id, _ in named_records))
    return [
        BackfillResponse(
            id=record.backfill_pk,
            dag_id=dag_id,
            from_date=to_datetime(record.from_at),
            to_date=to_datetime(record.to_at),
            dag_run_conf=hide_in_value(record.conf, hide_uri_passwords) or None,
            is_paused=record.paused,
            reprocess_behavior=ReprocessBehavior(record.reprocess),
            max_active_runs=record.max_active_runs,
            created_at=to_datetime(record.created_at),
            completed_at=moment(record.ended_at),
            updated_at=to_datetime(record.ended_at or record.created_at),
            dag_display_name=names.get(dag_id, dag_id),
        )
        for dag_id, record in named_records
    ]
