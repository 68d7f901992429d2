"""Task instances: lists of a run or of several, one instance, its tries, and why it does not run."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import FilterField, build_conditions
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import Ordering, parse_order
from gnomon.api.common.paging import Cursors, PageParameters, build_cursors, decode_cursor, encode_cursor
from gnomon.api.common.paths import ALL, Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.lookup import refuse_try
from gnomon.api.v2.run_filters import RUN_FIELDS
from gnomon.api.v2.schemas.task_instances_shapes import (
    TaskDependencyCollectionResponse,
    TaskDependencyResponse,
    TaskInstanceCollectionResponse,
    TaskInstanceHistoryCollectionResponse,
    TaskInstanceHistoryResponse,
    TaskInstanceResponse,
    TaskInstancesBatchBody,
)
from gnomon.api.v2.task_instance_answers import build_history
from gnomon.api.v2.task_instance_filters import (
    NO_FILTERS,
    ONLY_IN_SPECS,
    TASK_INSTANCE_FIELDS,
    TASK_INSTANCE_KEY,
    TASK_INSTANCE_ORDER,
    MappedInstanceFilters,
    TaskInstanceFilters,
    read_task_state,
)
from gnomon.api.v2.task_instance_reader import RunInstances, read_instances_of_several_runs
from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instants import Instant
from gnomon.model.sentences import TaskName, say
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.queries.report.explanations.engine_state_reading import build_limits
from gnomon.queries.report.explanations.task_explanation import explain_task
from gnomon.queries.report.listings.task_instance_details import list_tries
from gnomon.storage.store.dag_records.rendered_fields import read_rendered_fields
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, Position

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", tags=["Task Instance"])
_READ = requires(Permission.READ, ApiResource.TASK_INSTANCE)
MapIndex = Annotated[int, Query()]


@router.get("", dependencies=[_READ])
def get_task_instances(
    dag_id: Id, dag_run_id: Id, filters: Annotated[TaskInstanceFilters, Query()], context: Context, user: CurrentUser
) -> TaskInstanceCollectionResponse:
    """Task instances of a run; with `~` for the run or the DAG those of several runs that have or had a state."""
    return list_task_instances(context, user, dag_id, dag_run_id, filters)[0]


def list_task_instances(
    context: ApiContext,
    user: User,
    dag_id: str,
    dag_run_id: str,
    filters: TaskInstanceFilters,
    *,
    may_end_early: bool = False,
) -> tuple[TaskInstanceCollectionResponse, Instant | None]:
    """The page of task instances that meet the filters; with `may_end_early`, when the last run was due to which a long search has come."""
    conditions = build_conditions(filters, TASK_INSTANCE_FIELDS, NO_FILTERS)
    default = "map_index" if ALL not in (dag_id, dag_run_id) else "id"
    order = parse_order(filters.order_by, TASK_INSTANCE_ORDER, default, TASK_INSTANCE_KEY)
    position = None if filters.cursor is None else decode_cursor(filters.cursor, order.keys, order.fields)
    return _read_list(
        context,
        user,
        dag_id,
        dag_run_id,
        conditions,
        order,
        filters,
        position,
        has_cursors=filters.cursor is not None,
        may_end_early=may_end_early,
    )


@router.post("/list", dependencies=[_READ])
def get_task_instances_batch(
    dag_id: Id, dag_run_id: Id, body: TaskInstancesBatchBody, context: Context, user: CurrentUser
) -> TaskInstanceCollectionResponse:
    """Task instances of several runs; the filters are in the body."""
    if (dag_id, dag_run_id) != (ALL, ALL):
        raise Refusal(422, say("dags_and_runs_are_named_in_body"))
    if body.page_offset < 0 or body.page_limit < 0:
        raise Refusal(422, say("page_is_negative"))
    conditions = build_conditions(body, _BATCH_FIELDS, ("page_offset", "page_limit", "order_by"))
    order = parse_order([body.order_by] if body.order_by else [], TASK_INSTANCE_ORDER, "id", TASK_INSTANCE_KEY)
    page = PageParameters(limit=body.page_limit, offset=body.page_offset)
    return _read_list(context, user, ALL, ALL, conditions, order, page, None, has_cursors=False)[0]


_BATCH_FIELDS = {
    **TASK_INSTANCE_FIELDS,
    "dag_ids": RUN_FIELDS["dag_id"],
    "dag_run_ids": RUN_FIELDS["run_id"],
    "task_ids": TASK_INSTANCE_FIELDS["task_id"],
    "state": FilterField("state", lambda state: read_task_state("none" if state is None else state.value)),
}


@router.get("/{task_id}", dependencies=[_READ])
def get_task_instance(dag_id: Id, dag_run_id: Id, task_id: Id, context: Context) -> TaskInstanceResponse:
    """The instance of a task that is not mapped."""
    return _read_one(context, dag_id, dag_run_id, task_id, UNMAPPED)


@router.get("/{task_id}/listMapped", dependencies=[_READ])
def get_mapped_task_instances(
    dag_id: Id, dag_run_id: Id, task_id: Id, filters: Annotated[MappedInstanceFilters, Query()], context: Context
) -> TaskInstanceCollectionResponse:
    """The instances of a mapped task, by map index."""
    conditions = build_conditions(filters, TASK_INSTANCE_FIELDS, NO_FILTERS)
    order = parse_order(filters.order_by, TASK_INSTANCE_ORDER, "map_index", TASK_INSTANCE_KEY)
    with context.database.read() as tx:
        instances = RunInstances(tx, dag_id, dag_run_id, task_id)
        instances.require_mapped(task_id)
        conditions += [Condition("task_id", Operator.EQUAL, task_id), Condition("map_index", Operator.AT_LEAST, 0)]
        page = instances.select(PageQuery(tuple(conditions), order.keys, filters.size, filters.offset))
        return TaskInstanceCollectionResponse(task_instances=instances.build(page.entries), total_entries=page.total)


@router.get("/{task_id}/tries", dependencies=[_READ])
def get_task_instance_tries(
    dag_id: Id, dag_run_id: Id, task_id: Id, context: Context, map_index: MapIndex = UNMAPPED
) -> TaskInstanceHistoryCollectionResponse:
    """The tries of a task instance, the current one last."""
    tries = _read_tries(context, dag_id, dag_run_id, task_id, map_index)
    return TaskInstanceHistoryCollectionResponse(task_instances=tries, total_entries=len(tries))


@router.get("/{task_id}/tries/{task_try_number}", dependencies=[_READ])
def get_task_instance_try_details(
    dag_id: Id, dag_run_id: Id, task_id: Id, task_try_number: int, context: Context, map_index: MapIndex = UNMAPPED
) -> TaskInstanceHistoryResponse:
    """One try of a task instance."""
    return _find_try(context, dag_id, dag_run_id, task_id, map_index, task_try_number)


@router.get("/{task_id}/dependencies", dependencies=[_READ])
def get_task_instance_dependencies(
    dag_id: Id, dag_run_id: Id, task_id: Id, context: Context, user: CurrentUser, map_index: MapIndex = UNMAPPED
) -> TaskDependencyCollectionResponse:
    """Why a task instance that has not ended does not run; empty for one that has ended."""
    with context.database.read() as tx:
        instances = RunInstances(tx, dag_id, dag_run_id, task_id)
        detail = instances.find(task_id, map_index)
        if detail.record is not None and detail.record.state in FINISHED_TASK_STATES:
            return TaskDependencyCollectionResponse(dependencies=[])
        limits = build_limits(context.cfg)
        reasons = explain_task(tx, instances.dag, instances.run, task_id, map_index, limits, context.clock.now()).texts
        hide = build_name_filter(VisibleDags(context, tx, user))
    return TaskDependencyCollectionResponse(
        dependencies=[TaskDependencyResponse(name="Gnomon", reason=hide(reason)) for reason in reasons]
    )


@router.get("/{task_id}/{map_index}/tries", dependencies=[_READ])
def get_mapped_task_instance_tries(
    dag_id: Id, dag_run_id: Id, task_id: Id, map_index: int, context: Context
) -> TaskInstanceHistoryCollectionResponse:
    """The tries of an instance of a mapped task, the current one last."""
    tries = _read_tries(context, dag_id, dag_run_id, task_id, map_index)
    return TaskInstanceHistoryCollectionResponse(task_instances=tries, total_entries=len(tries))


@router.get("/{task_id}/{map_index}/tries/{task_try_number}", dependencies=[_READ])
def get_mapped_task_instance_try_details(
    dag_id: Id, dag_run_id: Id, task_id: Id, map_index: int, task_try_number: int, context: Context
) -> TaskInstanceHistoryResponse:
    """One try of an instance of a mapped task."""
    return _find_try(context, dag_id, dag_run_id, task_id, map_index, task_try_number)


@router.get("/{task_id}/{map_index}/dependencies", dependencies=[_READ])
def get_mapped_task_instance_dependencies(
    dag_id: Id, dag_run_id: Id, task_id: Id, map_index: int, context: Context, user: CurrentUser
) -> TaskDependencyCollectionResponse:
    """Why an instance of a mapped task that has not ended does not run."""
    return get_task_instance_dependencies(dag_id, dag_run_id, task_id, context, user, map_index)


@router.get("/{task_id}/{map_index}", dependencies=[_READ])
def get_mapped_task_instance(
    dag_id: Id, dag_run_id: Id, task_id: Id, map_index: int, context: Context
) -> TaskInstanceResponse:
    """One instance of a mapped task."""
    return _read_one(context, dag_id, dag_run_id, task_id, map_index)


def _read_list(
    context: ApiContext,
    user: User,
    dag_id: str,
    run_id: str,
    conditions: list[Condition],
    order: Ordering,
    page: PageParameters,
    position: Position | None,
    *,
    has_cursors: bool,
    may_end_early: bool = False,
) -> tuple[TaskInstanceCollectionResponse, Instant | None]:
    query = PageQuery(tuple(conditions), order.keys, page.size, page.offset, position)
    selected: Any
    searched_to, searched_until = None, None
    with context.database.read() as tx:
        if ALL in (dag_id, run_id):
            _check_order(order)
            selected = read_instances_of_several_runs(
                context, tx, user, dag_id, run_id, query, order, may_end_early=may_end_early
            )
            answers, total, limit = selected.answers, selected.total.total, selected.total.limit
            searched_to, searched_until = selected.searched_to, selected.searched_until
        else:
            instances = RunInstances(tx, dag_id, run_id)
            selected = instances.select(query)
            answers, total, limit = instances.build(selected.entries), selected.total, None
    cursors = (
        build_cursors(order.keys, position, selected.keys, has_more=selected.has_more)
        if has_cursors
        else Cursors(None, None)
    )
    if searched_to is not None:
        cursors = replace(cursors, after=encode_cursor(order.keys, searched_to, is_before=False))
    collection = TaskInstanceCollectionResponse(
        task_instances=answers,
        total_entries=total,
        total_entries_limit=limit,
        next_cursor=cursors.after,
        previous_cursor=cursors.before,
    )
    return collection, searched_until


def _check_order(order: Ordering) -> None:
    for field in order.fields:
        if field.name in ONLY_IN_SPECS:
            raise ApiUnsupported(say("instances_of_runs_have_no_order", name=field.name))


def _read_one(context: ApiContext, dag_id: str, run_id: str, task_id: str, map_index: int) -> TaskInstanceResponse:
    with context.database.read() as tx:
        instances = RunInstances(tx, dag_id, run_id, task_id)
        detail = instances.find(task_id, map_index)
        fields = read_rendered_fields(tx, TaskKey(instances.run.run_pk, detail.task_no, map_index))
        return instances.build([detail])[0].model_copy(update={"rendered_fields": fields})


def _read_tries(
    context: ApiContext, dag_id: str, run_id: str, task_id: str, map_index: int
) -> list[TaskInstanceHistoryResponse]:
    with context.database.read() as tx:
        instances = RunInstances(tx, dag_id, run_id, task_id)
        detail = instances.find(task_id, map_index)
        return [
            build_history(instances.listed, instances.display_name, detail, task_try, instances.lookups)
            for task_try in list_tries(tx, detail)
        ]


def _find_try(
    context: ApiContext, dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int
) -> TaskInstanceHistoryResponse:
    for task_try in _read_tries(context, dag_id, run_id, task_id, map_index):
        if task_try.try_number == try_number:
            return task_try
    raise refuse_try(TaskName(dag_id, run_id, task_id, map_index), try_number)
