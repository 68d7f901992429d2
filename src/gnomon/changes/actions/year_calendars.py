"""The year of a DAG: past runs by day, coming ones from the planner of the scheduler, and why a day has no run.

Everything is bounded: slots are computed one by one up to SLOTS_MAX; of a built-in timetable with more, the others are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from gnomon.changes.actions.run_forecasts import forecast_next_runs
from gnomon.changes.actions.schedule_previews import (
    ANSWER_S,
    ClockChange,
    PreviewedSchedule,
    build_checked,
    build_dag_schedule,
    find_known_end,
    list_clock_changes,
    list_skipped_days,
)
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.model.errors.product import UserError
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, say
from gnomon.model.slots import SkippedSlots
from gnomon.queries.report.explanations.year_calendar import (
    CalendarDay,
    DayReasons,
    KnownSlots,
    add_reasons,
    add_slots,
    read_year,
)
from gnomon.queries.report.listings.year_days import YearDays
from gnomon.rules.planning.window import list_runs_in_window
from gnomon.rules.timetables.base import BuiltinTimetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.storage.store import Database

SLOTS_MAX = 10_000
"""The most slots of a year that are computed one by one."""
_FORECAST_RUNS = 5
_DAYS_OFF_MAX = 400


@dataclass(frozen=True, slots=True)
class YearCalendar:
    """A year of a DAG."""

    days: list[CalendarDay]
    clock_changes: list[ClockChange]
    is_counted_whole: bool
    """Whether all runs of the year were counted."""
    blocked: str | None
    """Why no coming run is created."""
    notes: list[Sentence]
    """Sentences on the schedule: it has no times, the DAG is paused, its timetable fails."""


def read_year_calendar(cfg: Config, db: Database, clock: Clock, dag: DagRecord, year: YearDays) -> YearCalendar:
    """The year, of which runs are told by the day on which they were due, in the zone of `year`."""
    now = clock.now()
    changes = list_clock_changes(year.zone, year.start, year.end)
    offsets = [(year.start, _offset_of(year))] + [
        (change.at, round(change.after.total_seconds() * 1_000_000)) for change in changes
    ]
    with db.read() as tx:
        stored = read_year(tx, dag.dag_pk, year, offsets)
    forecast = forecast_next_runs(cfg, db, dag, now, _FORECAST_RUNS)
    notes = list(forecast.notes)
    reasons = DayReasons({}, tuple(_read_skipped(row) for row in forecast.skipped))
    if dag.spec.timetable.can_be_scheduled:
        schedule = build_dag_schedule(dag, None)
        slots, stop = _find_slots(cfg, clock, dag, schedule, year, now)
        add_slots(stored.days, year, slots)
        days_off = list_skipped_days(schedule, clock, year.start, year.end, _DAYS_OFF_MAX)
        reasons = DayReasons({day_off.day: day_off.reason for day_off in days_off}, reasons.skipped)
        if stop and not any(("error", stop) in note.arguments for note in notes):
            notes.append(say("slots_are_known_until", until=slots.known_until, error=stop))
    with db.read() as tx:
        add_reasons(tx, dag, year, stored.days, reasons, now)
    return YearCalendar(stored.days, changes, stored.is_counted_whole, forecast.blocked, notes)


def _offset_of(year: YearDays) -> int:
    offset = to_datetime(year.start).astimezone(year.zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds() * 1_000_000)


def _read_skipped(row: dict[str, object]) -> SkippedSlots:
    first, until = (to_instant(datetime.fromisoformat(str(row[name]))) for name in ("first", "until"))
    return SkippedSlots(
        first=first, until=until, count=int(str(row["count"])), reason=f"if the DAG is unpaused now: {row['reason']}"
    )


def _find_slots(
    cfg: Config, clock: Clock, dag: DagRecord, schedule: PreviewedSchedule, year: YearDays, now: Instant
) -> tuple[KnownSlots, str | None]:
    """The slots of the year, and why later ones are not known."""
    if schedule.ref.is_continuous:
        return KnownSlots({}, year.start, year.start), None
    try:
        window = schedule.list_runs(cfg, clock, year.start, year.end, SLOTS_MAX)
    except UserError as error:
        return KnownSlots({}, year.start, year.start), str(error)
    end_of_slots = find_known_end(window, year.start, year.end, SLOTS_MAX)
    by_day = year.group(run.run_after for run in window.runs)
    stop = window.stop_reason
    if len(window.runs) == SLOTS_MAX and stop is None:
        rest, end_of_slots = _count_rest(clock, schedule, end_of_slots, year)
        for number, (count, first) in year.group(iter(rest)).items():
            before, earlier = by_day.get(number, (0, first))
            by_day[number] = before + count, earlier
        stop = None if end_of_slots == year.end else "the time for the answer is over"
    return KnownSlots(by_day, _find_known_start(dag, schedule, year, now), end_of_slots), stop


def _find_known_start(dag: DagRecord, schedule: PreviewedSchedule, year: YearDays, now: Instant) -> Instant:
    """Since when the slots are those that the scheduler had: the steps of a timetable without a grid are counted from the last planned slot."""
    is_stepped = schedule.ref.builtin and isinstance(build_checked(schedule.ref), DeltaTimetable)
    if not is_stepped or schedule.earliest is not None:
        return year.start
    return max(year.start, now if dag.cursor is None else dag.cursor.run_after)


def _count_rest(
    clock: Clock, schedule: PreviewedSchedule, start: Instant, year: YearDays
) -> tuple[list[Instant], Instant]:
    """The due times of a dense built-in timetable from `start` on, and the instant before which all are known."""
    timetable = build_checked(schedule.ref)
    if not schedule.ref.builtin or not isinstance(timetable, BuiltinTimetable):
        return [], start
    deadline = clock.monotonic() + ANSWER_S
    until = year.end if schedule.latest is None else max(start, min(year.end, schedule.latest))
    instants: list[Instant] = []
    try:
        for at in _iterate(timetable, start, until):
            instants.append(at)
            if len(instants) % SLOTS_MAX == 0 and clock.monotonic() > deadline:
                return instants, at + 1
        if until < year.end:  # the end date of the DAG bounds the starts of intervals, so some slots may come after it
            tail = list_runs_in_window(
                timetable, start=until, end=year.end, most=SLOTS_MAX, earliest=schedule.earliest, latest=schedule.latest
            )
            instants += [run.run_after for run in tail.runs]
    except PlanningError:
        return instants, instants[-1] + 1 if instants else start
    return instants, year.end


def _iterate(timetable: BuiltinTimetable, start: Instant, until: Instant) -> Iterator[Instant]:
    return (to_instant(at) for at in timetable.slots_between(to_datetime(start), to_datetime(until)))
