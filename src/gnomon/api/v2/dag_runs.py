"""Runs: lists, one run, creating one, and reading batches. `dag_run_changes.py` has what changes a run, `dag_run_wait.py` the wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from fastapi import Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import FilterField, build_conditions, read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import Ordering, parse_order
from gnomon.api.common.paging import (
    Cursors,
    PageParameters,
    TotalEntries,
    build_cursors,
    check_sorted,
    count_entries,
    decode_cursor,
    find_count_limit,
)
from gnomon.api.common.paths import ALL, Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.conversions import build_dag_run
from gnomon.api.v2.lookup import find_display_names, find_stored_dag, refuse_wildcard
from gnomon.api.v2.run_filters import (
    NO_FILTERS,
    RUN_FIELDS,
    RUN_KEY,
    RUN_ORDER,
    RUN_ORDERS_WITH_INDEX,
    RunFilters,
    read_run_state,
)
from gnomon.api.v2.schemas.assets_shapes import MaterializeAssetBody
from gnomon.api.v2.schemas.dag_runs_shapes import (
    DAGRunCollectionResponse,
    DAGRunResponse,
    DAGRunsBatchBody,
    TriggerDAGRunPostBody,
)
from gnomon.changes.actions.manual_runs import NewRun, create_run
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.model.states import DagRunType
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.dag_records.notes import read_notes
from gnomon.storage.store.pages.page_query import SORTED_MAX, Condition, Operator, PageQuery, Position
from gnomon.storage.store.pages.run_conditions import resolve_dags, tally_conditions
from gnomon.storage.store.pages.run_pages import (
    CREATORS_SEARCHED_MAX,
    RUNS_SEARCHED_MAX,
    ListedRun,
    RunPage,
    count_runs,
    find_end_of_run_search,
    read_run_page,
)
from gnomon.storage.store.pages.time_bounds import bound_runs

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns", tags=["DagRun"])
_READ = requires(Permission.READ, ApiResource.DAG_RUN)


@router.get("", dependencies=[_READ])
def get_dag_runs(
    dag_id: Id, filters: Annotated[RunFilters, Query()], context: Context, user: CurrentUser
) -> DAGRunCollectionResponse:
    """Runs of one DAG, or with `~` of all. With `cursor` (empty for the first page) in pages that stay right while runs are added."""
    return list_dag_runs(context, user, dag_id, filters)


def list_dag_runs(
    context: ApiContext,
    user: User,
    dag_id: str,
    filters: RunFilters,
    find_more: Callable[[Transaction], Sequence[Condition]] = lambda _: (),
) -> DAGRunCollectionResponse:
    """The page of runs that meet the filters, and the conditions that `find_more` gives."""
    if filters.consuming_asset_pattern is not None:
        raise ApiUnsupported(say("runs_have_no_filter_by_assets"))
    if filters.conf_contains is not None:
        raise ApiUnsupported(say("runs_have_no_filter_by_conf"))
    order = parse_order(filters.order_by, RUN_ORDER, "id", RUN_KEY)
    conditions = build_conditions(filters, RUN_FIELDS, NO_FILTERS)
    if filters.bundle_version is not None:
        conditions.append(Condition("bundle_version", Operator.EQUAL, filters.bundle_version))
    position = None if filters.cursor is None else decode_cursor(filters.cursor, order.keys, order.fields)
    with context.database.read() as tx:
        if dag_id != ALL:
            conditions.append(Condition("dag_pk", Operator.EQUAL, find_stored_dag(tx, dag_id).dag_pk))
        else:
            conditions += VisibleDags(context, tx, user).list_conditions()
        conditions += find_more(tx)
        run_page = _read_page(tx, conditions, order, filters, position)
        page, total = run_page.page, run_page.total
        runs = build_runs(context, tx, page.runs)
    cursors = Cursors(None, None)
    if filters.cursor is not None:
        cursors = build_cursors(order.keys, position, page.keys, has_more=page.has_more)
    return DAGRunCollectionResponse(
        dag_runs=runs,
        total_entries=total.total,
        total_entries_limit=total.limit,
        next_cursor=cursors.after,
        previous_cursor=cursors.before,
    )


@router.post("", dependencies=[requires(Permission.CREATE, ApiResource.DAG_RUN)])
def trigger_dag_run(dag_id: Id, body: TriggerDAGRunPostBody, context: Context, user: CurrentUser) -> DAGRunResponse:
    """Create a run. Without dates the DAG's timetable infers them."""
    refuse_wildcard("dag_id", dag_id)
    new = read_new_run(dag_id, body)
    created = create_run(context.act_as(user), context.database, new)
    with context.database.read() as tx:
        return _build_run(context, tx, created.run.run_pk)


def read_new_run(
    dag_id: str, body: MaterializeAssetBody | TriggerDAGRunPostBody, run_type: DagRunType = DagRunType.MANUAL
) -> NewRun:
    """The run that the body describes. Raises Refusal (422) for half a data interval."""
    if (body.data_interval_start is None) != (body.data_interval_end is None):
        raise Refusal(422, say("half_interval_is_given"))
    return NewRun(
        dag_id=dag_id,
        run_id=body.dag_run_id,
        logical_at=_read(body.logical_date),
        run_after=_read(body.run_after),
        conf=body.conf or {},
        interval=_read_interval(body),
        partition_key=body.partition_key,
        run_type=run_type,
        note=body.note,
    )


@router.post("/list", dependencies=[_READ])
def get_list_dag_runs_batch(
    dag_id: Id, body: DAGRunsBatchBody, context: Context, user: CurrentUser
) -> DAGRunCollectionResponse:
    """Runs of several DAGs; the filters are in the body."""
    if dag_id != ALL:
        raise Refusal(422, say("dags_are_named_in_body"))
    if body.conf_contains is not None:
        raise ApiUnsupported(say("runs_have_no_filter_by_conf"))
    if body.page_offset < 0 or body.page_limit < 0:
        raise Refusal(422, say("page_is_negative"))
    ignored = ("order_by", "page_offset", "page_limit", "conf_contains")
    order = parse_order([body.order_by] if body.order_by else [], RUN_ORDER, "id", RUN_KEY)
    page_of_body = PageParameters(limit=body.page_limit, offset=body.page_offset)
    conditions = build_conditions(body, _BATCH_FIELDS, ignored)
    with context.database.read() as tx:
        conditions += VisibleDags(context, tx, user).list_conditions()
        run_page = _read_page(tx, conditions, order, page_of_body, None)
        total = run_page.total
        runs = build_runs(context, tx, run_page.page.runs)
    return DAGRunCollectionResponse(dag_runs=runs, total_entries=total.total, total_entries_limit=total.limit)


@router.get("/{dag_run_id}", dependencies=[_READ])
def get_dag_run(dag_id: Id, dag_run_id: Id, context: Context) -> DAGRunResponse:
    """One run."""
    return read_run(context, dag_id, dag_run_id)


def read_run(context: ApiContext, dag_id: str, run_id: str) -> DAGRunResponse:
    """The run as the API shows it. Raises NameNotFound."""
    with context.database.read() as tx:
        run = dag_runs.find_stored_run(tx, dag_id, run_id)
        if run is None:
            find_run(tx, find_dag(tx, dag_id), run_id)
            raise AssertionError("find_run raises for a run that does not exist")
        return _build_run(context, tx, run.run_pk)


def _build_run(context: ApiContext, tx: Transaction, run_pk: int) -> DAGRunResponse:
    page = read_run_page(tx, PageQuery((Condition("id", Operator.EQUAL, run_pk),), _ONE_RUN, limit=1))
    return build_runs(context, tx, page.runs)[0]


def build_runs(context: ApiContext, tx: Transaction, runs: Sequence[ListedRun]) -> list[DAGRunResponse]:
    """The runs as the API shows them."""
    names = find_display_names(context, tx, (listed.dag_id for listed in runs))
    notes = read_notes(tx, [listed.run.run_pk for listed in runs])
    return [
        build_dag_run(listed, names.get(listed.dag_id, listed.dag_id), notes.find_run_note(listed.run.run_pk))
        for listed in runs
    ]


_ONE_RUN = parse_order([], RUN_ORDER, "id", RUN_KEY).keys
_TIMES = frozenset({"run_after", "logical_date", "start_date", "end_date", "updated_at", "partition_date"})
_BATCH_FIELDS = {
    **RUN_FIELDS,
    "dag_ids": RUN_FIELDS["dag_id"],
    "states": FilterField("state", lambda state: None if state is None else read_run_state(state.value)),
}


@dataclass(frozen=True, slots=True)
class _PageOfRuns:
    page: RunPage
    total: TotalEntries


def _read_page(
    tx: Transaction, conditions: Sequence[Condition], order: Ordering, page: PageParameters, position: Position | None
) -> _PageOfRuns:
    """The page and the number of all entries: from the tallies where the conditions are only about the DAG and the state; else counted up to a number."""
    resolved = resolve_dags(tx, conditions)
    query = PageQuery(tuple(resolved), order.keys, page.size, page.offset)
    end = find_end_of_run_search(tx, query)
    tallied = tally_conditions(tx, [*resolved, *([] if end is None else [end])], order.keys)
    total = (
        TotalEntries(tallied.total)
        if tallied.total is not None
        else count_entries(
            lambda most: count_runs(tx, tallied.conditions, most),
            page.offset,
            page.size,
            most=SORTED_MAX
            if end is None and _has_range(conditions)
            else find_count_limit(order, RUN_ORDERS_WITH_INDEX),
        )
    )
    if not any((condition.field, condition.operator) == ("dag_pk", Operator.EQUAL) for condition in conditions):
        check_sorted(total, order, RUN_ORDERS_WITH_INDEX, "runs")
    is_short = not tallied.is_ordered and (
        tallied.is_short
        or (end is None and tallied.total is None and total.limit is None and total.total <= SORTED_MAX)
    )
    if end is not None and position is not None:
        end = find_end_of_run_search(tx, replace(query, position=position))
        tallied = tally_conditions(tx, [*resolved, *([] if end is None else [end])], order.keys)
    read = list(tallied.conditions if is_short or tallied.in_order is None else tallied.in_order)
    if total.total and not is_short and not tallied.is_ordered:
        bounded = bound_runs(tx, read, order.keys, is_continued=position is not None)
        read, is_short = list(bounded.conditions), bounded.is_short
    run_page = (
        read_run_page(
            tx, replace(query, conditions=tuple(read), order=tallied.order, position=position, is_short=is_short)
        )
        if total.total
        else RunPage([], [], has_more=False)
    )
    if end is not None:
        if len(run_page.runs) < page.size:
            raise _refuse_rare()
        total = replace(total, limit=total.limit or total.total)
    return _PageOfRuns(run_page, total)


def _refuse_rare() -> Refusal:
    return Refusal(400, say("too_many_runs_are_searched", most=RUNS_SEARCHED_MAX, total=CREATORS_SEARCHED_MAX))


def _has_range(conditions: Sequence[Condition]) -> bool:
    """Whether an index finds the runs of a range of times, which may be few."""
    return any(
        condition.field in _TIMES and condition.operator in (Operator.AT_LEAST, Operator.MORE)
        for condition in conditions
    )


def _read(value: datetime | None) -> Instant | None:
    return None if value is None else read_instant(value)


def _read_interval(body: MaterializeAssetBody | TriggerDAGRunPostBody) -> tuple[Instant, Instant] | None:
    if body.data_interval_start is None or body.data_interval_end is None:
        return None
    return read_instant(body.data_interval_start), read_instant(body.data_interval_end)
