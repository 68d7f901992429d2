"""Clearing several runs of one DAG, or of several DAGs, in one request."""

from __future__ import annotations

from datetime import datetime

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import ALL, Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.dag_run_changes import check_clear_body, clear_run, show_clear
from gnomon.api.v2.dag_runs import read_run
from gnomon.api.v2.lookup import find_dag_and_run
from gnomon.api.v2.schemas.dag_runs_shapes import BulkDAGRunBody, BulkDAGRunClearBody, DAGRunCollectionResponse
from gnomon.api.v2.schemas.task_instances_shapes import (
    ClearTaskInstanceCollectionResponse,
    NewTaskResponse,
    TaskInstanceResponse,
)
from gnomon.model.accounts import Role
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.model.spec import DagSpec
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.neighbour_runs import RUNS_MAX
from gnomon.rules.timetables.wall_clock.zones import zone_of
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.run_pages import read_run_page

router = OperationRouter(prefix="/dags/{dag_id}", tags=["DagRun"])
_NamedRun = tuple[str, str]
"""dag_id and run_id."""


@router.post("/clearDagRuns", dependencies=[requires(Permission.EDIT, ApiResource.DAG_RUN)])
def clear_dag_runs(
    dag_id: Id, body: BulkDAGRunClearBody, context: Context, user: CurrentUser
) -> ClearTaskInstanceCollectionResponse | DAGRunCollectionResponse:
    """Run the tasks of several runs again; with `dry_run`, which is the default, only show which.

    The runs are named in `dag_runs`, or are those of a partition key or of a window of partition dates. A run that is refused ends the request:
    the runs before it are cleared.
    """
    check_clear_body(body)
    _check_selection(body)
    named = _list_named(dag_id, body.dag_runs)
    with context.database.read() as tx:
        if not named:
            named = _list_of_partitions(tx, dag_id, body)
        if len(named) > RUNS_MAX:
            raise Refusal(400, say("too_many_runs_to_clear", most=RUNS_MAX))
        for run_dag_id, run_id in named:
            require_role(context, tx, user, run_dag_id, Role.USER)
            find_dag_and_run(tx, run_dag_id, run_id)
    if body.dry_run:
        return _show(context, user, named, body)
    return _clear(context, user, named, body)


def _show(
    context: ApiContext, user: User, named: list[_NamedRun], body: BulkDAGRunClearBody
) -> ClearTaskInstanceCollectionResponse:
    answers: list[TaskInstanceResponse | NewTaskResponse] = []
    for dag_id, run_id in named:
        answers += show_clear(context, user, dag_id, run_id, body)
    return ClearTaskInstanceCollectionResponse(task_instances=answers, total_entries=len(answers))


def _clear(
    context: ApiContext, user: User, named: list[_NamedRun], body: BulkDAGRunClearBody
) -> DAGRunCollectionResponse:
    for dag_id, run_id in named:
        clear_run(context, user, dag_id, run_id, body)
    runs = [read_run(context, dag_id, run_id) for dag_id, run_id in named]
    return DAGRunCollectionResponse(dag_runs=runs, total_entries=len(runs))


def _check_selection(body: BulkDAGRunClearBody) -> None:
    """Raise Refusal (422) unless the body selects runs in exactly one way."""
    has_window = body.partition_date_start is not None or body.partition_date_end is not None
    if [bool(body.dag_runs), body.partition_key is not None, has_window].count(True) != 1:
        raise Refusal(422, say("runs_to_clear_are_not_chosen"))
    if body.only_new and body.only_failed:
        raise Refusal(422, say("only_new_excludes_only_failed"))


def _list_named(path_dag_id: str, entities: list[BulkDAGRunBody]) -> list[_NamedRun]:
    """The runs of the body, each once. Raises Refusal (400) for one without a DAG, or of another DAG than the path."""
    named: dict[_NamedRun, None] = {}
    for entity in entities:
        dag_id = entity.dag_id or path_dag_id
        if dag_id == ALL or path_dag_id not in (ALL, dag_id):
            raise Refusal(400, say("run_of_body_has_no_dag", text=entity.dag_run_id))
        named[dag_id, entity.dag_run_id] = None
    return list(named)


def _read_date(spec: DagSpec, date: datetime) -> Instant:
    """The instant of a date; one without an offset is in the time zone of the DAG."""
    return read_instant(date if date.tzinfo is not None else date.replace(tzinfo=zone_of(spec.timezone)))


def _list_of_partitions(tx: Transaction, dag_id: str, body: BulkDAGRunClearBody) -> list[_NamedRun]:
    """The runs of a partition key or of a window of partition dates, the oldest partition first."""
    if dag_id == ALL:
        raise Refusal(400, say("partition_needs_dag"))
    dag = find_dag(tx, dag_id)
    conditions = [Condition("dag_pk", Operator.EQUAL, dag.dag_pk)]
    if body.partition_key is not None:
        conditions.append(Condition("partition_key", Operator.EQUAL, body.partition_key))
    else:
        bounds = ((Operator.AT_LEAST, body.partition_date_start), (Operator.AT_MOST, body.partition_date_end))
        conditions += [
            Condition("partition_date", operator, _read_date(dag.spec, date))
            for operator, date in bounds
            if date is not None
        ]
    page = read_run_page(tx, PageQuery(tuple(conditions), (SortKey("partition_date"), SortKey("id")), RUNS_MAX + 1))
    return [(dag_id, listed.run.run_id) for listed in page.runs]
