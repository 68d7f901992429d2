"""Lists of runs and of task instances, as those of `/api/v2`, with filters that are negated and with the timetable of the DAG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import ALL, Id
from gnomon.api.context import ApiContext, Context
from gnomon.api.own.dag_conditions import find_timetable_type
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.dag_runs import list_dag_runs
from gnomon.api.v2.run_filters import RunFilters
from gnomon.api.v2.schemas.dag_runs_shapes import DAGRunCollectionResponse, DAGRunResponse
from gnomon.api.v2.schemas.task_instances_shapes import TaskInstanceCollectionResponse
from gnomon.api.v2.task_instance_filters import TaskInstanceFilters
from gnomon.api.v2.task_instances import list_task_instances
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.states import UNFINISHED_RUN_STATES
from gnomon.queries.report.activity.run_lateness import Lateness, find_late_runs, find_late_since
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records.dag_runs import find_stored_run
from gnomon.storage.store.pages.page_query import Condition, Operator

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Run"])


class NegatedRunFilters(RunFilters):
    """The filters on runs of `/api/v2`, and their opposites."""

    dag_id_not_pattern: str | None = None
    run_id_not_pattern: str | None = None
    timetable_type: list[str] = Field([])
    """Class names of timetables, of which the newest version of the DAG has one."""
    timetable_type_not: list[str] = Field([])
    late: bool | None = None
    """True: only runs that have not started 10 seconds after they were due, or run longer than 95 of 100 runs of their DAG; false: the others."""


class NegatedTaskFilters(TaskInstanceFilters):
    """The filters on task instances of `/api/v2`, and their opposites."""

    dag_id_not_pattern: str | None = None
    run_id_not_pattern: str | None = None
    task_id_not: list[str] = Field([])
    pool_not: list[str] = Field([])
    operator_not: list[str] = Field([])
    queue_not: list[str] = Field([])
    map_index_not: list[int] = Field([])


class ListedRunAnswer(DAGRunResponse):
    """A run of `/api/v2`, and since when it is late."""

    late_since: datetime | None = None
    """When it should have started or ended; null for a run that is not late. With the filter `late`, of more than 5,000 unfinished runs the newest are looked at."""


class RunListAnswer(DAGRunCollectionResponse):
    """A page of runs."""

    dag_runs: list[ListedRunAnswer]  # type: ignore[assignment]


class TaskInstanceListAnswer(TaskInstanceCollectionResponse):
    """A page of task instances."""

    searched_until: datetime | None = None
    """A search that no index serves ended before the page was full: when the last run that it has come to was due. `next_cursor` goes on from there."""


@router.get("/dagRuns", dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)])
def get_dag_runs(
    dag_id: Id, filters: Annotated[NegatedRunFilters, Query()], context: Context, user: CurrentUser
) -> RunListAnswer:
    """Runs of one DAG, or with `~` of all."""
    late: dict[tuple[str, str], Lateness] = {}

    def choose(tx: Transaction) -> list[Condition]:
        if filters.late is not None:
            late.update(find_late_runs(tx, context.clock.now(), context.work_facts.find()))
        return [
            *_choose_timetables(context, tx, filters.timetable_type, filters.timetable_type_not),
            *_choose_late(late, filters.late),
        ]

    page = list_dag_runs(context, user, dag_id, filters, choose)
    since = (
        _find_late_since(context, page.dag_runs)
        if filters.late is None
        else {key: lateness.since for key, lateness in late.items()}
    )
    runs = [
        ListedRunAnswer(**dict(run), late_since=_show(since.get((run.dag_id, run.dag_run_id)))) for run in page.dag_runs
    ]
    return RunListAnswer(**{**dict(page), "dag_runs": runs})


def _find_late_since(context: ApiContext, listed: Sequence[DAGRunResponse]) -> dict[tuple[str, str], Instant]:
    """By DAG id and run id, since when those of the listed runs are late that are."""
    since: dict[tuple[str, str], Instant] = {}
    unfinished = [run for run in listed if run.state in UNFINISHED_RUN_STATES]
    if unfinished:
        now, facts = context.clock.now(), context.work_facts.find()
        with context.database.read() as tx:
            for run_answer in unfinished:
                run = find_stored_run(tx, run_answer.dag_id, run_answer.dag_run_id)
                at = None if run is None or run.ended_at is not None else find_late_since(tx, run, now, facts)
                if at is not None:
                    since[run_answer.dag_id, run_answer.dag_run_id] = at
    return since


@router.get("/taskInstances", dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_task_instances(
    dag_id: Id, filters: Annotated[NegatedTaskFilters, Query()], context: Context, user: CurrentUser
) -> TaskInstanceListAnswer:
    """Task instances of all runs of one DAG, or with `~` of all DAGs, that have or had a state."""
    collection, searched_until = list_task_instances(
        context, user, dag_id, ALL, filters, may_end_early=filters.cursor is not None
    )
    return TaskInstanceListAnswer(**dict(collection), searched_until=_show(searched_until))


def _show(instant: Instant | None) -> datetime | None:
    return None if instant is None else to_datetime(instant)


def _choose_late(late: Mapping[tuple[str, str], Lateness], is_late: bool | None) -> list[Condition]:
    keys = sorted(lateness.run_pk for lateness in late.values())
    if is_late is None or (not is_late and not keys):
        return []
    return [Condition("id", Operator.IN if is_late else Operator.NOT_IN, keys)]


def _choose_timetables(
    context: ApiContext, tx: Transaction, wanted_types: list[str], unwanted: list[str]
) -> list[Condition]:
    if not wanted_types and not unwanted:
        return []
    types = {dag_pk: find_timetable_type(facts) for dag_pk, facts in context.facts.find_all(tx).by_dag.items()}
    chosen = [
        dag_pk
        for dag_pk, timetable_type in types.items()
        if (not wanted_types or timetable_type in wanted_types) and timetable_type not in unwanted
    ]
    return [Condition("dag_pk", Operator.IN, chosen)]
