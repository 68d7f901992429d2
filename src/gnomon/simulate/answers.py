"""What each kind of schedule answers when it is asked for the slot after the last one: the auditor's own reading.

Sources: airflow-surface.md B.2 (the timetables), B.3 (when runs are created), B.4 (clock changes). In words:

1. "cron" is due at the instants of its expressions; its interval reaches back by `reach_s`. "cron_intervals" is due at each
   instant, for the interval since the instant before. "delta" is due one span after the slot before, the first time at the
   start date; "delta_intervals" at the end of each span, the first of which begins at the start date.
2. A slot comes after the last one: a point after its end; an interval from its end on, or from the instant before that when
   its end is no instant of this schedule (which has changed), but never from its start or earlier.
3. Nothing begins before the start date, nor after the end date.
4. Asked for every slot, the answer is the first such. Asked for the newest, it is the newest of those that are due at that
   instant; the first if none is; none if the newest lies after the end date.
5. Asked for the newest, "delta" has no grid: what is late is due now. "delta_intervals" has one from 1970 on, or the steps from
   the start date when its span is months.
6. Without a start date: intervals asked for every slot never begin; a point is the newest past one if that is not older than a tenth
   of the period and five minutes, else the next.
7. Events asked for the newest: before the first run, those that have passed are passed; later the newest missed one runs.
8. A "cron" or "delta" interval that would begin no later than the last one, by less than a day, begins a moment after it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from gnomon.model.instants import SECOND, Instant
from gnomon.simulate.schedule import Kind, Schedule
from gnomon.simulate.wallclock import cron_instants

_PATIENCE = 300 * SECOND
_DAY = 86400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Slot(NamedTuple):
    """One run that is to be: when, and about what."""

    run_after: Instant
    start: Instant
    end: Instant


class Grids:
    """The instants of every expression that a simulation uses, over its years."""

    def __init__(self, first: date, last: date) -> None:
        self._bounds = first, last
        self._found: dict[tuple[str, str], list[Instant]] = {}

    def of(self, cron: str, zone: str) -> list[Instant]:
        """The instants of one expression in one zone, in order."""
        found = self._found.get((cron, zone))
        if found is None:
            found = self._found[cron, zone] = cron_instants(cron, zone, *self._bounds)
        return found


def answer(schedule: Schedule, last: Slot | None, now: Instant, grids: Grids, *, every: bool) -> Slot | None:
    """The slot after `last`, or the newest at `now` unless `every` slot is asked for; None: there is none."""
    slot = _KINDS[schedule.kind](schedule, last, now, grids, every)
    return None if slot is None or (schedule.end_at is not None and slot[1] > schedule.end_at) else slot[0]


Answer = tuple[Slot, Instant] | None
"""A slot, and the instant that the end date bounds."""


def _cron(s: Schedule, last: Slot | None, now: Instant, grids: Grids, every: bool) -> Answer:
    answers = []
    for cron in s.crons:
        at = _point(grids.of(cron, s.zone), s, last, now, every)
        if at is not None and (s.end_at is None or at <= s.end_at):
            answers.append(at)
    due = [at for at in answers if at <= now]
    if not answers:
        return None
    at = max(due) if due and not every else min(answers)
    return Slot(at, _begun_after(at - s.reach_s * SECOND, at, last), at), at


def _point(grid: list[Instant], s: Schedule, last: Slot | None, now: Instant, every: bool) -> Instant | None:
    if last is None and s.start_at is None:
        past, coming = grid[bisect_right(grid, now) - 1], grid[bisect_left(grid, now)]
        return past if now - past <= max((coming - past) / 10, _PATIENCE) else coming
    place = 0 if last is None else bisect_right(grid, last.end)
    if s.start_at is not None:
        place = max(place, bisect_left(grid, s.start_at))
    if not every and place < len(grid) and grid[place] < now:
        place = bisect_right(grid, now) - 1
    return grid[place] if place < len(grid) else None


def _begun_after(start: Instant, end: Instant, last: Slot | None) -> Instant:
    if last is not None and 0 <= last.start - start < _DAY and last.start + 1 < end:
        return last.start + 1
    return start


def _cron_intervals(s: Schedule, last: Slot | None, now: Instant, grids: Grids, every: bool) -> Answer:
    grid = grids.of(s.crons[0], s.zone)
    place = None if s.start_at is None else bisect_left(grid, s.start_at)
    if not every:
        newest = bisect_right(grid, now) - 2
        place = newest if place is None else max(place, newest)
    if last is not None:
        follows = bisect_right(grid, last.end) - 1
        if grid[follows] <= last.start:
            follows += 1
        place = follows if place is None else max(place, follows)
    if place is None or place + 1 >= len(grid):
        return None
    return Slot(grid[place + 1], grid[place], grid[place + 1]), grid[place]


def _delta(s: Schedule, last: Slot | None, now: Instant, _: Grids, every: bool) -> Answer:
    if last is not None:
        at = _later(last.end, s)
    else:
        at = now if s.start_at is None else s.start_at
    if s.start_at is not None:
        at = max(at, s.start_at)
    if not every:
        at = max(at, now)
    return Slot(at, _begun_after(at - s.reach_s * SECOND, at, last), at), at


def _delta_intervals(s: Schedule, last: Slot | None, now: Instant, _: Grids, every: bool) -> Answer:
    start = s.start_at if every else _newest_span(s, now)
    if last is not None:
        follows = last.end if last.end > last.start else _later(last.end, s)
        start = follows if start is None else max(start, follows)
    if start is None:
        return None
    return Slot(_later(start, s), start, _later(start, s)), start


def _newest_span(s: Schedule, now: Instant) -> Instant:
    """Where the newest complete span began."""
    if s.every_s:
        length = s.every_s * SECOND
        return max(now // length * length - length, s.start_at or 0)
    assert s.start_at is not None, "a simulated span of months has a start date"
    start, end = s.start_at, _later(s.start_at, s)
    while _later(end, s) <= now:
        start, end = end, _later(end, s)
    return start


def _later(at: Instant, s: Schedule) -> Instant:
    """One span later; a day that the month has not is its last."""
    if s.every_s:
        return at + s.every_s * SECOND
    moment = _EPOCH + at * _MICROSECOND
    year, month = divmod(moment.year * 12 + moment.month - 1 + s.every_months, 12)
    day = min(moment.day, monthrange(year, month + 1)[1])
    return (moment.replace(year=year, month=month + 1, day=day) - _EPOCH) // _MICROSECOND


def _events(s: Schedule, last: Slot | None, now: Instant, _: Grids, every: bool) -> Answer:
    events = sorted(set(s.events))
    place = 0 if s.start_at is None else bisect_left(events, s.start_at)
    if last is not None:
        place = max(place, bisect_right(events, last.end))
    if not every:
        place = max(place, bisect_left(events, now) if last is None else bisect_right(events, now) - 1)
    return None if place >= len(events) else (Slot(*3 * [events[place]]), events[place])


def _once(s: Schedule, last: Slot | None, now: Instant, _: Grids, __: bool) -> Answer:
    at = now if s.start_at is None else s.start_at
    return None if last is not None else (Slot(at, at, at), at)


def _never(s: Schedule, last: Slot | None, now: Instant, grids: Grids, every: bool) -> Answer:  # noqa: ARG001
    return None


_KINDS: dict[Kind, Callable[[Schedule, Slot | None, Instant, Grids, bool], Answer]] = {
    "cron": _cron, "cron_intervals": _cron_intervals, "delta": _delta, "delta_intervals": _delta_intervals,
    "events": _events, "once": _once, "never": _never,
}
