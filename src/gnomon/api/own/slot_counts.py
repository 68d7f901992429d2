"""How many slots a schedule has on each day, and what a client can choose for a preview."""

from __future__ import annotations

import datetime as dt

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.reader_language import word
from gnomon.api.common.sentence_answers import SentenceAnswer, build_sentence, build_sentence_or_none
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.own.timetables import (
    PREVIEW_SLOTS,
    SLOTS_MAX,
    ClockChangeAnswer,
    ScheduleBody,
    SkippedDayAnswer,
    WindowBody,
    build_clock_changes,
    build_schedule,
    build_skipped_days,
    resolve_window,
)
from gnomon.api.policies import ApiResource, Permission
from gnomon.authoring.sdk.schedules.named_calendars import NamedCalendars
from gnomon.changes.actions import schedule_previews
from gnomon.model.instants import SECOND, to_datetime
from gnomon.rules.timetables.registry import BUILTINS

router = OperationRouter(prefix="/timetables", tags=["Timetable"])
_YEAR = 367 * 86_400 * SECOND
_READ = requires(Permission.READ, ApiResource.DAG)


class DayCountsBody(WindowBody):
    """Which schedule, and a window of at most 367 days; default: a year from now."""

    schedule: ScheduleBody


class DayCountAnswer(Answer):
    """A local day with slots."""

    day: dt.date
    slots: int
    first: dt.datetime
    last: dt.datetime


class DayCountsAnswer(Answer):
    """The days of a window on which a schedule has slots."""

    summary: SentenceAnswer
    description: SentenceAnswer | None
    timezone: str
    days: list[DayCountAnswer]
    skipped: list[SkippedDayAnswer]
    clock_changes: list[ClockChangeAnswer]
    known_until: dt.datetime
    """The slots before this instant are counted."""
    stop_reason: str | None
    """Why later slots are not counted; None: all are."""


@router.post("/days", dependencies=[_READ, PREVIEW_SLOTS.require()])
def count_slots_of_days(body: DayCountsBody, context: Context, user: CurrentUser) -> DayCountsAnswer:
    """The number of slots of each local day of a window."""
    schedule = build_schedule(context, user, body.schedule)
    start, end = resolve_window(context, body, schedule)
    until = min(start + _YEAR, end or start + _YEAR)
    counted = schedule_previews.count_days(schedule, context.cfg, context.clock, start, until)
    skipped = build_skipped_days(schedule, context, start, counted.known_until, SLOTS_MAX)
    return DayCountsAnswer(
        summary=build_sentence(schedule.summary, str),
        description=build_sentence_or_none(schedule.description, str),
        timezone=schedule.zone_name,
        days=[
            DayCountAnswer(day=day.day, slots=day.slots, first=to_datetime(day.first), last=to_datetime(day.last))
            for day in counted.days
        ],
        skipped=skipped,
        clock_changes=build_clock_changes(schedule, start, until),
        known_until=to_datetime(counted.known_until),
        stop_reason=counted.stop_reason and word(counted.stop_reason),
    )


class ScheduleChoicesAnswer(Answer):
    """The names that a schedule of a preview can have."""

    timetables: list[str]
    """The classes of the built-in timetables."""
    calendars: list[str]
    """The calendars of gnomon.toml, in the order of the file."""
    timezone: str
    """The zone of a schedule that names none."""


@router.get("/choices", dependencies=[_READ])
def get_schedule_choices(context: Context) -> ScheduleChoicesAnswer:
    """The built-in timetables and the calendars of this installation."""
    names = NamedCalendars(context.cfg.home).names
    return ScheduleChoicesAnswer(
        timetables=list(BUILTINS), calendars=names, timezone=context.cfg.text("core", "default_timezone")
    )
