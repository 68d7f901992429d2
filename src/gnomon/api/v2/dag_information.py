"""What belongs to DAGs: their source, their versions, the numbers of their runs, and warnings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from operator import attrgetter
from typing import Annotated, Any

import msgspec
from fastapi import Header, Query, Response
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.conversions import build_version
from gnomon.api.v2.dag_source_files import read_dag_file
from gnomon.api.v2.lookup import find_stored_dag
from gnomon.api.v2.schemas.dag_information_shapes import (
    DAGSourceResponse,
    DagStatsCollectionResponse,
    DAGWarningCollectionResponse,
    DagWarningType,
)
from gnomon.api.v2.schemas.versions_shapes import DAGVersionCollectionResponse, DagVersionResponse
from gnomon.model.sentences import say
from gnomon.model.states import DagRunState
from gnomon.queries.report.listings.dag_facts import VersionFacts
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages.dag_pages import list_newest_versions, list_version_numbers
from gnomon.storage.store.pages.run_pages import read_run_counts_by_state
from gnomon.storage.store.parsed_files.dag_versions import read_version_source

router = OperationRouter()


@router.get(
    "/dagSources/{dag_id}",
    tags=["DagSource"],
    dependencies=[requires(Permission.READ, ApiResource.DAG_CODE)],
    response_model=DAGSourceResponse,
)
def get_dag_source(
    dag_id: Id, context: Context, version_number: int | None = None, accept: Annotated[str, Header()] = "*/*"
) -> DAGSourceResponse | Response:
    """The file that defines the DAG, as it is now, or as a version had it; as text where the client accepts `text/plain`."""
    with context.database.read() as tx:
        stored = find_stored_dag(tx, dag_id)
        newest = list_version_numbers(tx, stored.dag_pk)[0].number
        name = _find_name(context, tx, dag_id)
        version_source = None if version_number is None else read_version_source(tx, stored.dag_pk, version_number)
    if version_source is None and version_number not in (None, newest):
        raise Refusal(
            404, say("source_of_version_is_not_kept", number=str(version_number), dag=dag_id, version=str(newest))
        )
    try:
        content = (read_dag_file(context.cfg, stored.file) if version_source is None else version_source).decode(
            errors="replace"
        )
    except OSError as error:
        raise Refusal(
            404, say("file_of_dag_cannot_be_read", file=str(stored.file), error=str(error.strerror))
        ) from None
    if "text/plain" in accept:
        return Response(content, media_type="text/plain")
    return DAGSourceResponse(
        content=content,
        dag_id=dag_id,
        version_number=newest if version_number is None else version_number,
        dag_display_name=name,
    )


@router.get(
    "/dagStats",
    tags=["DagStats"],
    dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)],
    response_model=DagStatsCollectionResponse,
)
def get_dag_stats(
    context: Context, user: CurrentUser, dag_ids: Annotated[list[str] | None, Query()] = None
) -> Response:
    """The number of runs of each DAG in each state, from the tallies."""
    with context.database.read() as tx:
        facts: Mapping[int, VersionFacts]
        if dag_ids:
            facts = context.facts.find(tx, list_newest_versions(tx, dag_ids))
            visible = VisibleDags(context, tx, user)
        else:
            all_facts = context.facts.find_all(tx)
            visible = VisibleDags(context, tx, user, facts=all_facts)
            facts = all_facts.derive(
                "active",
                lambda: {
                    dag_pk: version_facts
                    for dag_pk, version_facts in all_facts.by_dag.items()
                    if dag_pk in all_facts.active
                },
            )
        chosen = (
            facts
            if visible.is_all
            else {
                dag_pk: version_facts for dag_pk, version_facts in facts.items() if version_facts.spec.dag_id in visible
            }
        )
        counts = read_run_counts_by_state(tx, list(chosen) if dag_ids or len(chosen) < len(facts) // 2 else None)
    list_counts = cache(_list_counts)
    of_states = [counts.get(state, {}) for state in DagRunState]
    answers = [
        _DagStats(
            version_facts.spec.dag_id,
            version_facts.display_name,
            list_counts(*[of_state.get(dag_pk, 0) for of_state in of_states]),
        )
        for dag_pk, version_facts in chosen.items()
    ]
    answers.sort(key=attrgetter("dag_id"))
    return Response(
        msgspec.json.encode({"dags": answers, "total_entries": len(answers)}), media_type="application/json"
    )


class _StateCount(msgspec.Struct, gc=False):
    """The fields of DagStatsStateResponse, written without validation: there may be ten thousand DAGs."""

    state: str
    count: int


class _DagStats(msgspec.Struct, gc=False):
    """The fields of DagStatsResponse."""

    dag_id: str
    dag_display_name: str
    stats: list[_StateCount]


def _list_counts(*counts: int) -> list[_StateCount]:
    """The counts of a DAG, in the order of the states. Many DAGs have the same."""
    return [_StateCount(state.value, count) for state, count in zip(DagRunState, counts, strict=True)]


class WarningFilters(PageParameters):
    """The parameters of `GET /dagWarnings`."""

    dag_id: str | None = None
    warning_type: DagWarningType | None = None
    order_by: list[str] = Field([])


@router.get("/dagWarnings", tags=["DagWarning"], dependencies=[requires(Permission.READ, ApiResource.DAG)])
def list_dag_warnings(filters: Annotated[WarningFilters, Query()]) -> DAGWarningCollectionResponse:
    """Always empty: Gnomon's warnings have none of Airflow's types; `gnomon dags errors --warnings` lists them."""
    getters: dict[str, Any] = {name: lambda entry: entry for name in ("dag_id", "warning_type", "message", "timestamp")}
    sort_entries([], filters.order_by, getters, "dag_id")
    return DAGWarningCollectionResponse(dag_warnings=[], total_entries=0)


class VersionFilters(PageParameters):
    """The parameters of `GET /dags/{dag_id}/dagVersions`."""

    version_number: int | None = None
    bundle_name: str | None = None
    bundle_version: str | None = None
    order_by: list[str] = Field([])


_VERSION_ORDER: dict[str, Any] = {
    "id": lambda version: version.id,
    "version_number": lambda version: version.version_number,
    "bundle_name": lambda version: version.bundle_name,
    "bundle_version": lambda version: version.bundle_version,
    "created_at": lambda version: version.created_at,
}


@router.get(
    "/dags/{dag_id}/dagVersions", tags=["DagVersion"], dependencies=[requires(Permission.READ, ApiResource.DAG_VERSION)]
)
def get_dag_versions(
    dag_id: Id, filters: Annotated[VersionFilters, Query()], context: Context
) -> DAGVersionCollectionResponse:
    """The versions of a DAG."""
    if dag_id == "~":
        raise ApiUnsupported(say("versions_are_listed_by_dag"))
    with context.database.read() as tx:
        answers = _read_versions(context, tx, dag_id)
    chosen = [
        version
        for version in answers
        if filters.version_number in (None, version.version_number)
        and filters.bundle_name in (None, version.bundle_name)
        and filters.bundle_version in (None, version.bundle_version)
    ]
    ordered = sort_entries(chosen, filters.order_by, _VERSION_ORDER, "version_number")
    return DAGVersionCollectionResponse(dag_versions=cut_page(ordered, filters), total_entries=len(ordered))


@router.get(
    "/dags/{dag_id}/dagVersions/{version_number}",
    tags=["DagVersion"],
    dependencies=[requires(Permission.READ, ApiResource.DAG_VERSION)],
)
def get_dag_version(dag_id: Id, version_number: int, context: Context) -> DagVersionResponse:
    """One version of a DAG."""
    with context.database.read() as tx:
        for version in _read_versions(context, tx, dag_id):
            if version.version_number == version_number:
                return version
    raise Refusal(404, say("dag_has_no_version", dag=dag_id, number=str(version_number)))


def _find_name(context: ApiContext, tx: Transaction, dag_id: str) -> str:
    facts = context.facts.find(tx, list_newest_versions(tx, [dag_id]))
    return next((version_facts.display_name for version_facts in facts.values()), dag_id)


def _read_versions(context: ApiContext, tx: Transaction, dag_id: str) -> list[DagVersionResponse]:
    stored = find_stored_dag(tx, dag_id)
    name = _find_name(context, tx, dag_id)
    return [
        build_version(
            dag_id,
            name,
            version.version_pk,
            version.number,
            version.created_at,
            version.bundle_name,
            version.bundle_version,
        )
        for version in list_version_numbers(tx, stored.dag_pk)
    ]
