"""Questions of tasks to people: lists, one, and answering one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import FilterField, build_conditions, check_pattern_length, read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import SortField, parse_order
from gnomon.api.common.paging import PageParameters, find_total
from gnomon.api.common.paths import ALL, Id
from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import find_stored_dag, refuse_try, require_answer
from gnomon.api.v2.schemas.hitl_shapes import (
    HITLDetailAnswer,
    HITLDetailCollection,
    HITLDetailHistory,
    HITLDetailResponse,
    HITLUserAnswer,
    UpdateHITLDetailPayload,
)
from gnomon.api.v2.task_instance_answers import build_history
from gnomon.api.v2.task_instance_filters import read_task_state
from gnomon.api.v2.task_instance_reader import RunInstances, build_several
from gnomon.changes.actions.owner_requests import ask_owner
from gnomon.changes.actions.refusals import RequestRefused
from gnomon.model.hitl import HITLRespondent
from gnomon.model.instants import moment, to_datetime
from gnomon.model.sentences import RunName, TaskName, say
from gnomon.queries.report.listings.hitl_list import RespondentRefused, build_answer
from gnomon.queries.report.listings.task_instance_details import list_tries
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import hitl_details
from gnomon.storage.store.dag_records.hitl_details import NamedHITLDetail
from gnomon.storage.store.pages.hitl_pages import count_hitl_details, read_hitl_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.run_conditions import mark_dags
from gnomon.storage.store.pages.run_pages import find_runs_with_id
from gnomon.storage.store.pages.task_instance_pages import read_task_instance_page

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}", tags=["Task Instance"])
_READ = requires(Permission.READ, ApiResource.HITL_DETAIL)
_DETAIL = "/taskInstances/{task_id}/{map_index}/hitlDetails"


class HITLFilters(PageParameters):
    """The parameters of the list."""

    order_by: list[str] = Field([])
    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    task_id: str | None = None
    task_id_pattern: str | None = None
    task_id_prefix_pattern: str | None = None
    map_index: int | None = None
    state: list[str] = Field([])
    response_received: bool | None = None
    responded_by_user_id: list[str] = Field([])
    responded_by_user_name: list[str] = Field([])
    subject_search: str | None = None
    body_search: str | None = None
    created_at_gte: datetime | None = None
    created_at_gt: datetime | None = None
    created_at_lte: datetime | None = None
    created_at_lt: datetime | None = None


_FIELDS = {
    "dag_id": FilterField("dag_id"),
    "task_id": FilterField("task_id"),
    "map_index": FilterField("map_index"),
    "state": FilterField("state", read_task_state),
    "responded_by_user_id": FilterField("responded_by_user_id"),
    "responded_by_user_name": FilterField("responded_by_user_name"),
    "created_at": FilterField("created_at", read_instant),
}
_ORDER = {
    "ti_id": SortField("run_pk"),
    "subject": SortField("subject", is_text=True),
    "created_at": SortField("created_at"),
    "responded_at": SortField("responded_at", is_nullable=True),
    "dag_id": SortField("dag_id", is_text=True),
    "responded_by_user_id": SortField("responded_by_user_id", is_text=True, is_nullable=True),
    "responded_by_user_name": SortField("responded_by_user_name", is_text=True, is_nullable=True),
    "run_id": SortField("run_id", is_text=True),
    "run_after": SortField("run_after"),
    "task_instance_state": SortField("state"),
    "rendered_map_index": SortField("rendered_map_index", is_text=True, is_nullable=True),
}
_KEY = (SortField("run_pk"), SortField("task_no"), SortField("map_index"))


@router.get("/hitlDetails", dependencies=[_READ])
def get_hitl_details(
    dag_id: Id, dag_run_id: Id, filters: Annotated[HITLFilters, Query()], context: Context, user: CurrentUser
) -> HITLDetailCollection:
    """The newest question of each task instance, answered or not; `~` for the DAG or the run lists those of all."""
    order = parse_order(filters.order_by, _ORDER, "ti_id", _KEY)
    conditions = build_conditions(
        filters, _FIELDS, ("limit", "offset", "order_by", "response_received", "subject_search", "body_search")
    )
    for field, text in (("subject", filters.subject_search), ("body", filters.body_search)):
        if text:
            check_pattern_length(text)
            conditions.append(Condition(field, Operator.MATCHES, [text]))
    if filters.response_received is not None:
        operator = Operator.NOT_IN if filters.response_received else Operator.IN
        conditions.append(Condition("responded_at", operator, [None]))
    with context.database.read() as tx:
        if dag_id == ALL:
            conditions += VisibleDags(context, tx, user).list_conditions()
        else:
            conditions.append(Condition("dag_pk", Operator.EQUAL, find_stored_dag(tx, dag_id).dag_pk))
        if dag_run_id != ALL:
            conditions.append(Condition("run_pk", Operator.IN, find_runs_with_id(tx, dag_run_id)))
        conditions = mark_dags(tx, conditions)
        page, has_more = read_hitl_page(tx, PageQuery(tuple(conditions), order.keys, filters.size, filters.offset))
        total = find_total(
            lambda most: count_hitl_details(tx, conditions, most),
            filters.offset,
            filters.size,
            len(page),
            has_more=has_more,
        )
        return HITLDetailCollection(hitl_details=_build_page(context, tx, page), total_entries=total.total)


@router.get(_DETAIL, dependencies=[_READ])
def get_hitl_detail(dag_id: Id, dag_run_id: Id, task_id: Id, map_index: int, context: Context) -> HITLDetailAnswer:
    """The question of the current try of a task instance."""
    with context.database.read() as tx:
        instances, named = _find(tx, dag_id, dag_run_id, task_id, map_index, None)
        (instance,) = instances.build([instances.find(task_id, map_index)])
    return HITLDetailAnswer(**_describe(named), task_instance=instance)


@router.get(_DETAIL + "/tries/{try_number}", dependencies=[_READ])
def get_hitl_detail_try_detail(
    dag_id: Id, dag_run_id: Id, task_id: Id, map_index: int, try_number: int, context: Context
) -> HITLDetailHistory:
    """The question of one try of a task instance."""
    with context.database.read() as tx:
        instances, named = _find(tx, dag_id, dag_run_id, task_id, map_index, try_number)
        detail = instances.find(task_id, map_index)
        tries = [task_try for task_try in list_tries(tx, detail) if task_try.try_number == try_number]
    if not tries:
        raise refuse_try(TaskName(dag_id, dag_run_id, task_id, map_index), try_number)
    history = build_history(instances.listed, instances.display_name, detail, tries[0], instances.lookups)
    return HITLDetailHistory(**_describe(named), task_instance=history)


@router.patch(_DETAIL, dependencies=[requires(Permission.EDIT, ApiResource.HITL_DETAIL)])
def update_hitl_detail(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    map_index: int,
    body: UpdateHITLDetailPayload,
    context: Context,
    user: CurrentUser,
) -> HITLDetailResponse:
    """Answer a question. Params that are not given get their defaults."""
    respondent = HITLRespondent(user.name, user.name)
    with context.database.read() as tx:
        instances, named = _find(tx, dag_id, dag_run_id, task_id, map_index, None)
    if named.detail.response is not None:
        raise Refusal(
            409,
            say(
                "question_is_closed",
                task=TaskName(dag_id, dag_run_id, task_id, map_index),
                run=RunName(dag_id, dag_run_id),
            ),
        )
    try:
        answer = build_answer(context.cfg, named, body.chosen_options, body.params_input, respondent)
    except RespondentRefused as error:
        raise Refusal(403, find_sentence(error)) from None
    require_answer(
        ask_owner(
            context.act_as(user), context.database, instances.dag, "answer", {"dag_pk": instances.dag.dag_pk, **answer}
        )
    )
    with context.database.read() as tx:
        _, named = _find(tx, dag_id, dag_run_id, task_id, map_index, None)
    response = named.detail.response
    if response is None:
        raise RequestRefused(say("task_waits_for_no_answer", task_id=task_id, run=RunName(dag_id, dag_run_id)))
    return HITLDetailResponse(
        responded_by=HITLUserAnswer(id=respondent.id, name=respondent.name),
        responded_at=to_datetime(response.responded_at),
        chosen_options=list(response.chosen_options),
        params_input=response.params_input,
    )


def _find(
    tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int | None
) -> tuple[RunInstances, NamedHITLDetail]:
    """The newest question of the task instance, or of one of its tries. Raises NameNotFound, or Refusal (404) without one."""
    instances = RunInstances(tx, dag_id, run_id)
    record = instances.find(task_id, map_index).record
    chosen_try = try_number if try_number is not None else None if record is None else record.try_number
    for named in reversed(hitl_details.list_run_details(tx, instances.run.run_pk)):
        detail = named.detail
        if (named.task_id, detail.map_index, detail.try_number) == (task_id, map_index, chosen_try):
            return instances, named
    raise Refusal(
        404,
        say(
            "task_asked_no_question",
            task=TaskName(dag_id, run_id, task_id, map_index),
            run=RunName(dag_id, run_id),
            try_number=chosen_try or 0,
        ),
    )


def _build_page(context: ApiContext, tx: Transaction, page: Sequence[NamedHITLDetail]) -> list[HITLDetailAnswer]:
    keys = [(named.detail.run_pk, named.detail.task_no, named.detail.map_index) for named in page]
    fields = ("run_pk", "task_no", "map_index")
    conditions = tuple(
        Condition(field, Operator.IN, sorted(set(values)))
        for field, values in zip(fields, zip(*keys, strict=True), strict=False)
    )
    query = PageQuery(
        conditions,
        tuple(SortKey(field) for field in fields),
        len({run_pk for run_pk, _, _ in keys}) * len(keys) ** 2,
        is_short=True,
    )
    rows = read_task_instance_page(tx, query).instances if keys else []
    by_key = {
        (instance.record.run_pk, instance.record.task_no, instance.record.map_index): instance for instance in rows
    }
    instances = build_several(context, tx, [by_key[key] for key in keys])
    return [
        HITLDetailAnswer(**_describe(named), task_instance=instance)
        for named, instance in zip(page, instances, strict=True)
    ]


def _describe(named: NamedHITLDetail) -> dict[str, Any]:
    """The fields of a question that `HITLDetail` and `HITLDetailHistory` share."""
    detail, request, response = named.detail, named.detail.request, named.detail.response
    respondent = None if response is None else response.responded_by
    return {
        "options": list(request.options),
        "subject": request.subject,
        "body": request.body,
        "defaults": None if request.defaults is None else list(request.defaults),
        "multiple": request.multiple,
        "params": request.params,
        "assigned_users": [
            HITLUserAnswer(id=assigned_user.id, name=assigned_user.name) for assigned_user in request.assigned_users
        ],
        "created_at": to_datetime(detail.created_at),
        "responded_by_user": None if respondent is None else HITLUserAnswer(id=respondent.id, name=respondent.name),
        "responded_at": None if response is None else moment(response.responded_at),
        "chosen_options": None if response is None else list(response.chosen_options),
        "params_input": {} if response is None else response.params_input,
        "response_received": response is not None,
    }
