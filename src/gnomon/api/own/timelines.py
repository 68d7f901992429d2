"""The past and the coming hours of all DAGs: how many runs ended, and how many are due."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.own.dag_conditions import DagConditions, choose_dags
from gnomon.api.policies import ApiResource, Permission
from gnomon.model.instants import SECOND, to_datetime
from gnomon.queries.report.activity.run_timeline import (
    TimelineGroup,
    TimelineRequest,
    build_timeline,
)

MINUTE = 60 * SECOND
router = OperationRouter(prefix="/timeline", tags=["Timeline"])
HOURS_MAX = 48
COMING_MAX = 200
GROUPS_MAX = 200


class TimelineFilters(DagConditions):
    """The parameters of `GET /timeline`: which DAGs, which hours, how they are grouped."""

    hours: Annotated[int, Query(ge=1, le=HOURS_MAX)] = 24
    past: Annotated[int, Query(ge=0, le=HOURS_MAX)] = 6
    group_by: Literal["tag", "owner", "folder", "pool", "state", "dag"] = "tag"
    limit: Annotated[int, Query(ge=0, le=COMING_MAX)] = 20
    groups: Annotated[int, Query(ge=0, le=GROUPS_MAX)] = 50
    ahead: Annotated[int, Query(ge=0, lt=60)] = 0
    """By how many minutes past the full hour the clocks of the reader are ahead of UTC: 45 in Kathmandu, whose hours begin at 15 past of UTC."""


class TimelineGroupAnswer(Answer):
    """The runs of a group of DAGs; each list has one number for each hour."""

    name: str
    """Empty: the DAGs without a tag, without an owner, or without a run."""
    dags: int
    late: int
    """DAGs whose next run is overdue and has not been created."""
    success: list[int]
    failed: list[int]
    coming: list[int]


class ComingRunAnswer(Answer):
    """A run that is due."""

    dag_id: str
    run_after: datetime


class TimelineAnswer(Answer):
    """Hours from `since` on, and the runs in each. A DAG with two tags is in two groups."""

    at: datetime
    since: datetime
    """The start of the first hour."""
    hours: int
    total: TimelineGroupAnswer
    """All the DAGs, each counted once; its name is empty."""
    groups: list[TimelineGroupAnswer]
    """The group with the most runs first; one without runs is left out."""
    left_out: int
    """Groups that are not listed."""
    coming: list[ComingRunAnswer]
    """The next run of each DAG, the first ones; an overdue one is before `at`."""
    within_hour: int
    """Runs that are due in the 60 minutes after `at`, whatever the hours of the clock are."""
    unknown: int
    """DAGs of which only the next run is counted: the timetable is of an author, or its due times are not computed yet, and the next request has more of them."""


@router.get("", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_timeline(filters: Annotated[TimelineFilters, Query()], context: Context, user: CurrentUser) -> TimelineAnswer:
    """The runs that ended in the `past` hours and that are due in the coming `hours`, of the DAGs that the user may see."""
    request = TimelineRequest(
        context.clock.now(),
        filters.past,
        filters.hours,
        filters.group_by,
        filters.limit,
        filters.groups,
        ahead=filters.ahead * MINUTE,
    )
    with context.database.read() as tx:
        facts = context.facts.find_all(tx)
        chosen = choose_dags(context, tx, VisibleDags(context, tx, user, facts=facts), user, filters)
        timeline = build_timeline(tx, facts, chosen, context.coming_slots, request)
    return TimelineAnswer(
        at=to_datetime(request.now),
        since=to_datetime(timeline.since),
        hours=timeline.hours,
        total=_build_group(timeline.total),
        groups=[_build_group(timeline_group) for timeline_group in timeline.groups],
        left_out=timeline.left_out,
        within_hour=timeline.within_hour,
        unknown=timeline.unknown,
        coming=[
            ComingRunAnswer(dag_id=facts.by_dag[run.dag_pk].spec.dag_id, run_after=to_datetime(run.run_after))
            for run in timeline.coming
        ],
    )


def _build_group(group: TimelineGroup) -> TimelineGroupAnswer:
    return TimelineGroupAnswer(
        name=group.name,
        dags=group.dags,
        late=group.late,
        success=group.success,
        failed=group.failed,
        coming=group.coming,
    )
