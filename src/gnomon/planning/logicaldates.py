"""Which slot has that logical date, and which is due at that instant: for runs by hand that take the place of a slot. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.planning.authors import next_method
from gnomon.planning.window import PASSED_MOST, before, runs_from
from gnomon.timetables.base import BuiltinTimetable, Timetable
from gnomon.timetables.deltabased import DeltaBased
from gnomon.timetables.multiple import MultipleCronTriggerTimetable
from gnomon.timetables.spans import Span, fixed_seconds, later
from gnomon.timetables.trigger import TriggerTimetable

_MONTH_ENDS = 4 * 86400 * SECOND
"""So many days give a month before them the same start, or nearly: each is told apart by the one before it."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A planned time, and the data that its run is about."""

    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None

    @property
    def logical_at(self) -> Instant:
        """What a run by hand is given as its logical date to take the place of this slot."""
        return self.run_after if self.interval_start is None else self.interval_start


def slot_named(
    *, timetable: Timetable, logical_at: Instant, earliest: Instant | None = None, latest: Instant | None = None,
    cursor: Cursor | None = None,
) -> Slot | None:  # fmt: skip
    """The slot with that logical date, made or not; None when the timetable has none, or when it cannot be told.

    `earliest`, `latest`: the dates of the DAG. `cursor`: the last slot that was planned for it; a timetable without a grid is
    stepped from there. Raises PlanningError when the timetable fails.
    """
    if timetable.follows_runs:
        return None
    if isinstance(timetable, DeltaBased):
        return _stepped(timetable, logical_at, earliest, latest, cursor)
    if isinstance(timetable, BuiltinTimetable) and next_method(timetable) is None:
        begin = before(timetable, _due_about(timetable, logical_at), earliest, latest)
        return _found(runs_from(timetable, begin, latest), logical_at)
    return _of_author(timetable, logical_at, earliest, latest, cursor)


def slot_due(
    *, timetable: Timetable, at: Instant, earliest: Instant | None = None, latest: Instant | None = None
) -> Slot | None:
    """The slot that is due at that instant, the first if there are several; None when there is none, or no grid to tell it by."""
    if timetable.follows_runs or isinstance(timetable, DeltaBased):
        return None
    begin = before(timetable, at - (_MONTH_ENDS if _reach(timetable) else 0), earliest, latest)
    for run in runs_from(timetable, begin, latest):
        if run.run_after >= at:
            return _slot(run) if run.run_after == at else None
    return None


def _due_about(timetable: BuiltinTimetable, logical_at: Instant) -> Instant:
    """A slot with that logical date is due then or later, and not much later."""
    reach = _reach(timetable)
    return max(logical_at, to_instant(later(to_datetime(logical_at), reach)) - _MONTH_ENDS) if reach else logical_at


def _reach(timetable: Timetable) -> Span | None:
    """How far back the intervals reach that are given as a span; None where they are not, and where they are instants."""
    return timetable.reach or None if isinstance(timetable, TriggerTimetable | MultipleCronTriggerTimetable) else None


def _stepped(
    timetable: DeltaBased, logical_at: Instant, earliest: Instant | None, latest: Instant | None, cursor: Cursor | None
) -> Slot | None:
    """Of a span, which has no grid: its steps lie around the last planned slot, or else follow the start date."""
    last = _moved_back(timetable, logical_at, cursor)
    if last is not None:
        return _found(runs_from(timetable, last.run_after if earliest is None else earliest, latest, last), logical_at)
    if earliest is None:
        return None
    return _found(runs_from(timetable, before(timetable, logical_at, earliest, latest), latest), logical_at)


def _moved_back(timetable: DeltaBased, logical_at: Instant, cursor: Cursor | None) -> Cursor | None:
    """The last planned slot, so many steps before that it lies before the date; None where steps cannot be counted back."""
    if cursor is None or _slot(cursor).logical_at < logical_at:
        return cursor
    seconds = fixed_seconds(timetable.span)
    if seconds is None or timetable.calendar is not None:
        return None
    step = int(seconds * SECOND)
    back = ((_slot(cursor).logical_at - logical_at) // step + 1) * step
    start, end = cursor.interval_start, cursor.interval_end
    return Cursor(
        run_after=cursor.run_after - back, interval_start=None if start is None else start - back,
        interval_end=None if end is None else end - back,
    )


def _of_author(
    timetable: Timetable, logical_at: Instant, earliest: Instant | None, latest: Instant | None, cursor: Cursor | None
) -> Slot | None:
    """From the last planned slot on, or from the start date; else it must not matter as of when the timetable is asked.

    One that steps on from whenever it is asked first has slots at any instant, so that none can be told.
    """
    if cursor is not None and _slot(cursor).logical_at == logical_at:
        return _slot(cursor)
    if cursor is not None and _slot(cursor).logical_at < logical_at:
        return _found(runs_from(timetable, cursor.run_after if earliest is None else earliest, latest, cursor), logical_at)
    begin = before(timetable, logical_at, earliest, latest)
    found = _found(runs_from(timetable, begin, latest), logical_at)
    if found is None or begin == earliest:
        return found
    return found if found == _found(runs_from(timetable, begin - 1, latest), logical_at) else None


def _found(runs: Iterator[PlannedRun], logical_at: Instant) -> Slot | None:
    """The slot with that logical date, of runs in order."""
    for passed, run in enumerate(runs):
        if run.slot_key == str(logical_at):
            return _slot(run)
        if _slot(run).logical_at > logical_at:
            return None
        if passed >= PASSED_MOST:
            raise PlanningError(f"more than {PASSED_MOST} slots lie before {to_datetime(logical_at).isoformat()}, too many to count up to it")
    return None


def _slot(of: PlannedRun | Cursor) -> Slot:
    return Slot(run_after=of.run_after, interval_start=of.interval_start, interval_end=of.interval_end)
