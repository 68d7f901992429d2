"""A year of a DAG, day by day: its runs, the slots of its schedule, and why a day has no run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

import msgspec

from gnomon.model.instants import Instant, to_instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, quote, say
from gnomon.model.slots import SkippedSlots
from gnomon.model.states import DagRunState
from gnomon.queries.report.explanations.skipped_slots import describe_undecided
from gnomon.queries.report.listings.year_days import YearDays
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import event_log, run_listing
from gnomon.storage.store.pages.dag_pages import list_version_numbers

RUNS_COUNTED_MAX = 1_000_000
"""The most runs of a year that are counted, newest first."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d:\d\d|Z)")


@dataclass(slots=True)
class CalendarDay:
    """One day."""

    day: date
    states: dict[DagRunState, int] = field(default_factory=dict)
    """The number of runs that were due on that day, by state."""
    slots: int | None = None
    """The number of slots of the schedule, with or without a run; None where they are not known."""
    first_slot: Instant | None = None
    reason: Sentence | None = None
    """Why the day has no run, or why some of its slots have none."""


@dataclass(frozen=True, slots=True)
class StoredYear:
    """What the store knows of a year."""

    days: list[CalendarDay]
    is_counted_whole: bool


@dataclass(frozen=True, slots=True)
class KnownSlots:
    """The slots of a year, as far as the timetable tells them."""

    by_day: Mapping[int, tuple[int, Instant]]
    """By number of the day: the number of its slots and the first of them; a day without slots is left out."""
    known_from: Instant
    known_until: Instant
    """The slots between these instants are known."""


@dataclass(frozen=True, slots=True)
class DayReasons:
    """What the parts of a schedule say about days and times without a run."""

    days_off: Mapping[date, str]
    """The days off of the calendar of the schedule, and why."""
    skipped: tuple[SkippedSlots, ...]
    """The slots that are skipped if the DAG is unpaused now."""


def read_year(tx: Transaction, dag_pk: int, year: YearDays, changes: list[tuple[Instant, int]]) -> StoredYear:
    """The runs of the year by day and state. `changes`: from which instant on which offset of the zone holds, the first at the start of the year."""
    days = [CalendarDay(year.day(number)) for number in range(len(year))]
    remaining = RUNS_COUNTED_MAX
    for index in range(len(changes) - 1, -1, -1):
        start, shift = changes[index]
        until = changes[index + 1][0] if index + 1 < len(changes) else year.end
        for since_epoch, state, count in run_listing.count_runs_by_day(
            tx, dag_pk, start=start, until=until, shift=shift, most=max(remaining, 0)
        ):
            states = days[year.number_of_day(since_epoch)].states
            states[state] = states.get(state, 0) + count
            remaining -= count
    return StoredYear(days, remaining > 0)


def add_slots(days: list[CalendarDay], year: YearDays, slots: KnownSlots) -> None:
    """Write the slots into the days that are known whole."""
    for number in year.numbers_between(slots.known_from, slots.known_until):
        if year.starts[number] >= slots.known_from and year.starts[number + 1] <= slots.known_until:
            days[number].slots, days[number].first_slot = slots.by_day.get(number, (0, None))


def add_reasons(
    tx: Transaction, dag: DagRecord, year: YearDays, days: list[CalendarDay], reasons: DayReasons, now: Instant
) -> None:
    """Write into each day without a run, and into each with fewer runs than skipped slots allow, why that is so."""
    recorded = _list_recorded(tx, dag.dag_pk, year)
    forecast = _by_day(year, reasons.skipped)
    pauses = event_log.list_pauses(tx, dag.dag_pk)
    versions = list_version_numbers(tx, dag.dag_pk)
    created_at = versions[-1].created_at if versions and versions[-1].number == 1 else None
    for number, day in enumerate(days):
        start, end = year.starts[number], year.starts[number + 1]
        if day.states:
            is_short = day.slots is not None and sum(day.states.values()) < day.slots
            day.reason = _quote(recorded.get(number)) if is_short else None
            continue
        day.reason = _describe_dates(dag, start, end) or _quote(reasons.days_off.get(day.day))
        if day.reason is None and day.slots == 0:
            day.reason = say("day_has_no_slot")
        if day.reason is not None or start > now:
            continue
        stored = recorded.get(number) or forecast.get(number)
        day.reason = _quote(stored) or _describe_pause(pauses, start, end)
        if day.reason is None and created_at is not None and end <= created_at:
            day.reason = say("dag_exists_since", since=created_at)
        if day.reason is None and day.slots and end <= now:
            at = day.first_slot if day.first_slot is not None else start
            day.reason = describe_undecided(dag, at, now)


def _describe_dates(dag: DagRecord, start: Instant, end: Instant) -> Sentence | None:
    spec = dag.spec
    if spec.start_at is not None and end <= spec.start_at:
        return say("day_is_before_start_date", at=spec.start_at)
    if spec.end_at is not None and start > spec.end_at:
        return say("day_is_after_end_date", at=spec.end_at)
    return None


def _describe_pause(pauses: list[event_log.PauseSpan], start: Instant, end: Instant) -> Sentence | None:
    """The pause that held during the whole day."""
    for pause in pauses:
        if (pause.since is None or pause.since <= start) and (pause.until is None or pause.until >= end):
            began = None if pause.since is None else say("since_instant", since=pause.since)
            ended = None if pause.until is None else say("until_instant", until=pause.until)
            return say("dag_was_paused", began=began, ended=ended)
    return None


def _quote(reason: str | None) -> Sentence | None:
    return None if reason is None else quote(reason)


def _list_recorded(tx: Transaction, dag_pk: int, year: YearDays) -> dict[int, str]:
    """By number of the day: the newest recorded reason for slots of that day that got no run."""
    reasons: dict[int, str] = {}
    for event in event_log.list_skipped_slots(tx, dag_pk):
        if event.kind == "slot_held":
            for text in _INSTANT.findall(event.body)[:1]:
                number = year.number_of(to_instant(datetime.fromisoformat(text)))
                if number is not None:
                    reasons.setdefault(number, event.body)
            continue
        for number, reason in _by_day(year, (msgspec.json.decode(event.body, type=SkippedSlots),)).items():
            reasons.setdefault(number, reason)
    return reasons


def _by_day(year: YearDays, skipped: tuple[SkippedSlots, ...]) -> dict[int, str]:
    reasons: dict[int, str] = {}
    for slots in skipped:
        for number in year.numbers_between(slots.first, slots.until):
            reasons.setdefault(number, slots.reason)
    return reasons
