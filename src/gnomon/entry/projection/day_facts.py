"""What is special about the day on which a run is due: a clock change in its zones, and days off next to it that move slots."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo

from gnomon.model.errors.timetable import CalendarEnded, PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.registry import build
from gnomon.rules.timetables.wall_clock.zones import encode_zone, iterate_clock_changes, named_zone

_DAY = timedelta(days=1)
_NEIGHBOURS = 7
"""So many days off in a row are looked at on each side of the day."""


def list_day_facts(spec: DagSpec, run_after: Instant) -> list[Sentence]:
    """Sentences about the local day of the run, in the zone of the DAG and in that of its schedule."""
    timetable = _build(spec)
    zones = {
        encode_zone(zone): zone for zone in (named_zone(spec.timezone), getattr(timetable, "timezone", None)) if zone
    }
    facts = [fact for zone in zones.values() for fact in _list_clock_changes(zone, run_after)]
    calendar: Calendar | None = getattr(timetable, "calendar", None)
    if calendar is not None:
        day = to_datetime(run_after).astimezone(list(zones.values())[-1]).date()
        facts += [
            say(
                "day_is_off",
                dag=spec.dag_id,
                text=off.isoformat(),
                reason=calendar.reason(off),
                calendar=calendar.label,
            )
            for off in _list_days_off(calendar, day)
        ]
    return facts


def _build(spec: DagSpec) -> Timetable | None:
    try:
        return build(spec.timetable) if spec.timetable.builtin else None
    except PlanningError:
        return None


def _list_clock_changes(zone: tzinfo, run_after: Instant) -> Iterator[Sentence]:
    day = to_datetime(run_after).astimezone(zone).date()
    start, end = (to_instant(datetime.combine(each, datetime.min.time(), zone)) // SECOND for each in (day, day + _DAY))
    for at, before, after in iterate_clock_changes(zone, start - 1, end - 1):
        if start <= at < end:  # the last probe lies behind the day
            code = "clocks_go_forward" if after > before else "clocks_go_back"
            yield say(code, zone=str(encode_zone(zone)), duration=abs(after - before), at=at * SECOND)


def _list_days_off(calendar: Calendar, day: date) -> Iterator[date]:
    """The days off directly before and after the day that are not off in every week."""
    for step in (-_DAY, _DAY):
        near = day + step
        for _ in range(_NEIGHBOURS):
            try:
                is_business_day = calendar.is_business_day(near)
            except CalendarEnded:
                break
            if is_business_day:
                break
            if near.weekday() not in calendar.weekly:
                yield near
            near += step
