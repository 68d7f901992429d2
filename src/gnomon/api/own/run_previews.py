"""What a run by hand would be: nothing is created."""

from __future__ import annotations

import datetime as dt

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.dag_runs import read_new_run
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.api.v2.schemas.dag_runs_shapes import TriggerDAGRunPostBody
from gnomon.changes.actions.manual_runs import RunPreview, preview_run
from gnomon.model.instants import Instant, iso, moment, to_datetime

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Preview"])
_SLOTS = RequestSlots("previews of runs", 8)


class RunPreviewAnswer(Answer):
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
    found = preview_run(context.act_as(user), context.database, read_new_run(dag_id, body))
    plan = found.plan
    slot = plan.manual_slot.slot
    return RunPreviewAnswer(
        dag_id=dag_id,
        dag_run_id=plan.run_id,
        logical_date=moment(plan.manual_slot.logical_at),
        data_interval_start=moment(plan.interval[0]),
        data_interval_end=moment(plan.interval[1]),
        run_after=to_datetime(plan.run_after),
        slot=None if slot is None else to_datetime(slot.run_after),
        taken_by=found.taken_by,
        conf_faults=found.conf_faults,
        notes=_list_notes(found, context.clock.now()),
    )


def _list_notes(found: RunPreview, now: Instant) -> list[str]:
    dag = found.dag
    notes = []
    if dag.paused:
        notes.append(f"DAG {dag.dag_id} is paused: the run is created and waits until the DAG is unpaused")
    if found.unfinished >= dag.spec.max_active_runs:
        runs = "1 unfinished run" if found.unfinished == 1 else f"{found.unfinished} unfinished runs"
        notes.append(
            f"the DAG has {runs}, and max_active_runs is {dag.spec.max_active_runs}: the run waits for the end of one"
        )
    if found.plan.run_after > now:
        notes.append(f"the run waits until {iso(found.plan.run_after)}")
    if found.plan.manual_slot.doubt is not None:
        notes.append(f"whether the schedule has a slot at that time is not known: {found.plan.manual_slot.doubt}")
    return notes
