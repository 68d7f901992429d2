"""The audit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import FilterField, build_conditions, read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import SortField, parse_order
from gnomon.api.common.paging import PageParameters, check_sorted, count_entries, find_count_limit
from gnomon.api.common.reader_language import word_body
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.schemas.event_logs_shapes import EventLogCollectionResponse, EventLogResponse
from gnomon.model.accounts import NAMES_OF_SERVICES, Role
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import moment, to_datetime
from gnomon.model.sentences import say
from gnomon.queries.report.listings.audit_list import hide_in_body, list_visible_conditions
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.pages.event_pages import (
    EVENTS_SEARCHED_MAX,
    ListedEvent,
    count_events,
    find_end_of_event_search,
    read_event_page,
    resolve_names,
)
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery

router = OperationRouter(prefix="/eventLogs", tags=["Event Log"])
_READ = requires(Permission.READ, ApiResource.AUDIT_LOG)


class EventFilters(PageParameters):
    """The parameters of the list."""

    order_by: list[str] = Field([])
    dag_id: str | None = None
    task_id: str | None = None
    run_id: str | None = None
    map_index: int | None = None
    try_number: int | None = None
    owner: str | None = None
    event: str | None = None
    excluded_events: list[str] | None = None
    included_events: list[str] | None = None
    before: datetime | None = None
    after: datetime | None = None
    dag_id_pattern: str | None = None
    task_id_pattern: str | None = None
    run_id_pattern: str | None = None
    owner_pattern: str | None = None
    event_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    task_id_prefix_pattern: str | None = None
    run_id_prefix_pattern: str | None = None
    owner_prefix_pattern: str | None = None
    event_prefix_pattern: str | None = None
    by_people: bool = Field(
        False,
        description="Ours: only what people did, not what services did by themselves. Such a search ends early instead of being refused.",
    )


_FIELDS = {name: FilterField(name) for name in ("dag_id", "task_id", "run_id", "map_index", "owner", "event")} | {
    "included_events": FilterField("event")
}
_NO_FILTERS = ("limit", "offset", "order_by", "try_number", "excluded_events", "before", "after", "by_people")
_ORDER = {
    "id": SortField("event_log_id"),
    "event_log_id": SortField("event_log_id"),
    "when": SortField("when"),
    "dttm": SortField("when"),
    "dag_id": SortField("dag_id", is_text=True, is_nullable=True),
    "task_id": SortField("task_id", is_text=True, is_nullable=True),
    "run_id": SortField("run_id", is_text=True, is_nullable=True),
    "event": SortField("event", is_text=True),
    "logical_date": SortField("logical_date", is_nullable=True),
    "owner": SortField("owner", is_text=True),
    "extra": SortField("extra", is_text=True),
}
_ORDERS_WITH_INDEX = frozenset({"event_log_id", "when"})
_KEY = (SortField("event_log_id"),)


@router.get("", dependencies=[_READ])
def get_event_logs(
    filters: Annotated[EventFilters, Query()], context: Context, user: CurrentUser
) -> EventLogCollectionResponse:
    """What people and services did.

    Without `dag_id`, an index finds only what `before`, `after`, or a `run_id` of at most 500 DAGs selects: for other filters the first 10,000 rows in the order of the list are searched,
    and the answer is 400 when they do not fill the page; with `by_people` it is what was found, and `searched_until`. `total_entries` then counts what was found in them.
    """
    if filters.try_number is not None:
        raise ApiUnsupported(say("audit_log_has_no_tries"))
    order = parse_order(filters.order_by, _ORDER, "id", _KEY)
    conditions = build_conditions(filters, _FIELDS, _NO_FILTERS)
    if filters.excluded_events:
        conditions.append(Condition("event", Operator.NOT_IN, filters.excluded_events))
    if filters.by_people:
        conditions.append(Condition("owner", Operator.NOT_IN, sorted(NAMES_OF_SERVICES)))
    if filters.before is not None:
        conditions.append(Condition("when", Operator.LESS, read_instant(filters.before)))
    if filters.after is not None:
        conditions.append(Condition("when", Operator.MORE, read_instant(filters.after)))
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        if visible.hidden and any(key.field == "extra" for key in order.keys):
            raise Refusal(403, say("order_by_extra_tells_hidden_dags"))
        conditions += _list_visible(visible, user)
        dag_pk = None
        if filters.dag_id is not None and (stored := dags.find_dag_row(tx, filters.dag_id)) is not None:
            dag_pk = stored.dag_pk
        if dag_pk is None:
            conditions = resolve_names(tx, conditions)
        query = PageQuery(tuple(conditions), order.keys, filters.size, filters.offset)
        end = find_end_of_event_search(tx, query) if dag_pk is None else None
        searched = conditions if end is None else [*conditions, end]
        total = count_entries(
            lambda most: count_events(tx, searched, most, dag_pk),
            filters.offset,
            filters.size,
            most=find_count_limit(order, _ORDERS_WITH_INDEX),
        )
        if dag_pk is None:
            check_sorted(total, order, _ORDERS_WITH_INDEX, "events")
        ends_early = end is not None and total.total < filters.offset + filters.size
        if ends_early and not filters.by_people:
            raise _refuse_rare()
        page = read_event_page(tx, replace(query, conditions=tuple(searched)), dag_pk) if total.total else []
    hide = build_name_filter(visible)
    return EventLogCollectionResponse(
        event_logs=[_build(event, user, hide) for event in page],
        total_entries=total.total,
        searched_until=_find_time(end) if ends_early else None,
    )


def _find_time(end: Condition | None) -> datetime | None:
    return to_datetime(end.value) if end is not None and end.field == "when" and isinstance(end.value, int) else None


@router.get("/{event_log_id}", dependencies=[_READ])
def get_event_log(event_log_id: int, context: Context, user: CurrentUser) -> EventLogResponse:
    """One row."""
    with context.database.read() as tx:
        order = parse_order([], _ORDER, "id", _KEY).keys
        visible = VisibleDags(context, tx, user)
        conditions = [Condition("event_log_id", Operator.EQUAL, event_log_id), *_list_visible(visible, user)]
        page = read_event_page(tx, PageQuery(tuple(conditions), order, 1))
    if not page:
        raise Refusal(404, say("row_of_audit_log_does_not_exist", number=str(event_log_id)))
    return _build(page[0], user, build_name_filter(visible))


def _refuse_rare() -> Refusal:
    return Refusal(400, say("too_many_rows_of_audit_log_are_searched", most=EVENTS_SEARCHED_MAX))


def _list_visible(visible: VisibleDags, user: User) -> list[Condition]:
    return visible.list_conditions() or list_visible_conditions(None, is_admin=user.identity.everywhere is Role.ADMIN)


def _build(event: ListedEvent, user: User, hide: Callable[[str], str]) -> EventLogResponse:
    return EventLogResponse(
        event_log_id=event.event_pk,
        when=to_datetime(event.at),
        dag_id=event.dag_id,
        task_id=event.task_id,
        run_id=event.run_id,
        map_index=None if event.map_index == UNMAPPED else event.map_index,
        try_number=None,
        event=event.kind,
        logical_date=moment(event.logical_at),
        owner=event.by,
        extra=hide_in_body(word_body(event.body), hide) or None,
        address=event.address if user.identity.everywhere is Role.ADMIN else None,
    )
