"""The dependencies of DAGs on other DAGs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Annotated

import msgspec
from fastapi import Query
from starlette.responses import Response

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags, require_role
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.reader_language import word
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.sentence_answers import SentenceAnswer, build_sentence
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.changes.actions.dependency_previews import (
    EdgePreview,
    LocatedDag,
    list_sensor_options,
    preview_edge,
    preview_sensor,
)
from gnomon.model.accounts import Role
from gnomon.model.instants import iso
from gnomon.model.sentences import say
from gnomon.model.spec import collect_edges
from gnomon.model.upstream_edges import Edge
from gnomon.queries.report.listings.dag_facts import FactsOfAll
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.local_time import DayClock, to_local
from gnomon.queries.report.waits.edge_wording import describe_options
from gnomon.queries.report.waits.sensor_waits import AFTER, SensorEdge, build_sensor_edges
from gnomon.queries.report.waits.wait_graph import EdgeRow, build_sensor_row
from gnomon.rules.assets.schedule_words import summarize_schedule
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag.dag_edges import DagEdge, list_edges
from gnomon.storage.store.dag_records import dags

router = OperationRouter(prefix="/dependencies", tags=["Dependency"])


class DependencyAnswer(Answer):
    """A dependency of a DAG, or of one of its tasks, on another DAG."""

    dag_id: str
    task_id: str | None
    """The task that waits; None: the whole run waits."""
    upstream_dag_id: str
    upstream_task_id: str | None
    options: list[str]
    """A phrase for each option that is not the default."""
    paused: bool
    unknown: bool
    """No file defines the upstream DAG."""
    error: str | None
    """Why the dependencies of the DAG can never be met; then none of its runs is created."""
    kind: str
    """`after`; `sensor`: an ExternalTaskSensor waits; `marker`: an ExternalTaskMarker of the upstream task names it. A template stands in the place of an id
    that is known only when the task runs."""
    could_be: str | None
    """Of a sensor or a marker: the `depends_on=` that could take its place, and where it would stand."""


class DependencyGraphAnswer(Answer):
    """The dependencies between DAGs that the user may see, by DAG."""

    dependencies: list[DependencyAnswer]


@router.get("/graph", response_model=DependencyGraphAnswer, dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_dependency_graph(context: Context, user: CurrentUser) -> Response:
    """All dependencies between DAGs. One that leads to a DAG that the user may not see is left out."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        hide = build_name_filter(visible)
        rows = [row for row in list_edges(tx) if row.dag_id in visible and row.edge.dependency.dag_id in visible]
        paused = {dag.dag_id for dag in dags.list_dags(tx) if dag.paused}
        facts = context.facts.find_all(tx)
    answers = [_build_dependency(row, hide) for row in rows]
    active_ids = {facts.by_dag[dag_pk].spec.dag_id for dag_pk in facts.active if dag_pk in facts.by_dag}
    answers += [
        _build_sensor(edge, build_sensor_row(edge, active_ids, paused))
        for edge in _list_sensor_edges(facts)
        if _is_visible(edge, visible)
    ]
    return Response(
        msgspec.json.encode({"dependencies": sorted(answers, key=lambda answer: str(answer["dag_id"]))}),
        media_type="application/json",
    )


def _list_sensor_edges(facts: FactsOfAll) -> list[SensorEdge]:
    """The waits of the sensors and markers of all DAGs that a file defines."""
    about = [facts.by_dag[dag_pk] for dag_pk in facts.active if dag_pk in facts.by_dag]
    return facts.derive(
        "sensor edges",
        lambda: [
            edge
            for version_facts in about
            for wait in version_facts.task_waits
            for edge in build_sensor_edges(version_facts.spec.dag_id, version_facts.spec.timetable, wait)
        ],
    )


def _is_visible(edge: SensorEdge, visible: VisibleDags) -> bool:
    return all(dag_id is None or dag_id in visible for dag_id in (edge.dag_id, edge.upstream_dag_id))


def _build_sensor(edge: SensorEdge, row: EdgeRow) -> dict[str, object]:
    return {
        "dag_id": row.dag_id,
        "task_id": row.task_id,
        "upstream_dag_id": row.upstream_dag_id,
        "upstream_task_id": row.upstream_task_id,
        "options": list_sensor_options(edge),
        "paused": row.paused,
        "unknown": row.unknown,
        "error": None,
        "kind": row.kind,
        "could_be": row.could_be,
    }


def _build_dependency(row: DagEdge, hide: Callable[[str], str]) -> dict[str, object]:
    """The fields of DependencyAnswer, written without validation: there may be thousands."""
    after = row.edge.dependency
    return {
        "dag_id": row.dag_id,
        "task_id": row.edge.task_id,
        "upstream_dag_id": after.dag_id,
        "upstream_task_id": after.task_id,
        "options": describe_options(after),
        "paused": row.paused,
        "unknown": not row.is_known,
        "error": None if row.error is None else hide(word(row.error)),
        "kind": AFTER,
        "could_be": None,
    }


DEPENDENCIES_MAX = 20
"""The most dependencies of one answer about a day: each is computed slot by slot."""
FIRST_YEAR, LAST_YEAR = 1900, 9000
_DAY_SLOTS = RequestSlots("previews of dependencies", 4)


class DayLineAnswer(Answer):
    """A run of the day, and the upstream slots that it waits for."""

    run_after: dt.datetime
    waits_for: list[dt.datetime]
    rule: str
    window_start: dt.datetime
    window_end: dt.datetime
    """The rule looked at the slots from `window_start` to before `window_end`."""


class DayDependencyAnswer(Answer):
    """One dependency on one day, as if every slot of both DAGs had a run."""

    task_id: str | None
    upstream_dag_id: str
    upstream_task_id: str | None
    options: list[str]
    upstream_schedule: SentenceAnswer | None
    """None: no file defines the upstream DAG."""
    error: str | None
    """Why the lines cannot be computed."""
    kind: str
    """`after`, `sensor` or `marker`."""
    could_be: str | None
    """Of a sensor or a marker: the `depends_on=` that could take its place, and where it would stand."""
    runs: list[DayLineAnswer]
    upstream_slots: list[dt.datetime]
    """All slots of the upstream DAG on that day, whether a run waits for them or not."""


class DayDependenciesAnswer(Answer):
    """The dependencies of a DAG on one day of its time zone."""

    dag_id: str
    schedule: SentenceAnswer
    day: dt.date
    timezone: str
    start: dt.datetime
    end: dt.datetime
    dependencies: list[DayDependencyAnswer]
    left_out: int
    """Further dependencies of the DAG that the answer does not have; those on DAGs that the user may not see are not counted."""


@router.get("/day", dependencies=[requires(Permission.READ, ApiResource.DAG), _DAY_SLOTS.require()])
def get_dependencies_of_day(
    dag_id: str,
    context: Context,
    user: CurrentUser,
    day: dt.date | None = None,
    first: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> DayDependenciesAnswer:
    """Which slots of other DAGs each run of a day waits for, by the timetables alone. `day`: default today. `first`: dependencies to pass over."""
    with context.database.read() as tx:
        require_role(context, tx, user, dag_id, Role.VIEWER)
        dag_record = find_dag(tx, dag_id)
        dag = LocatedDag(dag_record.spec, dag_record.file, "the database")
        visible = VisibleDags(context, tx, user)
        edges: list[Edge | SensorEdge] = [edge for edge in collect_edges(dag.spec) if edge.dependency.dag_id in visible]
        edges += [
            edge
            for edge in _list_sensor_edges(context.facts.find_all(tx))
            if edge.dag_id == dag_id and _is_visible(edge, visible)
        ]
        chosen = edges[first : first + DEPENDENCIES_MAX]
        upstreams = _find_upstreams(tx, {_get_upstream_id(edge) for edge in chosen})
        hide = build_name_filter(visible)
    clock = DayClock(dag.zone, _check_day(day if day is not None else to_local(context.clock.now(), dag.zone).date()))
    previews = [_preview(context, dag, upstreams.get(_get_upstream_id(edge) or ""), edge, clock) for edge in chosen]
    return DayDependenciesAnswer.model_validate(
        {
            "dag_id": dag_id,
            "schedule": build_sentence(summarize_schedule(dag.spec), hide),
            "day": clock.day,
            "timezone": dag.zone_name,
            "start": iso(clock.start),
            "end": iso(clock.end),
            "left_out": max(0, len(edges) - first - len(chosen)),
            "dependencies": [_build_day_dependency(preview, hide) for preview in previews],
        }
    )


def _get_upstream_id(edge: Edge | SensorEdge) -> str | None:
    return edge.upstream_dag_id if isinstance(edge, SensorEdge) else edge.dependency.dag_id


def _preview(
    context: Context, dag: LocatedDag, upstream: LocatedDag | None, edge: Edge | SensorEdge, clock: DayClock
) -> EdgePreview:
    if isinstance(edge, SensorEdge):
        return preview_sensor(context.cfg, dag, upstream, edge, clock)
    return preview_edge(context.cfg, dag, upstream, edge, clock)


def _check_day(day: dt.date) -> dt.date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise Refusal(422, say("day_is_out_of_range", text=str(day), least=FIRST_YEAR, most=LAST_YEAR))
    return day


def _find_upstreams(tx: Transaction, dag_ids: Iterable[str | None]) -> dict[str, LocatedDag]:
    """The upstream DAGs that a file defines, by id."""
    located = {}
    for dag_id in dag_ids:
        row = None if dag_id is None else dags.find_dag_row(tx, dag_id)
        if dag_id is not None and row is not None and row.active:
            located[dag_id] = LocatedDag(find_dag(tx, dag_id).spec, row.file, "the database")
    return located


def _build_day_dependency(preview: EdgePreview, hide: Callable[[str], str]) -> dict[str, object]:
    record, after, upstream = preview.as_record(), preview.edge.dependency, preview.upstream
    error = preview.error or preview.note
    return {
        "task_id": preview.edge.task_id,
        "upstream_dag_id": after.dag_id,
        "upstream_task_id": after.task_id,
        "options": preview.options,
        "upstream_schedule": None if upstream is None else build_sentence(summarize_schedule(upstream.spec), hide),
        "error": None if error is None else hide(word(error)),
        "kind": record["kind"],
        "could_be": record["could_be"],
        "runs": record["runs"],
        "upstream_slots": record["upstream_slots"],
    }
