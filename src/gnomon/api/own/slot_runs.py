"""The runs in the slots of several DAGs in a window: the states beside the lines of `GET /dependencies/day`."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from fastapi import Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.model.instants import SECOND, Instant, moment, to_datetime
from gnomon.model.sentences import say
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records.upstream_dags import UpstreamDag, find_upstream_dag, list_runs_in_slots

router = OperationRouter(prefix="/dependencies", tags=["Dependency"])
DAGS_MAX = 50
"""The most DAGs of one request."""
RUNS_MAX = 1_600
"""The most runs of a DAG in an answer: those of a day with one each minute, and of an hour more."""
WINDOW_MAX = 40 * 86_400 * SECOND


class SlotRunAnswer(Answer):
    """A run in a slot: one that the schedule made, or a manual one that has the place of one."""

    slot: dt.datetime
    run_id: str
    state: str


class SlotRunsOfDagAnswer(Answer):
    """The runs of one DAG."""

    dag_id: str
    paused: bool
    active: bool
    """False: no file defines the DAG any more."""
    decided_until: dt.datetime | None
    """A slot before this instant that has no run will not get one, but from a backfill. None: no slot was planned yet."""
    runs: list[SlotRunAnswer]
    complete: bool
    """False: only the first 1,600 runs are in the answer."""


class SlotRunsAnswer(Answer):
    """The runs of each DAG; a DAG that does not exist has no entry."""

    dags: list[SlotRunsOfDagAnswer]


@router.get("/slotRuns", dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)])
def get_slot_runs(
    dag_id: Annotated[list[str], Query(min_length=1, max_length=DAGS_MAX)],
    context: Context,
    user: CurrentUser,
    start: Annotated[dt.datetime, Query(alias="from")],
    end: Annotated[dt.datetime, Query(alias="to")],
) -> SlotRunsAnswer:
    """The runs in the slots of these DAGs from `from` to before `to`, at most 40 days. A DAG that the user may not see has no entry either."""
    first, last = read_instant(start), read_instant(end)
    if not first < last <= first + WINDOW_MAX:
        raise Refusal(422, say("range_of_days_is_wrong"))
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        chosen_dags = [
            dag
            for requested_id in dict.fromkeys(dag_id)
            if requested_id in visible and (dag := find_upstream_dag(tx, requested_id)) is not None
        ]
        return SlotRunsAnswer(dags=[_build(tx, dag, first, last) for dag in chosen_dags])


def _build(tx: Transaction, dag: UpstreamDag, first: Instant, last: Instant) -> SlotRunsOfDagAnswer:
    runs = list_runs_in_slots(tx, dag.dag_pk, first, last, RUNS_MAX + 1)
    return SlotRunsOfDagAnswer(
        dag_id=dag.dag_id,
        paused=dag.paused,
        active=dag.active,
        decided_until=moment(dag.decided_until),
        complete=len(runs) <= RUNS_MAX,
        runs=[
            SlotRunAnswer(slot=to_datetime(at), run_id=run_id, state=state.value)
            for at, run_id, state in runs[:RUNS_MAX]
        ],
    )
