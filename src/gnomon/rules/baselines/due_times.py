"""The due times of a baseline, and the slots that belong to each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.sentences import Sentence, say
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.timetables.wall_clock.zones import zone_of


@dataclass(frozen=True, slots=True)
class DueTime:
    """One due time: the runs with a slot (`run_after`) from `begin` on and before `end` must be done at `due_at`."""

    due_at: Instant
    begin: Instant
    end: Instant


def iterate_due_times(
    spec: BaselineSpec, start: Instant, end: Instant, calendar: Calendar | None = None
) -> Iterator[DueTime]:
    """The due times from `start` on and before `end`, in order. `calendar`: that of the spec; on a day that it does not cover the baseline holds.

    A local time that a clock change skips is as long after the change as it would have been; one that comes twice is meant at its first time.
    """
    zone = zone_of(spec.timezone)
    hour, minute = (int(part) for part in spec.by.split(":"))
    day = to_datetime(start).astimezone(zone).date() - timedelta(days=spec.days + 1)
    last = to_datetime(end).astimezone(zone).date() - timedelta(days=spec.days)
    while day <= last:
        due_at = to_instant(datetime.combine(day + timedelta(days=spec.days), time(hour, minute), zone))
        if start <= due_at < end and _holds_on(spec, day, calendar):
            begin, next_day = _midnight(day, spec), _midnight(day + timedelta(days=1), spec)
            yield DueTime(due_at, begin, min(next_day, due_at))
        day += timedelta(days=1)


def _holds_on(spec: BaselineSpec, day: date, calendar: Calendar | None) -> bool:
    if spec.weekdays and day.weekday() not in spec.weekdays:
        return False
    return calendar is None or not calendar.covers(day) or calendar.is_business_day(day)


def describe_clock_change(spec: BaselineSpec, due_at: Instant) -> Sentence | None:
    """What a clock change does to this due time; None: its local time comes once on that day."""
    zone = zone_of(spec.timezone)
    local = to_datetime(due_at).astimezone(zone)
    meant = datetime.combine(local.date(), time.fromisoformat(spec.by), zone)
    is_skipped = local.time() != meant.time()
    if not is_skipped and meant.utcoffset() == meant.replace(fold=1).utcoffset():
        return None
    code = "due_time_is_skipped" if is_skipped else "due_time_comes_twice"
    return say(code, text=spec.by, zone=spec.timezone, first=local.date().isoformat(), at=due_at)


def _midnight(day: date, spec: BaselineSpec) -> Instant:
    return to_instant(datetime.combine(day, time(), zone_of(spec.timezone)))
