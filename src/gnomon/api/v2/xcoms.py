"""XComs: lists without values, one value, and changing values of task instances that have ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import FilterField, build_conditions, read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import SortField, parse_order
from gnomon.api.common.paging import PageParameters, check_sorted, count_entries, find_count_limit
from gnomon.api.common.paths import ALL, Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal, find_sentence
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.lookup import find_dag_and_run, find_display_names, find_stored_dag
from gnomon.api.v2.schemas.xcoms_shapes import (
    XComCollectionResponse,
    XComCreateBody,
    XComResponse,
    XComResponseNative,
    XComResponseString,
    XComUpdateBody,
)
from gnomon.changes.actions.xcom_changes import (
    XComExists,
    XComHoldsObject,
    XComName,
    delete_xcom,
    encode_value,
    set_xcom,
)
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import moment, to_datetime
from gnomon.model.json_text import read_shown_json
from gnomon.model.sentences import RunName, TaskName, say
from gnomon.model.serde.text_form import describe_stored
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import xcom_values
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery
from gnomon.storage.store.pages.run_conditions import mark_dags
from gnomon.storage.store.pages.run_pages import find_runs_with_id
from gnomon.storage.store.pages.xcom_pages import (
    XCOMS_SEARCHED_MAX,
    ListedXCom,
    bound_xcoms,
    count_xcoms,
    find_end_of_xcom_search,
    read_xcom_page,
)

router = OperationRouter(
    prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", tags=["XCom"]
)
_READ = requires(Permission.READ, ApiResource.XCOM)


class XComFilters(PageParameters):
    """The parameters of the list."""

    xcom_key: str | None = None
    map_index: int | None = Field(None, ge=-1)
    xcom_key_pattern: str | None = None
    xcom_key_prefix_pattern: str | None = None
    dag_display_name_pattern: str | None = None
    dag_display_name_prefix_pattern: str | None = None
    run_id_pattern: str | None = None
    run_id_prefix_pattern: str | None = None
    task_id_pattern: str | None = None
    task_id_prefix_pattern: str | None = None
    map_index_filter: int | None = None
    logical_date_gte: datetime | None = None
    logical_date_gt: datetime | None = None
    logical_date_lte: datetime | None = None
    logical_date_lt: datetime | None = None
    run_after_gte: datetime | None = None
    run_after_gt: datetime | None = None
    run_after_lte: datetime | None = None
    run_after_lt: datetime | None = None
    order_by: list[str] = Field([])


_FIELDS = {
    "xcom_key": FilterField("key"),
    "map_index": FilterField("map_index"),
    "map_index_filter": FilterField("map_index"),
    "run_id": FilterField("run_id"),
    "task_id": FilterField("task_id"),
    "logical_date": FilterField("logical_date", read_instant),
    "run_after": FilterField("run_after", read_instant),
    "dag_display_name": FilterField("dag_id"),
}
_ORDER = {
    "id": SortField("id"),
    "key": SortField("key", is_text=True),
    "dag_id": SortField("dag_id", is_text=True),
    "run_id": SortField("run_id", is_text=True),
    "task_id": SortField("task_id", is_text=True),
    "map_index": SortField("map_index"),
    "run_after": SortField("run_after"),
}
_ORDERS_WITH_INDEX = frozenset({"id", "run_after"})
_KEY = (SortField("id"),)


@router.get("", dependencies=[_READ])
def get_xcom_entries(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    filters: Annotated[XComFilters, Query()],
    context: Context,
    user: CurrentUser,
) -> XComCollectionResponse:
    """XComs without their values; `~` for the DAG, the run or the task lists those of all.

    With `~` for the DAG and the run, filters other than those of `run_after` and `logical_date` have no index: the first 5,000 XComs in the order of the
    list are searched for the page, and the answer is 400 when they do not fill it. `total_entries` then counts what was found in them.
    """
    if filters.dag_display_name_pattern is not None or filters.dag_display_name_prefix_pattern is not None:
        raise ApiUnsupported(say("xcoms_have_no_filter_by_display_name"))
    order = parse_order(filters.order_by, _ORDER, "id", _KEY)
    conditions = build_conditions(filters, _FIELDS, ("limit", "offset", "order_by"))
    with context.database.read() as tx:
        conditions += _read_path(tx, dag_id, dag_run_id, task_id)
        if dag_id == ALL:
            conditions += VisibleDags(context, tx, user).list_conditions()
        conditions = mark_dags(tx, conditions)
        query = PageQuery(tuple(conditions), order.keys, filters.size, filters.offset)
        end = find_end_of_xcom_search(tx, query)
        searched = conditions if end is None else [*conditions, end]
        total = count_entries(
            lambda most: count_xcoms(tx, searched, most, is_searched=end is not None),
            filters.offset,
            filters.size,
            most=find_count_limit(order, _ORDERS_WITH_INDEX),
        )
        check_sorted(total, order, _ORDERS_WITH_INDEX, "XComs")
        if end is not None and total.total < filters.offset + filters.size:
            raise Refusal(400, say("too_many_xcoms_are_searched", most=XCOMS_SEARCHED_MAX))
        if end is None:
            searched = bound_xcoms(tx, conditions, order.keys, is_long=total.limit is not None)
        page = read_xcom_page(tx, replace(query, conditions=tuple(searched)))
        return XComCollectionResponse(xcom_entries=_build(context, tx, page), total_entries=total.total)


@router.get("/{xcom_key}", dependencies=[_READ])
def get_xcom_entry(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    xcom_key: Id,
    context: Context,
    map_index: Annotated[int, Query(ge=-1)] = UNMAPPED,
    deserialize: bool = False,
    stringify: bool = False,
) -> XComResponseNative | XComResponseString:
    """One value, as JSON or as text. Secrets of stored connections and Variables are masked.

    With `deserialize`, a part that JSON has no form for, such as an object of a class, is a text that describes it. No object is made.
    """
    with context.database.read() as tx:
        entry, value = _read_entry(context, tx, XComName(dag_id, dag_run_id, task_id, map_index, xcom_key))
    if deserialize:
        value = describe_stored(value)
    if not stringify:
        return XComResponseNative(**entry.model_dump(), value=value)
    return XComResponseString(
        **entry.model_dump(), value=value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    )


@router.post("", status_code=201, dependencies=[requires(Permission.CREATE, ApiResource.XCOM)])
def create_xcom_entry(
    dag_id: Id, dag_run_id: Id, task_id: Id, body: XComCreateBody, context: Context, user: CurrentUser
) -> XComResponseNative:
    """Add a value to a task instance that has ended."""
    name = XComName(dag_id, dag_run_id, task_id, body.map_index, body.key)
    return _write(context, user, name, body.value, replaces=False)


@router.patch("/{xcom_key}", dependencies=[requires(Permission.EDIT, ApiResource.XCOM)])
def update_xcom_entry(
    dag_id: Id, dag_run_id: Id, task_id: Id, xcom_key: Id, body: XComUpdateBody, context: Context, user: CurrentUser
) -> XComResponseNative:
    """Change a value of a task instance that has ended."""
    name = XComName(dag_id, dag_run_id, task_id, body.map_index, xcom_key)
    return _write(context, user, name, body.value, replaces=True)


@router.delete("/{xcom_key}", status_code=204, dependencies=[requires(Permission.DELETE, ApiResource.XCOM)])
def delete_xcom_entry(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    xcom_key: Id,
    context: Context,
    user: CurrentUser,
    map_index: Annotated[int, Query(ge=-1)] = UNMAPPED,
) -> Response:
    """Delete a value of a task instance that has ended."""
    delete_xcom(context.act_as(user), context.database, XComName(dag_id, dag_run_id, task_id, map_index, xcom_key))
    return Response(status_code=204)


def _write(context: ApiContext, user: User, name: XComName, value: object, *, replaces: bool) -> XComResponseNative:
    try:
        text = encode_value(value)
    except ValueError as error:
        raise Refusal(422, say("given_value_is_no_json", error=str(error))) from None
    try:
        set_xcom(context.act_as(user), context.database, name, text, replaces=replaces)
    except XComExists as error:
        raise Refusal(409, find_sentence(error)) from None
    except XComHoldsObject as error:
        raise Refusal(422, find_sentence(error)) from None
    with context.database.read() as tx:
        entry, stored = _read_entry(context, tx, name)
    return XComResponseNative(**entry.model_dump(), value=stored)


def _read_path(tx: Transaction, dag_id: str, run_id: str, task_id: str) -> list[Condition]:
    conditions = []
    if ALL not in (dag_id, run_id):
        dag, run = find_dag_and_run(tx, dag_id, run_id)
        if task_id not in (ALL, *dag.task_numbers):
            raise task_not_found(dag_id, task_id, dag.task_numbers)
        conditions.append(Condition("run_pk", Operator.EQUAL, run.run_pk))
    elif dag_id != ALL:
        conditions.append(Condition("dag_pk", Operator.EQUAL, find_stored_dag(tx, dag_id).dag_pk))
    elif run_id != ALL:
        conditions.append(Condition("run_pk", Operator.IN, find_runs_with_id(tx, run_id)))
    return conditions if task_id == ALL else [*conditions, Condition("task_id", Operator.EQUAL, task_id)]


def _read_entry(context: ApiContext, tx: Transaction, name: XComName) -> tuple[XComResponse, object]:
    """The entry and its value. Raises NameNotFound, or Refusal (404) when there is no value."""
    dag, run = find_dag_and_run(tx, name.dag_id, name.run_id)
    if name.task_id not in dag.task_numbers:
        raise task_not_found(name.dag_id, name.task_id, dag.task_numbers)
    xcoms = xcom_values.read_xcoms(tx, run, name.key, [name.task_id], map_indexes=[name.map_index])
    if not xcoms:
        raise Refusal(
            404,
            say(
                "xcom_does_not_exist",
                task=TaskName(name.dag_id, name.run_id, name.task_id, name.map_index),
                key=name.key,
                run=RunName(name.dag_id, name.run_id),
            ),
        )
    keys = {"run_pk": run.run_pk, "task_id": name.task_id, "map_index": name.map_index, "key": name.key}
    conditions = tuple(Condition(field, Operator.EQUAL, value) for field, value in keys.items())
    listed = read_xcom_page(tx, PageQuery(conditions, parse_order([], _ORDER, "id", _KEY).keys, 1))
    (value,) = hide_stored_secrets(tx, [read_shown_json(xcoms[0].value)])
    return _build(context, tx, listed)[0], value


def _build(context: ApiContext, tx: Transaction, listed: Sequence[ListedXCom]) -> list[XComResponse]:
    names = find_display_names(context, tx, (xcom.dag_id for xcom in listed))
    tasks = _find_task_names(tx, listed)
    return [
        XComResponse(
            key=xcom.key,
            timestamp=to_datetime(xcom.at),
            logical_date=moment(xcom.logical_at),
            map_index=xcom.map_index,
            task_id=xcom.task_id,
            dag_id=xcom.dag_id,
            run_id=xcom.run_id,
            dag_display_name=names.get(xcom.dag_id, xcom.dag_id),
            task_display_name=tasks.get((xcom.version_pk, xcom.task_id)) or xcom.task_id,
            run_after=to_datetime(xcom.run_after),
        )
        for xcom in listed
    ]


def _find_task_names(tx: Transaction, listed: Sequence[ListedXCom]) -> Mapping[tuple[int | None, str], str | None]:
    specs = group_state.load_specs(tx, sorted({xcom.version_pk for xcom in listed if xcom.version_pk is not None}))
    return {(version_pk, task.task_id): task.display_name for version_pk, spec in specs.items() for task in spec.tasks}
