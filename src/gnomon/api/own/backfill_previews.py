"""What a backfill would do with each slot of a range."""

from __future__ import annotations

import datetime as dt

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.sentence_answers import SpannedAnswer, map_spans
from gnomon.api.common.shapes import Answer, Body
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.backfill_creation import check_backfill_body
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.api.v2.schemas.backfills_shapes import BackfillPostBody, ReprocessBehavior
from gnomon.changes.actions.backfill_changes import EFFECTS, SlotPreview, preview_slots
from gnomon.changes.actions.schedule_previews import build_dag_schedule, list_skipped_days
from gnomon.model.backfills import ALREADY_EXISTS, DEFAULT_MAX_ACTIVE_RUNS, TO_REPROCESS
from gnomon.model.instants import moment, to_datetime
from gnomon.model.sentences import Sentence, say

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Backfill"])
SLOTS_MAX = 1_000
"""The most slots of a preview; all of them are counted."""
_SLOTS = RequestSlots("previews of backfills", 4)
_REASONS = {TO_REPROCESS: "backfill_runs_it_again", ALREADY_EXISTS: "backfill_leaves_it"}
"""The codes of why a run that has ended is run again, or not."""


class BackfillRangeBody(Body):
    """A backfill of the DAG; the fields are those of `POST /api/v2/backfills`."""

    from_date: dt.datetime
    to_date: dt.datetime
    run_backwards: bool = False
    dag_run_conf: dict[str, object] | None = None
    reprocess_behavior: ReprocessBehavior = ReprocessBehavior.NONE
    max_active_runs: int = DEFAULT_MAX_ACTIVE_RUNS


class BackfillSlotAnswer(Answer):
    """A slot of the range."""

    run_id: str
    """Of its run, or of the run that would be created."""
    run_after: dt.datetime
    logical_date: dt.datetime | None
    data_interval_start: dt.datetime | None
    data_interval_end: dt.datetime | None
    partition_key: str | None
    state: str | None
    """The state of its run; null without one."""
    effect: str
    """`create`, `leave` or `run again`."""
    reason: str


class DayWithoutSlotAnswer(Answer):
    """A day of the range on which the calendar of the schedule prevents a slot."""

    day: dt.date
    reason: str


class BackfillPreviewAnswer(SpannedAnswer):
    """The slots of the range in the order in which they would run."""

    counts: dict[str, int]
    """The number of slots by effect."""
    slots: list[BackfillSlotAnswer]
    """At most 1,000 of them."""
    has_more: bool
    """An author's timetable has more slots than were looked at."""
    days_off: list[DayWithoutSlotAnswer]
    notes: list[str]


@router.post("/backfillPreview", dependencies=[requires(Permission.CREATE, ApiResource.BACKFILL), _SLOTS.require()])
def preview_backfill(dag_id: Id, body: BackfillRangeBody, context: Context, user: CurrentUser) -> BackfillPreviewAnswer:
    """What a backfill would do with each slot of the range, and why. Nothing is changed."""
    refuse_wildcard("dag_id", dag_id)
    request, slots = check_backfill_body(context, user, BackfillPostBody(dag_id=dag_id, **body.model_dump()))
    with context.database.read() as tx:
        previews = preview_slots(tx, request, slots)
    days_off = list_skipped_days(
        build_dag_schedule(request.dag, None), context.clock, request.from_at, request.to_at + 1, SLOTS_MAX
    )
    counts = dict.fromkeys(EFFECTS.values(), 0)
    for preview in previews:
        counts[EFFECTS[preview.outcome]] += 1
    notes = [say("runs_wait_while_paused", dag=dag_id)] if request.dag.paused else []
    return BackfillPreviewAnswer(
        counts=counts,
        slots=[_build_slot(preview) for preview in previews[:SLOTS_MAX]],
        has_more=slots.has_more,
        days_off=[DayWithoutSlotAnswer(day=day.day, reason=word(day.reason)) for day in days_off],
        notes=list(map(word, notes)),
        spans=map_spans(notes, str),
    )


def _build_slot(preview: SlotPreview) -> BackfillSlotAnswer:
    slot = preview.slot
    return BackfillSlotAnswer(
        run_id=preview.run_id,
        run_after=to_datetime(slot.run_after),
        logical_date=moment(slot.logical_at),
        data_interval_start=moment(slot.interval_start),
        data_interval_end=moment(slot.interval_end),
        partition_key=slot.partition_key,
        state=None if preview.state is None else preview.state.value,
        effect=EFFECTS[preview.outcome],
        reason=word(_explain_outcome(preview)),
    )


def _explain_outcome(preview: SlotPreview) -> Sentence:
    if preview.outcome in _REASONS:
        return say(_REASONS[preview.outcome], state=str(preview.state))
    return say("slot_gets_run") if preview.outcome is None else say("unfinished_run_stays")
