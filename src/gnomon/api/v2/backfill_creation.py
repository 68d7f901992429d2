"""Backfills: creating one, and a preview of its slots."""

from __future__ import annotations

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.backfill_changes import read_backfill
from gnomon.api.v2.lookup import find_stored_dag
from gnomon.api.v2.schemas.backfills_shapes import (
    BackfillPostBody,
    BackfillResponse,
    DryRunBackfillCollectionResponse,
    DryRunBackfillResponse,
)
from gnomon.changes.actions.backfill_changes import (
    BackfillRequest,
    FoundSlots,
    check_backfill,
    create_backfill,
    find_slots,
    preview_slots,
)
from gnomon.model.accounts import Role
from gnomon.model.instants import moment
from gnomon.model.sentences import say
from gnomon.queries.report.listings.dag_list import find_dag

router = OperationRouter(prefix="/backfills", tags=["Backfill"])
_CREATE = requires(Permission.CREATE, ApiResource.BACKFILL)


@router.post("", dependencies=[_CREATE])
def create(body: BackfillPostBody, context: Context, user: CurrentUser) -> BackfillResponse:
    """Run the past slots of a DAG: the answer comes before the runs, which the scheduler creates."""
    request, _ = check_backfill_body(context, user, body)
    created = create_backfill(context.act_as(user), context.database, request)
    return read_backfill(context, user, created.backfill_pk)


@router.post("/dry_run", dependencies=[_CREATE])
def create_dry_run(body: BackfillPostBody, context: Context, user: CurrentUser) -> DryRunBackfillCollectionResponse:
    """The slots for which the backfill would create a run, or run one again."""
    request, slots = check_backfill_body(context, user, body)
    with context.database.read() as tx:
        slots_to_run = [preview.slot for preview in preview_slots(tx, request, slots) if preview.is_run]
    answers = [
        DryRunBackfillResponse(
            logical_date=moment(slot.logical_at),
            partition_key=slot.partition_key,
            partition_date=moment(slot.partition_date),
        )
        for slot in slots_to_run
    ]
    return DryRunBackfillCollectionResponse(backfills=answers, total_entries=len(answers))


def check_backfill_body(context: ApiContext, user: User, body: BackfillPostBody) -> tuple[BackfillRequest, FoundSlots]:
    """The request that the body describes, and its slots. Raises the errors of `check_backfill` and `find_slots`, NameNotFound, AccessRefused."""
    if body.max_active_runs < 1:
        raise Refusal(422, say("limit_of_runs_is_too_low", number=str(body.max_active_runs)))
    with context.database.read() as tx:
        require_role(context, tx, user, body.dag_id, Role.USER)
        find_stored_dag(tx, body.dag_id)
        dag = find_dag(tx, body.dag_id)
    request = BackfillRequest(
        dag,
        read_instant(body.from_date),
        read_instant(body.to_date),
        body.reprocess_behavior.value,
        body.max_active_runs,
        body.run_backwards,
        body.dag_run_conf or {},
        body.run_on_latest_version,
    )
    check_backfill(context.cfg, request)
    return request, find_slots(context.act_as(user), request)
