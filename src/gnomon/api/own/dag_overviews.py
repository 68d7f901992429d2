"""DAGs as the page lists them: filters that can be turned round, the newest runs of each, counts by state, and the values that filters can have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import SortField, parse_order
from gnomon.api.common.paging import OFFSET_MAX
from gnomon.api.common.reader_language import word
from gnomon.api.common.sentence_answers import SentenceAnswer, build_sentence_fields
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.own.dag_conditions import (
    NO_STATE,
    DagConditions,
    build_shared_conditions,
    find_timetable_type,
    fits_facets,
    list_facet_conditions,
)
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.dag_filters import DAG_KEY, DAG_ORDER, list_owners
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.sentences.stored_sentences import read_sentence
from gnomon.model.states import DagRunState
from gnomon.queries.report.activity.dag_overview import DagOverview, NewestFailure, read_overviews
from gnomon.queries.report.activity.run_timeline import find_folder
from gnomon.queries.report.listings.dag_facts import FactsOfAll, VersionFacts
from gnomon.rules.assets.schedule_words import describe_schedule, summarize_schedule
from gnomon.storage.store.accounts.favorite_dags import list_favorites
from gnomon.storage.store.pages.dag_pages import DagFacet, count_dag_facets, read_dag_page
from gnomon.storage.store.pages.page_query import PageQuery

router = OperationRouter(tags=["DAG overview"])
_READ = requires(Permission.READ, ApiResource.DAG)
LIMIT_MAX = 100
CHOICES_MAX = 500
"""The most values of one filter that are listed, those of the most DAGs."""
ORDER = {
    "dag_id": DAG_ORDER["dag_id"],
    "last_run": SortField("last_run_after", is_nullable=True),
    "next_run": SortField("next_dagrun", is_nullable=True),
    "duration": SortField("last_run_duration", is_nullable=True),
    "failures": SortField("failures"),
}
"""By the name of an attribute in `order_by`."""


class DagOverviewFilters(DagConditions):
    """The parameters of `GET /dags`."""

    limit: int = Field(50, ge=1, le=LIMIT_MAX)
    offset: int = Field(0, ge=0, le=OFFSET_MAX)
    order_by: list[str] = Field([])


class RunBarAnswer(Answer):
    """One of the newest runs."""

    run_id: str
    run_type: str
    state: str
    run_after: datetime
    end_date: datetime | None
    duration: float | None
    """Seconds; of an unfinished run null."""


class NewestFailureAnswer(Answer):
    """Why the newest run of a DAG failed."""

    task_id: str | None
    """The task that failed first in it; null: the run failed as a whole."""
    map_index: int
    error: str | None
    """The first line of what the task, or the run, says."""


class DagOverviewAnswer(Answer):
    """A DAG in the list."""

    dag_id: str
    display_name: str
    is_paused: bool
    is_favorite: bool
    schedule: SentenceAnswer
    schedule_description: SentenceAnswer | None
    timetable_type: str
    next_run: datetime | None
    next_interval: list[datetime] | None
    """The data interval of the next run: its start and its end."""
    late_since: datetime | None
    """When the next run was due, if it is overdue and has not been created."""
    predicted_end: datetime | None
    """When the newest run will probably end, if it runs and the monitor has predicted it."""
    owners: list[str]
    tags: list[str]
    file: str
    has_import_errors: bool
    problems: list[str]
    """Errors of its schedule and dependencies, and warnings of its file."""
    runs: list[RunBarAnswer]
    """The newest runs, oldest first."""
    failure: NewestFailureAnswer | None
    """Why the newest run failed; null: it did not."""
    counts: dict[str, int]
    """All its runs by state."""
    recent: dict[str, int]
    """Those that were due in the last 24 hours."""


class DagOverviewsAnswer(Answer):
    """A page of DAGs."""

    at: datetime
    dags: list[DagOverviewAnswer]
    total: int
    states: dict[str, int]
    """How many DAGs the other filters leave in each state of the newest run, `none` without a run; the filters of the state and of paused do not count."""
    paused: int
    """How many of these are paused."""


class FilterChoice(Answer):
    """A value of a filter, and the number of DAGs that have it."""

    value: str
    dags: int


class FilterChoicesAnswer(Answer):
    """The values of the filters among the DAGs that the user may see; at most 500 of each."""

    tags: list[FilterChoice]
    owners: list[FilterChoice]
    schedules: list[FilterChoice]
    """Class names of timetables."""
    folders: list[FilterChoice]


@router.get("/dags", response_model=DagOverviewsAnswer, dependencies=[_READ])
def get_dag_overviews(filters: Annotated[DagOverviewFilters, Query()], context: Context, user: CurrentUser) -> Response:
    """DAGs that a file defines, with their schedule, newest runs and counts."""
    order = parse_order(filters.order_by, ORDER, "dag_id", DAG_KEY)
    now = context.clock.now()
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        hide = build_name_filter(visible)
        shared = build_shared_conditions(context, tx, visible, user, filters)
        conditions = (*shared, *list_facet_conditions(filters))
        page = read_dag_page(tx, PageQuery(conditions, order.keys, filters.limit, filters.offset))
        facets = count_dag_facets(tx, shared)
        facts = context.facts.find(tx, (dag.version for dag in page))
        favorites = frozenset(list_favorites(tx, user.name))
        overviews = read_overviews(tx, page, now)
        has_running = any(_find_running(overview) is not None for overview in overviews)
        ends = context.forecasts.find_ends(tx, now) if has_running else {}
    dags = [
        _build(overview, facts[overview.dag.dag_pk], hide, ends, is_favorite=overview.dag.dag_pk in favorites)
        for overview in overviews
    ]
    body = {
        "at": iso(now),
        "dags": dags,
        "total": sum(facet.count for facet in facets if fits_facets(filters, facet.state, is_paused=facet.is_paused)),
        "states": _count_states(facets),
        "paused": sum(facet.count for facet in facets if facet.is_paused),
    }
    return Response(msgspec.json.encode(body), media_type="application/json")


def _count_states(facets: Iterable[DagFacet]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for facet in facets:
        counts[NO_STATE if facet.state is None else facet.state.value] += facet.count
    return counts


@router.get("/dagFilters", response_model=FilterChoicesAnswer, dependencies=[_READ])
def get_dag_filters(context: Context, user: CurrentUser) -> Response:
    """What DAGs can be filtered by: the tags, owners, timetables and folders that occur."""
    with context.database.read() as tx:
        facts = context.facts.find_all(tx)
        visible = VisibleDags(context, tx, user, facts=facts)
    body = facts.derive(("filter choices", visible.key), lambda: _list_choices(facts, visible))
    return Response(body, media_type="application/json")


def _list_choices(facts: FactsOfAll, visible: VisibleDags) -> bytes:
    """FilterChoicesAnswer as JSON."""
    shown = {
        dag_pk: version_facts
        for dag_pk, version_facts in facts.by_dag.items()
        if dag_pk in facts.active and version_facts.spec.dag_id in visible
    }
    return msgspec.json.encode(
        {
            "tags": _count(tag for version_facts in shown.values() for tag in version_facts.spec.tags),
            "owners": _count(owner for version_facts in shown.values() for owner in list_owners(version_facts)),
            "schedules": _count(find_timetable_type(version_facts) for version_facts in shown.values()),
            "folders": _count(find_folder(facts.files[dag_pk]) for dag_pk in shown),
        }
    )


def _count(values: Iterable[str]) -> list[dict[str, object]]:
    """FilterChoice of each value."""
    return [{"value": value, "dags": number} for value, number in sorted(Counter(values).most_common(CHOICES_MAX))]


def _find_running(overview: DagOverview) -> str | None:
    """The id of the newest run, if it runs."""
    newest = overview.runs[0] if overview.runs else None
    return newest.run_id if newest is not None and newest.state is DagRunState.RUNNING else None


def _build(
    overview: DagOverview,
    facts: VersionFacts,
    hide: Callable[[str], str],
    ends: Mapping[tuple[str, str], Instant],
    *,
    is_favorite: bool,
) -> dict[str, Any]:
    """The fields of DagOverviewAnswer, written without validation: a page has a thousand runs."""
    spec, dag, planned = facts.spec, overview.dag, overview.dag.next_run
    description = describe_schedule(spec)
    interval = (
        None
        if planned is None or planned.interval_start is None
        else (iso(planned.interval_start), iso(planned.interval_end))
    )
    return {
        "dag_id": dag.dag_id,
        "display_name": facts.display_name,
        "is_paused": dag.is_paused,
        "is_favorite": is_favorite,
        "schedule": build_sentence_fields(summarize_schedule(spec), hide),
        "schedule_description": None if description is None else build_sentence_fields(description, hide),
        "timetable_type": find_timetable_type(facts),
        "next_run": None if planned is None else iso(planned.run_after),
        "next_interval": interval,
        "late_since": iso(overview.late_since),
        "predicted_end": iso(ends.get((dag.dag_id, _find_running(overview) or ""))),
        "owners": list_owners(facts),
        "tags": sorted(spec.tags),
        "file": dag.file,
        "has_import_errors": dag.has_import_errors,
        "problems": [hide(word(read_sentence(problem))) for problem in overview.problems],
        "runs": [
            {
                "run_id": run.run_id,
                "run_type": run.run_type.value,
                "state": run.state.value,
                "run_after": iso(run.run_after),
                "end_date": iso(run.ended_at),
                "duration": None
                if run.started_at is None or run.ended_at is None
                else (run.ended_at - run.started_at) / SECOND,
            }
            for run in reversed(overview.runs)
        ],
        "failure": _build_failure(overview.failure, hide),
        "counts": {state.value: count for state, count in overview.counts.items()},
        "recent": {state.value: count for state, count in overview.recent.items()},
    }


def _build_failure(failure: NewestFailure | None, hide: Callable[[str], str]) -> dict[str, object] | None:
    if failure is None:
        return None
    return {
        "task_id": failure.task_id,
        "map_index": failure.map_index,
        "error": None if failure.error is None else hide(word(failure.error)),
    }
