"""DAGs: lists, one DAG, its details, pausing, deleting, and the tags of all DAGs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import build_conditions
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import parse_order, sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.text_patterns import matches_pattern, starts_with
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.dag_answers import build_dag, build_dag_details
from gnomon.api.v2.dag_filters import (
    DAG_FIELDS,
    DAG_KEY,
    DAG_ORDER,
    NO_FILTERS,
    SPEC_FILTERS,
    DagFilters,
    DagPatchFilters,
    SpecFilters,
    matches_spec,
)
from gnomon.api.v2.lookup import find_stored_dag, require_answer
from gnomon.api.v2.schemas.dags_shapes import (
    DAGCollectionResponse,
    DAGDetailsResponse,
    DAGPatchBody,
    DAGResponse,
    DAGTagCollectionResponse,
)
from gnomon.changes.actions.dag_changes import set_dags_paused
from gnomon.changes.actions.owner_requests import ask_owner
from gnomon.ground.config.dag_bundles import DAGS_FOLDER_BUNDLE
from gnomon.model.accounts import Role
from gnomon.model.sentences import say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.storage.store import Transaction
from gnomon.storage.store.accounts.favorite_dags import list_favorites
from gnomon.storage.store.pages.dag_pages import ListedDag, count_dags, read_dag_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags

router = OperationRouter(tags=["DAG"])
_READ = requires(Permission.READ, ApiResource.DAG)
_EDIT = requires(Permission.EDIT, ApiResource.DAG)
_COUNTED_MAX = 1_000_000
"""DAGs are few, so all of them are counted."""
PATCHED_MAX = 100
"""`PATCH /dags` changes at most the DAGs of one page, as in Airflow."""


@router.get("/dags", dependencies=[_READ])
def get_dags(filters: Annotated[DagFilters, Query()], context: Context, user: CurrentUser) -> DAGCollectionResponse:
    """DAGs that a file defines, by id; with `exclude_stale=false` deleted ones too. Filters on runs are about the newest run of a DAG."""
    order = parse_order(filters.order_by, {**DAG_ORDER, "dag_display_name": DAG_ORDER["dag_id"]}, "dag_id", DAG_KEY)
    with context.database.read() as tx:
        conditions = [
            *_build_conditions(context, tx, filters, is_active=filters.exclude_stale),
            *VisibleDags(context, tx, user).list_conditions(),
        ]
        if filters.bundle_name == DAGS_FOLDER_BUNDLE:
            conditions.append(Condition("bundle_name", Operator.IN, [None]))
        elif filters.bundle_name is not None:
            conditions.append(Condition("bundle_name", Operator.EQUAL, filters.bundle_name))
        if filters.bundle_version is not None:
            conditions.append(Condition("bundle_version", Operator.EQUAL, filters.bundle_version))
        if filters.is_favorite is not None:
            operator = Operator.IN if filters.is_favorite else Operator.NOT_IN
            conditions.append(Condition("dag_pk", operator, list_favorites(tx, user.name)))
        page = read_dag_page(tx, PageQuery(tuple(conditions), order.keys, filters.size, filters.offset))
        total = count_dags(tx, conditions, _COUNTED_MAX)
        return DAGCollectionResponse(dags=_build_dags(context, tx, page), total_entries=total)


@router.patch("/dags", dependencies=[_EDIT])
def patch_dags(
    filters: Annotated[DagPatchFilters, Query()], body: DAGPatchBody, context: Context, user: CurrentUser
) -> DAGCollectionResponse:
    """Pause or unpause the DAGs of one page of the list, by id."""
    _check_mask(filters.update_mask)
    if filters.dag_id_pattern is None and filters.dag_id_prefix_pattern is None:
        return DAGCollectionResponse(dags=[], total_entries=0)  # as in Airflow: without a pattern no DAG is meant
    order = parse_order([], DAG_ORDER, "dag_id", DAG_KEY)
    with context.database.read() as tx:
        conditions = _build_conditions(context, tx, filters, is_active=filters.exclude_stale)
        conditions += VisibleDags(context, tx, user, Role.USER).list_conditions()
        chosen = read_dag_page(tx, PageQuery(tuple(conditions), order.keys, filters.size, filters.offset))
    if chosen:
        set_dags_paused(context.act_as(user), context.database, [dag.dag_id for dag in chosen], body.is_paused)
    with context.database.read() as tx:
        keys = Condition("dag_pk", Operator.IN, [dag.dag_pk for dag in chosen])
        page = read_dag_page(tx, PageQuery((keys,), order.keys, PATCHED_MAX))
        return DAGCollectionResponse(dags=_build_dags(context, tx, page), total_entries=len(page))


@router.get("/dags/{dag_id}", dependencies=[_READ])
def get_dag(dag_id: Id, context: Context) -> DAGResponse:
    """One DAG."""
    with context.database.read() as tx:
        return _read_dag(context, tx, dag_id)


@router.patch("/dags/{dag_id}", dependencies=[_EDIT])
def patch_dag(
    dag_id: Id,
    body: DAGPatchBody,
    context: Context,
    user: CurrentUser,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> DAGResponse:
    """Pause or unpause a DAG."""
    _check_mask(update_mask)
    set_dags_paused(context.act_as(user), context.database, [dag_id], body.is_paused)
    with context.database.read() as tx:
        return _read_dag(context, tx, dag_id)


@router.delete("/dags/{dag_id}", dependencies=[requires(Permission.DELETE, ApiResource.DAG)])
def delete_dag(dag_id: Id, context: Context, user: CurrentUser) -> Response:
    """Delete a DAG with all its runs. A DAG whose file still exists is added again as a new DAG."""
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
    require_answer(ask_owner(context.act_as(user), context.database, dag, "delete", {"dag_pk": dag.dag_pk}))
    return Response(status_code=200, content="null", media_type="application/json")


@router.get("/dags/{dag_id}/details", dependencies=[_READ])
def get_dag_details(dag_id: Id, context: Context, user: CurrentUser) -> DAGDetailsResponse:
    """One DAG with everything that its file says about it."""
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        answer = _read_dag(context, tx, dag_id)
        listed = _read_listed(tx, dag_id)
        counts = read_run_counts_of_dags(tx, [dag.dag_pk]).get(dag.dag_pk, {})
        is_favorite = dag.dag_pk in list_favorites(tx, user.name)
    return build_dag_details(answer, listed, dag, counts, is_favorite=is_favorite)


class TagFilters(PageParameters):
    """The parameters of `GET /dagTags`."""

    order_by: list[str] = Field([])
    tag_name_pattern: str | None = None
    tag_name_prefix_pattern: str | None = None


@router.get("/dagTags", dependencies=[_READ])
def get_dag_tags(
    filters: Annotated[TagFilters, Query()], context: Context, user: CurrentUser
) -> DAGTagCollectionResponse:
    """The tags of all DAGs, each once."""
    with context.database.read() as tx:
        facts = context.facts.find_all(tx)
        visible = VisibleDags(context, tx, user)
    tags = {
        tag
        for dag_pk, version_facts in facts.by_dag.items()
        if dag_pk in facts.active and version_facts.spec.dag_id in visible
        for tag in version_facts.spec.tags
    }
    chosen = [
        tag
        for tag in sorted(tags)
        if matches_pattern(tag, filters.tag_name_pattern) and starts_with(tag, filters.tag_name_prefix_pattern)
    ]
    ordered = sort_entries(chosen, filters.order_by, {"name": lambda tag: tag}, "name")
    return DAGTagCollectionResponse(tags=cut_page(ordered, filters), total_entries=len(ordered))


def _build_conditions(
    context: ApiContext, tx: Transaction, filters: SpecFilters, *, is_active: bool
) -> list[Condition]:
    conditions = build_conditions(filters, DAG_FIELDS, NO_FILTERS)
    if is_active:
        conditions.append(Condition("is_active", Operator.EQUAL, True))
    if any(getattr(filters, name, None) not in (None, []) for name in SPEC_FILTERS):
        keys = [
            dag_pk
            for dag_pk, version_facts in context.facts.find_all(tx).by_dag.items()
            if matches_spec(version_facts, filters)
        ]
        conditions.append(Condition("dag_pk", Operator.IN, keys))
    return conditions


def _read_listed(tx: Transaction, dag_id: str) -> ListedDag:
    stored = find_stored_dag(tx, dag_id)
    order = parse_order([], DAG_ORDER, "dag_id", DAG_KEY)
    return read_dag_page(tx, PageQuery((Condition("dag_pk", Operator.EQUAL, stored.dag_pk),), order.keys, 1))[0]


def _read_dag(context: ApiContext, tx: Transaction, dag_id: str) -> DAGResponse:
    return _build_dags(context, tx, [_read_listed(tx, dag_id)])[0]


def _build_dags(context: ApiContext, tx: Transaction, listed: Sequence[ListedDag]) -> list[DAGResponse]:
    facts = context.facts.find(tx, (dag.version for dag in listed))
    return [build_dag(dag, facts[dag.dag_pk], context.cfg) for dag in listed]


def _check_mask(update_mask: list[str] | None) -> None:
    if update_mask is not None and update_mask != ["is_paused"]:
        raise Refusal(400, say("mask_of_dag_is_wrong"))
