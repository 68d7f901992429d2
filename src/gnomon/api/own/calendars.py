"""A year of a DAG, day by day: past and coming runs, and why a day has none."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from fastapi import Query

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.sentence_answers import SentenceAnswer, SpannedAnswer, build_sentence, map_spans
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.own.timetables import ClockChangeAnswer, format_change
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.changes.actions.year_calendars import YearCalendar, read_year_calendar
from gnomon.model.errors.product import UserError
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import to_datetime
from gnomon.model.sentences import Sentence, say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.year_days import YearDays
from gnomon.rules.assets.schedule_words import summarize_schedule

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Calendar"])
_SLOTS = RequestSlots("calendars of a year", 4)


class CalendarDayAnswer(Answer):
    """One day."""

    day: dt.date
    runs: dict[str, int]
    """The runs that were due on the day, by state."""
    slots: int | None
    """The slots of the schedule on the day, with or without a run; null where they are not known."""
    reason: int | None
    """Why the day has no run, or some of its slots have none: an index of `reasons`."""


class CalendarAnswer(SpannedAnswer):
    """A year of a DAG."""

    dag_id: str
    year: int
    timezone: str
    schedule: SentenceAnswer
    paused: bool
    today: dt.date
    days: list[CalendarDayAnswer]
    reasons: list[str]
    clock_changes: list[ClockChangeAnswer]
    is_counted_whole: bool
    """False: the year has more runs than are counted; the newest are."""
    blocked: str | None
    """Why no coming run is created."""
    notes: list[str]


@router.get("/calendar", dependencies=[requires(Permission.READ, ApiResource.DAG_RUN), _SLOTS.require()])
def get_calendar(
    dag_id: Id,
    context: Context,
    user: CurrentUser,
    year: Annotated[int | None, Query(ge=1970, le=8999)] = None,
    timezone: Annotated[str | None, Query(pattern=r"^[ -~]{1,100}$")] = None,
) -> CalendarAnswer:
    """A year of runs by the day on which they are due. Default: this year, in the time zone of the schedule, or of the DAG if that has none."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
    name = timezone or dag.spec.local_timezone
    try:
        zone = find_zone(name)
    except (AirflowTimetableInvalid, ValueError, TypeError) as error:
        raise UserError(say("zone_is_wrong", error=str(error))) from None
    today = to_datetime(context.clock.now()).astimezone(zone).date()
    days = YearDays(today.year if year is None else year, zone)
    calendar = read_year_calendar(context.cfg, context.database, context.clock, dag, days)
    with context.database.read() as tx:
        hide = build_name_filter(VisibleDags(context, tx, user))
    reasons = list(dict.fromkeys(day.reason for day in calendar.days if day.reason is not None))
    return CalendarAnswer(
        dag_id=dag_id,
        year=days.year,
        timezone=name,
        schedule=build_sentence(summarize_schedule(dag.spec), hide),
        paused=dag.paused,
        today=today,
        days=_build_days(calendar, {reason: index for index, reason in enumerate(reasons)}),
        reasons=[hide(word(reason)) for reason in reasons],
        clock_changes=[
            ClockChangeAnswer(
                at=to_datetime(clock_change.at), change=format_change(clock_change.after - clock_change.before)
            )
            for clock_change in calendar.clock_changes
        ],
        is_counted_whole=calendar.is_counted_whole,
        blocked=None if calendar.blocked is None else hide(word(calendar.blocked)),
        notes=[hide(word(note)) for note in calendar.notes],
        spans=map_spans([calendar.blocked, *calendar.notes, *reasons], hide),
    )


def _build_days(calendar: YearCalendar, numbers: dict[Sentence, int]) -> list[CalendarDayAnswer]:
    return [
        CalendarDayAnswer(
            day=day.day,
            runs={state.value: count for state, count in day.states.items()},
            slots=day.slots,
            reason=None if day.reason is None else numbers[day.reason],
        )
        for day in calendar.days
    ]
