"""The slots of a schedule that need not belong to a DAG: a cron text, a built-in timetable with its parameters, or the schedule of a DAG.

Built-in timetables are called in this process for at most ANSWER_S; a timetable class of an author only in a timetable host, which has its own limit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from typing import Any

from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.authoring.sdk.schedules.named_calendars import NamedCalendars
from gnomon.authoring.sdk.schedules.schedule_argument import build_timetable_ref, parse_schedule
from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.model.errors.product import GnomonError, UserError
from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, quote, say
from gnomon.model.slots import Cursor, PlannedRun, TimetableRef
from gnomon.queries.report.local_time import to_local
from gnomon.rules.assets.schedule_words import describe_schedule, summarize_schedule
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.planning.window import WindowRuns, list_runs_in_window
from gnomon.rules.timetables.business_days import BusinessDays
from gnomon.rules.timetables.interval_timetables import CronDataIntervalTimetable
from gnomon.rules.timetables.registry import build
from gnomon.rules.timetables.stored_words import describe_timetable, summarize_timetable
from gnomon.rules.timetables.trigger_timetables import CronTriggerTimetable

ANSWER_S = 2.0
"""How long the slots of a built-in timetable are computed for one answer."""
DATA_BYTES_MAX = 65_536
"""The largest parameters of a timetable, as JSON."""
DAYS_LOOKED_AT_MAX = 3_700
"""The days of a window, from its start, that are searched for skipped days and clock changes: ten years."""
COUNTED_AT_ONCE = 10_000
"""The slots that are in memory while those of a year are counted."""
_WINDOW = "gnomon.rules.planning.window:list_runs_in_window"
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class PreviewedSchedule:
    """A schedule, its zone, and what the dates of its DAG allow."""

    ref: TimetableRef
    summary: Sentence
    description: Sentence | None
    zone: tzinfo
    zone_name: str
    file: str | None = None
    earliest: Instant | None = None
    latest: Instant | None = None
    last: Cursor | None = None

    def list_runs(self, cfg: Config, clock: Clock, start: Instant, end: Instant | None, most: int) -> WindowRuns:
        """The runs from `start` to before `end`, at most `most`. Raises UserError when the timetable fails before the first."""
        bounds: dict[str, Any] = {
            "start": start,
            "end": end,
            "most": most,
            "earliest": self.earliest,
            "latest": self.latest,
            "last": self.last,
        }
        deadline = clock.monotonic() + ANSWER_S
        try:
            if not self.ref.builtin:
                window: WindowRuns = ask_and_wait(
                    cfg,
                    _WINDOW,
                    WindowRuns,
                    timetable=self.ref,
                    file=self.file,
                    answers=make_question_handler(cfg),
                    **bounds,
                )
                return window
            return list_runs_in_window(build_checked(self.ref), **bounds, is_over=lambda: clock.monotonic() > deadline)
        except PlanningError as error:
            raise UserError(say("schedule_is_wrong", error=str(error))) from None


@dataclass(frozen=True, slots=True)
class DayCount:
    """The slots of one local day."""

    day: date
    slots: int
    first: Instant
    last: Instant


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The days with slots, in order."""

    days: list[DayCount]
    known_until: Instant
    """The slots before this instant are counted."""
    stop_reason: str | None


@dataclass(frozen=True, slots=True)
class SkippedDay:
    """A day on which the schedule would have a slot, if its calendar did not take the day off."""

    day: date
    reason: str


@dataclass(frozen=True, slots=True)
class ClockChange:
    """An instant at which the clocks of a zone change."""

    at: Instant
    before: timedelta
    """The offset from UTC before, and after."""
    after: timedelta


def build_cron_schedule(
    cfg: Config, cron: str, zone: str | None, calendar: str | None, on_holiday: str | None
) -> PreviewedSchedule:
    """The schedule of a cron text or a preset. Raises UserError for a text that is not cron, and for an unknown zone or calendar."""
    name = zone or cfg.text("core", "default_timezone")
    try:
        timetable: Any = parse_schedule(cron, find_zone(name))
        if calendar is not None:
            if not isinstance(timetable, CronTriggerTimetable | CronDataIntervalTimetable):
                raise UserError(say("schedule_takes_no_calendar", schedule=quote(cron)))
            named_calendar = NamedCalendars(cfg.home).find(calendar)
            plain = timetable.serialize()
            timetable = type(timetable).deserialize(
                {**plain, "calendar": named_calendar.encode(), "on_holiday": on_holiday or "skip"}
            )
        timetable.validate()
    except (AirflowTimetableInvalid, PlanningError, ValueError, TypeError) as error:
        raise UserError(say("schedule_is_wrong", error=str(error))) from None
    return _build_schedule(build_timetable_ref(timetable), name)


def build_calendar_schedule(cfg: Config, calendar: str, at: str, zone: str | None) -> PreviewedSchedule:
    """A slot on each business day of a calendar of gnomon.toml. Raises UserError for an unknown calendar or zone, and for a time that is none."""
    name = zone or cfg.text("core", "default_timezone")
    try:
        timetable = BusinessDays(NamedCalendars(cfg.home).find(calendar), at, find_zone(name))
    except (AirflowTimetableInvalid, ValueError, TypeError) as error:
        raise UserError(say("schedule_is_wrong", error=str(error))) from None
    return _build_schedule(build_timetable_ref(timetable), name)


def build_timetable_schedule(cfg: Config, path: str, data: dict[str, object], zone: str | None) -> PreviewedSchedule:
    """The schedule of a built-in timetable from its stored form. Raises UserError for another class, and for data that it refuses."""
    if len(json.dumps(data)) > DATA_BYTES_MAX:
        raise UserError(say("timetable_has_too_many_data", name=path, most=DATA_BYTES_MAX))
    timetable = build_checked(TimetableRef(path=path, data=data))
    own = data.get("timezone")
    name = zone or (own if isinstance(own, str) else cfg.text("core", "default_timezone"))
    try:
        timetable.validate()
        ref = build_timetable_ref(timetable)
    except AirflowTimetableInvalid as error:
        raise UserError(say("schedule_is_wrong", error=str(error))) from None
    return _build_schedule(ref, name)


def build_dag_schedule(dag: DagRecord, zone: str | None) -> PreviewedSchedule:
    """The schedule of a DAG, within its start and end dates."""
    spec = dag.spec
    name = zone or spec.local_timezone
    return PreviewedSchedule(
        spec.timetable,
        summarize_schedule(spec),
        describe_schedule(spec),
        find_zone(name),
        _normalize_name(name),
        dag.file,
        spec.start_at,
        spec.end_at,
        dag.cursor,
    )


def _build_schedule(ref: TimetableRef, zone: str) -> PreviewedSchedule:
    summary, description = summarize_timetable(ref), describe_timetable(ref)
    return PreviewedSchedule(ref, summary, description, find_zone(zone), _normalize_name(zone))


def _normalize_name(zone: str) -> str:
    return "UTC" if zone.lower() == "utc" else zone


def build_checked(ref: TimetableRef) -> Any:
    """The built-in timetable of a stored form that a client has sent. Raises UserError, whatever is wrong with its data."""
    try:
        return build(ref)
    except PlanningError as error:
        raise UserError(say("schedule_is_wrong", error=str(error))) from None
    except GnomonError:
        raise
    except Exception as error:  # the data are those of a client: no mistake in them is a fault of Gnomon
        raise UserError(say("timetable_refuses_data", name=ref.path, error=type(error).__name__)) from None


def count_days(schedule: PreviewedSchedule, cfg: Config, clock: Clock, start: Instant, end: Instant) -> DayCounts:
    """The number of slots of each local day of the window, for about ANSWER_S. Raises UserError when the timetable fails before the first slot."""
    days: dict[date, DayCount] = {}
    deadline = clock.monotonic() + ANSWER_S
    at = start
    while at < end:
        try:
            window = schedule.list_runs(cfg, clock, at, end, COUNTED_AT_ONCE)
        except UserError as error:
            if not days:
                raise
            return DayCounts(list(days.values()), at, str(error))
        for run in window.runs:
            day = to_local(run.run_after, schedule.zone).date()
            counted = days.get(day)
            days[day] = DayCount(
                day, counted.slots + 1 if counted else 1, counted.first if counted else run.run_after, run.run_after
            )
        if window.stop_reason is not None or len(window.runs) < COUNTED_AT_ONCE:
            return DayCounts(list(days.values()), find_known_end(window, at, end, COUNTED_AT_ONCE), window.stop_reason)
        at = window.runs[-1].run_after + 1
        if clock.monotonic() > deadline:
            return DayCounts(list(days.values()), at, "the time for the answer is over; choose a smaller window")
    return DayCounts(list(days.values()), end, None)


def list_skipped_days(
    schedule: PreviewedSchedule, clock: Clock, start: Instant, end: Instant, most: int
) -> list[SkippedDay]:
    """The days of the window without a slot because of the calendar of a built-in timetable, at most `most`.

    Of a cron schedule, only days on which it would have a slot without the calendar.
    """
    timetable = build_checked(schedule.ref) if schedule.ref.builtin else None
    calendar: Calendar | None = getattr(timetable, "calendar", None)
    if timetable is None or calendar is None:
        return []
    has_slot = _find_plain_days(schedule, clock, start, end)
    skipped: list[SkippedDay] = []
    for day in _iterate_days(start, end, schedule.zone):
        if len(skipped) >= most or not calendar.covers(day):
            break
        if not calendar.is_business_day(day) and has_slot(day):
            skipped.append(SkippedDay(day, calendar.reason(day)))
    return skipped


def _find_plain_days(schedule: PreviewedSchedule, clock: Clock, start: Instant, end: Instant) -> Callable[[date], bool]:
    """Whether the schedule without its calendar has a slot on a day; always true for a schedule that is made of its calendar."""
    plain = {key: value for key, value in schedule.ref.data.items() if key not in ("calendar", "on_holiday")}
    if "on_holiday" not in schedule.ref.data:
        return lambda _day: True
    deadline = clock.monotonic() + ANSWER_S
    ref = TimetableRef(path=schedule.ref.path, data=plain)
    window = list_runs_in_window(
        build_checked(ref),
        start=start,
        end=end,
        most=DAYS_LOOKED_AT_MAX * 24,
        is_over=lambda: clock.monotonic() > deadline,
    )
    days = {to_local(run.run_after, schedule.zone).date() for run in window.runs}
    return lambda day: day in days


def list_clock_changes(zone: tzinfo, start: Instant, end: Instant) -> list[ClockChange]:
    """The clock changes of the zone in the window, to the second."""
    changes: list[ClockChange] = []
    step = round(_DAY / timedelta(microseconds=1))
    until = min(end, start + DAYS_LOOKED_AT_MAX * step)
    at = start
    while at < until:
        following = min(at + step, until)
        if _offset(zone, at) != _offset(zone, following):
            changes.append(_find_change(zone, at, following))
        at = following
    return changes


def _find_change(zone: tzinfo, first: Instant, last: Instant) -> ClockChange:
    before = _offset(zone, first)
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(zone, middle) == before else (low, middle)
    return ClockChange(high, before, _offset(zone, high))


def _offset(zone: tzinfo, at: Instant) -> timedelta:
    return to_datetime(at).astimezone(zone).utcoffset() or timedelta(0)


def _iterate_days(start: Instant, end: Instant, zone: tzinfo) -> Iterator[date]:
    day, last = to_local(start, zone).date(), to_local(end - 1, zone).date()
    for _ in range(DAYS_LOOKED_AT_MAX):
        if day > last:
            return
        yield day
        day += _DAY


def find_known_end(window: WindowRuns, start: Instant, end: Instant | None, most: int) -> Instant:
    """The instant before which all runs of the window are known."""
    runs: list[PlannedRun] = window.runs
    if window.stop_reason is None and end is not None and len(runs) < most:
        return end
    return runs[-1].run_after + 1 if runs else start


def to_checked_instant(moment: Any, zone: tzinfo) -> Instant:
    """An instant of a client; without an offset it is a local time of the zone. Raises UserError for a year that no window may have."""
    if not 1900 <= moment.year <= 9000:
        raise UserError(say("time_is_out_of_range", text=moment.isoformat(), least=1900, most=9000))
    return to_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=zone))
