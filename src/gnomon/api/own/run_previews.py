"""What a run by hand would be: nothing is created."""

from __future__ import annotations

import datetime as dt

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.sentence_answers import SpannedAnswer, map_spans
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.dag_runs import read_new_run
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.api.v2.schemas.dag_runs_shapes import TriggerDAGRunPostBody
from gnomon.changes.actions.manual_runs import RunPreview, preview_run
from gnomon.model.instants import Instant, moment, to_datetime
from gnomon.model.sentences import Sentence, say

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Preview"])
_SLOTS = RequestSlots("previews of runs", 8)


class RunPreviewAnswer(SpannedAnswer):
    """A run that `POST /api/v2/dags/{dag_id}/dagRuns` with the same body would create."""

    dag_id: str
    dag_run_id: str
    logical_date: dt.datetime | None
    data_interval_start: dt.datetime | None
    data_interval_end: dt.datetime | None
    run_after: dt.datetime
    slot: dt.datetime | None
    """The due time of the slot of the schedule that the run takes the place of."""
    taken_by: str | None
    """The run that has this run id or this logical date already: the run would be refused."""
    conf_faults: dict[str, str]
    """By name of the param: why the conf does not fit it; the run would be refused."""
    notes: list[str]
    """What would keep the run waiting, and what cannot be told."""


@router.post("/runPreview", dependencies=[requires(Permission.CREATE, ApiResource.DAG_RUN), _SLOTS.require()])
def preview_dag_run(dag_id: Id, body: TriggerDAGRunPostBody, context: Context, user: CurrentUser) -> RunPreviewAnswer:
    """The run with the data interval that the timetable of the DAG infers now."""
    refuse_wildcard("dag_id", dag_id)
    preview = preview_run(context.act_as(user), context.database, read_new_run(dag_id, body))
    plan = preview.plan
    slot, notes = plan.manual_slot.slot, _list_notes(preview, context.clock.now())
    return RunPreviewAnswer(
        dag_id=dag_id,
        dag_run_id=plan.run_id,
        logical_date=moment(plan.manual_slot.logical_at),
        data_interval_start=moment(plan.interval[0]),
        data_interval_end=moment(plan.interval[1]),
        run_after=to_datetime(plan.run_after),
        slot=None if slot is None else to_datetime(slot.run_after),
        taken_by=preview.taken_by,
        conf_faults=preview.conf_faults,
        notes=list(map(word, notes)),
        spans=map_spans(notes, str),
    )


def _list_notes(preview: RunPreview, now: Instant) -> list[Sentence]:
    dag = preview.dag
    notes = []
    if dag.paused:
        notes.append(say("run_waits_while_paused", dag=dag.dag_id))
    if preview.unfinished >= dag.spec.max_active_runs:
        runs = say("unfinished_runs", count=preview.unfinished)
        notes.append(say("run_waits_for_another", runs=runs, runs_limit=dag.spec.max_active_runs))
    if preview.plan.run_after > now:
        notes.append(say("run_waits_until", until=preview.plan.run_after))
    if preview.plan.manual_slot.doubt is not None:
        notes.append(say("slot_is_not_known", error=preview.plan.manual_slot.doubt))
    return notes
