"""Previews of schedules, and the difference of two."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, replace
from typing import Annotated

from pydantic import Field, model_validator

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.reader_language import word
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.sentence_answers import SentenceAnswer, build_sentence, build_sentence_or_none
from gnomon.api.common.shapes import Answer, Body
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.changes.actions import schedule_previews
from gnomon.changes.actions.schedule_previews import PreviewedSchedule, to_checked_instant
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.sentences import say
from gnomon.model.slots import PlannedRun
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.local_time import build_slot_row, format_local
from gnomon.queries.report.schedule_difference import RunPair, compute_difference
from gnomon.rules.planning.window import WindowRuns

router = OperationRouter(prefix="/timetables", tags=["Timetable"])
SLOTS_MAX = 1_000
"""The most slots of a preview."""
DIFFERENCE_SLOTS_MAX = 10_000
"""The most slots of each schedule that are compared."""
_READ = requires(Permission.READ, ApiResource.DAG)
PREVIEW_SLOTS = RequestSlots("previews and differences of schedules", 4)
"""An account that may only read can ask for thousands of slots with each request."""
Text = Annotated[str, Field(min_length=1, max_length=500)]


class TimetableBody(Body):
    """The stored form of a built-in timetable: the name of its class, and the argument of its `deserialize`."""

    path: Text
    data: dict[str, object] = {}


class ScheduleBody(Body):
    """A schedule: exactly one of `cron`, `timetable`, `dag_id`, and `calendar` alone; `calendar` may be given with `cron` too."""

    cron: Text | None = None
    """Five fields or more, or a preset such as `@daily`."""
    timetable: TimetableBody | None = None
    dag_id: Text | None = None
    """The schedule of a DAG, within its start and end dates."""
    calendar: Text | None = None
    """A calendar of gnomon.toml: alone a slot on each of its business days, with `cron` no slot on its days off."""
    on_holiday: Text | None = None
    """With `cron` and `calendar`: `skip`, `next` or `previous`."""
    at: Text = "00:00"
    """With `calendar` alone: the time of day."""
    timezone: Annotated[str, Field(pattern=r"^[ -~]{1,100}$")] | None = None
    """Of the schedule, and of the times that are shown. Default: the schedule's own."""

    @model_validator(mode="after")
    def _check_one(self) -> ScheduleBody:
        schedule_fields = [name for name in ("cron", "timetable", "dag_id") if getattr(self, name) is not None]
        if (
            len(schedule_fields) > 1
            or (not schedule_fields and self.calendar is None)
            or (self.calendar is not None and schedule_fields not in ([], ["cron"]))
        ):
            raise ValueError(
                "give exactly one of cron, timetable, dag_id, and calendar; calendar may be given with cron too"
            )
        return self


class WindowBody(Body):
    """A window of time. A time without an offset is a local time of the schedule."""

    start: Annotated[dt.datetime | None, Field(alias="from")] = None
    """Default: now."""
    end: Annotated[dt.datetime | None, Field(alias="to")] = None
    """The first instant after the window."""


class PreviewBody(WindowBody):
    """Which schedule, when, and how many slots."""

    schedule: ScheduleBody
    limit: Annotated[int, Field(ge=1, le=SLOTS_MAX)] = 100


class DifferenceBody(WindowBody):
    """Two schedules and a window; default: a year from now."""

    before: ScheduleBody
    after: ScheduleBody
    """If `before` is a DAG and this is not, it gets the start and end dates of the DAG."""


class SlotAnswer(Answer):
    """A slot and the run that it would get."""

    run_id: str
    run_after: dt.datetime
    logical_date: dt.datetime | None
    data_interval_start: dt.datetime | None
    data_interval_end: dt.datetime | None
    local: str
    """`run_after` in the zone, with weekday and offset."""
    clock_change: str | None = None
    """How the clocks have changed since the slot before, such as `+01:00`; None: they have not."""


class SkippedDayAnswer(Answer):
    """A day without a slot because of the calendar."""

    day: dt.date
    reason: str


class ClockChangeAnswer(Answer):
    """A change of the clocks in the window."""

    at: dt.datetime
    change: str
    """By how much the clocks are put forward, such as `+01:00`."""


class PreviewAnswer(Answer):
    """The slots of a schedule in a window, as if each got a run."""

    summary: SentenceAnswer
    description: SentenceAnswer | None
    timezone: str
    slots: list[SlotAnswer]
    skipped: list[SkippedDayAnswer]
    clock_changes: list[ClockChangeAnswer]
    known_until: dt.datetime
    """All slots, skipped days and clock changes before this instant are in the answer."""
    stop_reason: str | None
    """Why later slots are not known: the timetable fails, or took too long; None: there are none in the window, or `limit` was reached."""


class SlotPairAnswer(Answer):
    """A slot of the old schedule, and the slot of the new one that replaces it."""

    before: SlotAnswer
    after: SlotAnswer
    by_seconds: float
    """By how much the new slot is later."""


class DifferenceAnswer(Answer):
    """What changes if one schedule replaces the other."""

    summary: SentenceAnswer
    """The numbers in one line."""
    timezone: str
    same: int
    gained: list[SlotAnswer]
    lost: list[SlotAnswer]
    moved: list[SlotPairAnswer]
    redefined: list[SlotPairAnswer]
    """Slots at the same time with another data interval."""
    known_until: dt.datetime
    """The slots before this instant were compared."""
    stop_reasons: list[str]


@router.post("/preview", dependencies=[_READ, PREVIEW_SLOTS.require()])
def preview_timetable(body: PreviewBody, context: Context, user: CurrentUser) -> PreviewAnswer:
    """The slots of a schedule in a window."""
    schedule = build_schedule(context, user, body.schedule)
    start, end = resolve_window(context, body, schedule)
    window = schedule.list_runs(context.cfg, context.clock, start, end, body.limit)
    end_of_slots = schedule_previews.find_known_end(window, start, end, body.limit)
    return PreviewAnswer(
        summary=build_sentence(schedule.summary, str),
        description=build_sentence_or_none(schedule.description, str),
        timezone=schedule.zone_name,
        slots=_build_slots(window.runs, schedule),
        skipped=build_skipped_days(schedule, context, start, end_of_slots, SLOTS_MAX),
        clock_changes=build_clock_changes(schedule, start, end_of_slots),
        known_until=to_datetime(end_of_slots),
        stop_reason=window.stop_reason and word(window.stop_reason),
    )


@router.post("/diff", dependencies=[_READ, PREVIEW_SLOTS.require()])
def compare_timetables(body: DifferenceBody, context: Context, user: CurrentUser) -> DifferenceAnswer:
    """What changes if the schedule `after` replaces the schedule `before`. Two slots of one local day count as one that moved, the nearest first."""
    before, after = build_schedule(context, user, body.before), build_schedule(context, user, body.after)
    if body.before.dag_id is not None and body.after.dag_id is None:
        after = replace(after, earliest=before.earliest, latest=before.latest)
    start, end = resolve_window(context, body, before)
    until = start + 366 * 86_400 * SECOND if end is None else end
    windows = [
        schedule.list_runs(context.cfg, context.clock, start, until, DIFFERENCE_SLOTS_MAX)
        for schedule in (before, after)
    ]
    until = min(schedule_previews.find_known_end(window, start, until, DIFFERENCE_SLOTS_MAX) for window in windows)
    old, new = ([run for run in window.runs if run.run_after < until] for window in windows)
    difference = compute_difference(old, new, before.zone)
    return DifferenceAnswer(
        summary=build_sentence(difference.describe(), str),
        timezone=before.zone_name,
        same=len(difference.same),
        gained=_build_slots(difference.gained, before),
        lost=_build_slots(difference.lost, before),
        moved=[_build_pair(pair, before) for pair in difference.moved],
        redefined=[_build_pair(pair, before) for pair in difference.redefined],
        known_until=to_datetime(until),
        stop_reasons=_list_stop_reasons(windows),
    )


def build_skipped_days(
    schedule: PreviewedSchedule, context: ApiContext, start: Instant, end: Instant, most: int
) -> list[SkippedDayAnswer]:
    """The days without a slot because of the calendar, at most `most`; none in an empty window."""
    skipped_days = schedule_previews.list_skipped_days(schedule, context.clock, start, end, most) if end > start else []
    return [SkippedDayAnswer(day=skipped_day.day, reason=word(skipped_day.reason)) for skipped_day in skipped_days]


def build_clock_changes(schedule: PreviewedSchedule, start: Instant, end: Instant) -> list[ClockChangeAnswer]:
    """The clock changes of the zone in the window."""
    changes = schedule_previews.list_clock_changes(schedule.zone, start, end)
    return [
        ClockChangeAnswer(
            at=to_datetime(clock_change.at), change=format_change(clock_change.after - clock_change.before)
        )
        for clock_change in changes
    ]


def build_schedule(context: ApiContext, user: User, body: ScheduleBody) -> PreviewedSchedule:
    """The schedule that a client has described. Raises UserError for one that is wrong, AccessRefused for a DAG that the user may not see."""
    if body.dag_id is not None:
        with context.database.read() as tx:
            require_role(context, tx, user, body.dag_id, Role.VIEWER)
            return schedule_previews.build_dag_schedule(find_dag(tx, body.dag_id), body.timezone)
    if body.cron is not None:
        return schedule_previews.build_cron_schedule(
            context.cfg, body.cron, body.timezone, body.calendar, body.on_holiday
        )
    if body.timetable is not None:
        return schedule_previews.build_timetable_schedule(
            context.cfg, body.timetable.path, body.timetable.data, body.timezone
        )
    assert body.calendar is not None
    return schedule_previews.build_calendar_schedule(context.cfg, body.calendar, body.at, body.timezone)


def resolve_window(
    context: ApiContext, body: WindowBody, schedule: PreviewedSchedule
) -> tuple[Instant, Instant | None]:
    """The start of the window, and its end if the client has given one. Raises UserError for an empty window."""
    start = context.clock.now() if body.start is None else to_checked_instant(body.start, schedule.zone)
    end = None if body.end is None else to_checked_instant(body.end, schedule.zone)
    if end is not None and end <= start:
        raise UserError(say("window_of_api_is_empty", until=end, at=start))
    return start, end


def _build_slots(runs: list[PlannedRun] | tuple[PlannedRun, ...], schedule: PreviewedSchedule) -> list[SlotAnswer]:
    answers = []
    offset: dt.timedelta | None = None
    for run in runs:
        now = to_datetime(run.run_after).astimezone(schedule.zone).utcoffset()
        change = None if offset is None or now is None or now == offset else format_change(now - offset)
        answers.append(_build_slot(run, schedule, change))
        offset = now
    return answers


def _build_slot(run: PlannedRun, schedule: PreviewedSchedule, change: str | None = None) -> SlotAnswer:
    return SlotAnswer.model_validate(
        {**asdict(build_slot_row(run)), "local": format_local(run.run_after, schedule.zone), "clock_change": change}
    )


def _build_pair(pair: RunPair, schedule: PreviewedSchedule) -> SlotPairAnswer:
    return SlotPairAnswer(
        before=_build_slot(pair.before, schedule), after=_build_slot(pair.after, schedule), by_seconds=pair.delay_s
    )


def format_change(change: dt.timedelta) -> str:
    """`+01:00`: by how much the clocks are put forward."""
    minutes = round(abs(change) / dt.timedelta(minutes=1))
    return f"{'-' if change < dt.timedelta(0) else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def _list_stop_reasons(windows: list[WindowRuns]) -> list[str]:
    return [word(window.stop_reason) for window in windows if window.stop_reason is not None]
