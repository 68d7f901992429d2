"""A description of schedules that uses no code of the timetables: a simulation gives it to a DAG, and its auditor reads it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, NamedTuple

from gnomon.entry.simulate.cron_oracle import cron_instants
from gnomon.model.instants import SECOND, Instant

Kind = Literal["cron", "cron_intervals", "delta", "delta_intervals", "events", "once", "never"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """One DAG's schedule and its bounds. Spans in seconds or in calendar months."""

    kind: Kind
    crons: tuple[str, ...] = ()
    """One expression, or several for "cron"."""
    by_period: bool = False
    """The DAG has the period timetable or business days of the same labels, instead of the expression."""
    zone: str = "UTC"
    every_s: int = 0
    every_months: int = 0
    reach_s: int = 0
    """How far the data interval of a "cron" or "delta" run reaches back."""
    events: tuple[Instant, ...] = ()
    start_at: Instant | None = None
    end_at: Instant | None = None
    catchup: bool = False
    window_s: int | None = None
    """`catchup_window`."""
    misfire: Literal["all", "latest", "skip"] | None = None
    jitter_s: int = 0

    @property
    def rules_misfires(self) -> Literal["all", "latest", "skip"]:
        """The policy for slots that are late."""
        return self.misfire or ("all" if self.catchup else "latest")

    @property
    def origin(self) -> tuple[object, ...]:
        """The fields that define the schedule; a change of a policy is not a change of the schedule."""
        return (
            self.kind,
            self.crons,
            self.by_period,
            self.zone,
            self.every_s,
            self.every_months,
            self.reach_s,
            self.events,
            self.start_at,
            self.end_at,
            self.catchup,
        )


_PATIENCE = 300 * SECOND
_DAY = 86400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class ExpectedSlot(NamedTuple):
    """One expected run: its run_after and its data interval."""

    run_after: Instant
    start: Instant
    end: Instant


class CronGrids:
    """The instants of every expression that a simulation uses, over its years."""

    def __init__(self, first: date, last: date) -> None:
        self._bounds = first, last
        self._found: dict[tuple[str, str], list[Instant]] = {}

    def instants_of(self, cron: str, zone: str) -> list[Instant]:
        """The instants of one expression in one zone, in order."""
        instants = self._found.get((cron, zone))
        if instants is None:
            instants = self._found[cron, zone] = cron_instants(cron, zone, *self._bounds)
        return instants


def find_next_slot(
    schedule: Schedule, last: ExpectedSlot | None, now: Instant, grids: CronGrids, *, every: bool
) -> ExpectedSlot | None:
    """The slot after `last`, or the newest at `now` unless `every` slot is asked for; None: there is none."""
    slot = _KINDS[schedule.kind](schedule, last, now, grids, every)
    return None if slot is None or (schedule.end_at is not None and slot[1] > schedule.end_at) else slot[0]


SlotAnswer = tuple[ExpectedSlot, Instant] | None
"""A slot, and the instant that the end date bounds."""


def _cron(s: Schedule, last: ExpectedSlot | None, now: Instant, grids: CronGrids, every: bool) -> SlotAnswer:
    answers = []
    for cron in s.crons:
        at = _point(grids.instants_of(cron, s.zone), s, last, now, every)
        if at is not None and (s.end_at is None or at <= s.end_at):
            answers.append(at)
    due = [at for at in answers if at <= now]
    if not answers:
        return None
    at = max(due) if due and not every else min(answers)
    return ExpectedSlot(at, _begun_after(at - s.reach_s * SECOND, at, last), at), at


def _point(grid: list[Instant], s: Schedule, last: ExpectedSlot | None, now: Instant, every: bool) -> Instant | None:
    if last is None and s.start_at is None:
        past, coming = grid[bisect_right(grid, now) - 1], grid[bisect_left(grid, now)]
        return past if now - past <= max((coming - past) / 10, _PATIENCE) else coming
    place = 0 if last is None else bisect_right(grid, last.end)
    if s.start_at is not None:
        place = max(place, bisect_left(grid, s.start_at))
    if not every and place < len(grid) and grid[place] < now:
        place = bisect_right(grid, now) - 1
    return grid[place] if place < len(grid) else None


def _begun_after(start: Instant, end: Instant, last: ExpectedSlot | None) -> Instant:
    if last is not None and 0 <= last.start - start < _DAY and last.start + 1 < end:
        return last.start + 1
    return start


def _cron_intervals(s: Schedule, last: ExpectedSlot | None, now: Instant, grids: CronGrids, every: bool) -> SlotAnswer:
    grid = grids.instants_of(s.crons[0], s.zone)
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
    return ExpectedSlot(grid[place + 1], grid[place], grid[place + 1]), grid[place]


def _delta(s: Schedule, last: ExpectedSlot | None, now: Instant, _: CronGrids, every: bool) -> SlotAnswer:
    if last is not None:
        at = _add_period(last.end, s)
    else:
        at = now if s.start_at is None else s.start_at
    if s.start_at is not None:
        at = max(at, s.start_at)
    if not every:
        at = max(at, now)
    return ExpectedSlot(at, _begun_after(at - s.reach_s * SECOND, at, last), at), at


def _delta_intervals(s: Schedule, last: ExpectedSlot | None, now: Instant, _: CronGrids, every: bool) -> SlotAnswer:
    start = s.start_at if every else _newest_span(s, now)
    if last is not None:
        follows = last.end if last.end > last.start else _add_period(last.end, s)
        start = follows if start is None else max(start, follows)
    if start is None:
        return None
    return ExpectedSlot(_add_period(start, s), start, _add_period(start, s)), start


def _newest_span(s: Schedule, now: Instant) -> Instant:
    """The start of the newest complete span."""
    if s.every_s:
        length = s.every_s * SECOND
        return max(now // length * length - length, s.start_at or 0)
    assert s.start_at is not None, "a simulated span of months has a start date"
    start, end = s.start_at, _add_period(s.start_at, s)
    while _add_period(end, s) <= now:
        start, end = end, _add_period(end, s)
    return start


def _add_period(at: Instant, s: Schedule) -> Instant:
    """One span later; a day that the month does not have becomes its last day."""
    if s.every_s:
        return at + s.every_s * SECOND
    moment = _EPOCH + at * _MICROSECOND
    year, month = divmod(moment.year * 12 + moment.month - 1 + s.every_months, 12)
    day = min(moment.day, monthrange(year, month + 1)[1])
    return (moment.replace(year=year, month=month + 1, day=day) - _EPOCH) // _MICROSECOND


def _events(s: Schedule, last: ExpectedSlot | None, now: Instant, _: CronGrids, every: bool) -> SlotAnswer:
    events = sorted(set(s.events))
    place = 0 if s.start_at is None else bisect_left(events, s.start_at)
    if last is not None:
        place = max(place, bisect_right(events, last.end))
    if not every:
        place = max(place, bisect_left(events, now) if last is None else bisect_right(events, now) - 1)
    return None if place >= len(events) else (ExpectedSlot(*3 * [events[place]]), events[place])


def _once(s: Schedule, last: ExpectedSlot | None, now: Instant, _: CronGrids, __: bool) -> SlotAnswer:
    at = now if s.start_at is None else s.start_at
    return None if last is not None else (ExpectedSlot(at, at, at), at)


def _never(s: Schedule, last: ExpectedSlot | None, now: Instant, grids: CronGrids, every: bool) -> SlotAnswer:  # noqa: ARG001
    return None


_KINDS: dict[Kind, Callable[[Schedule, ExpectedSlot | None, Instant, CronGrids, bool], SlotAnswer]] = {
    "cron": _cron,
    "cron_intervals": _cron_intervals,
    "delta": _delta,
    "delta_intervals": _delta_intervals,
    "events": _events,
    "once": _once,
    "never": _never,
}
