"""Which slot has that logical date, and which is due at that instant: for runs by hand that take the place of a slot. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.planning.authors import next_method
from gnomon.planning.window import PASSED_MOST, before, runs_from
from gnomon.timetables.base import BuiltinTimetable, Timetable
from gnomon.timetables.deltabased import DeltaBased
from gnomon.timetables.multiple import MultipleCronTriggerTimetable
from gnomon.timetables.spans import fixed_seconds, later
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
        """The logical date that a run by hand takes the place of this slot with."""
        return self.run_after if self.interval_start is None else self.interval_start


_Key = Callable[[Slot], Instant]
"""What a slot is looked for by."""


def slot_named(
    *, timetable: Timetable, logical_at: Instant, earliest: Instant | None = None, latest: Instant | None = None,
    cursor: Cursor | None = None,
) -> Slot | None:  # fmt: skip
    """The slot with that logical date, made or not; None when the timetable has none, or when it cannot be told.

    `earliest`, `latest`: the dates of the DAG. `cursor`: the last slot that was planned for it; a timetable without a grid is
    stepped from there. Raises PlanningError when the timetable fails.
    """
    return _search(timetable, logical_at, _logical_at, earliest, latest, cursor)


def slot_due(
    *, timetable: Timetable, at: Instant, earliest: Instant | None = None, latest: Instant | None = None,
    cursor: Cursor | None = None,
) -> Slot | None:  # fmt: skip
    """The slot that is due at that instant, the first if there are several; else as `slot_named`."""
    return _search(timetable, at, _run_after, earliest, latest, cursor)


def _search(
    timetable: Timetable, wanted: Instant, key: _Key, earliest: Instant | None, latest: Instant | None, cursor: Cursor | None
) -> Slot | None:
    if timetable.follows_runs:
        return None
    if isinstance(timetable, DeltaBased):
        return _stepped(timetable, wanted, key, earliest, latest, cursor)
    if isinstance(timetable, BuiltinTimetable) and next_method(timetable) is None:
        begin = before(timetable, _due_about(timetable, wanted, key), earliest, latest)
        return _found(runs_from(timetable, begin, latest), key, wanted)
    return _of_author(timetable, wanted, key, earliest, latest, cursor)


def _due_about(timetable: BuiltinTimetable, wanted: Instant, key: _Key) -> Instant:
    """The slot is due then or later, and not much later."""
    reach = timetable.reach if isinstance(timetable, TriggerTimetable | MultipleCronTriggerTimetable) else None
    if not reach:
        return wanted
    if key is _run_after:
        return wanted - _MONTH_ENDS
    return max(wanted, to_instant(later(to_datetime(wanted), reach)) - _MONTH_ENDS)


def _stepped(
    timetable: DeltaBased, wanted: Instant, key: _Key, earliest: Instant | None, latest: Instant | None, cursor: Cursor | None
) -> Slot | None:
    """Of a span, which has no grid: its steps lie around the last planned slot, or else follow the start date."""
    last = _moved_back(timetable, wanted, key, cursor)
    if last is not None:
        return _found(runs_from(timetable, last.run_after if earliest is None else earliest, latest, last), key, wanted)
    if earliest is None:
        return None
    return _found(runs_from(timetable, before(timetable, wanted, earliest, latest), latest), key, wanted)


def _moved_back(timetable: DeltaBased, wanted: Instant, key: _Key, cursor: Cursor | None) -> Cursor | None:
    """The last planned slot, so many steps back that it is before the wanted one; None where steps cannot be counted back."""
    if cursor is None or key(_slot(cursor)) < wanted:
        return cursor
    seconds = fixed_seconds(timetable.span)
    if seconds is None or timetable.calendar is not None:
        return None
    step = int(seconds * SECOND)
    back = ((key(_slot(cursor)) - wanted) // step + 1) * step
    start, end = cursor.interval_start, cursor.interval_end
    return Cursor(
        run_after=cursor.run_after - back, interval_start=None if start is None else start - back,
        interval_end=None if end is None else end - back,
    )


def _of_author(
    timetable: Timetable, wanted: Instant, key: _Key, earliest: Instant | None, latest: Instant | None, cursor: Cursor | None
) -> Slot | None:
    """From the last planned slot on, or from the start date; else it must not matter as of when the timetable is asked.

    One that steps on from whenever it is asked first has slots at any instant, so that none can be told.
    """
    if cursor is not None and key(_slot(cursor)) == wanted:
        return _slot(cursor)
    if cursor is not None and key(_slot(cursor)) < wanted:
        return _found(runs_from(timetable, cursor.run_after if earliest is None else earliest, latest, cursor), key, wanted)
    begin = before(timetable, wanted, earliest, latest)
    found = _found(runs_from(timetable, begin, latest), key, wanted)
    if found is None or begin == earliest:
        return found
    return found if found == _found(runs_from(timetable, begin - 1, latest), key, wanted) else None


def _found(runs: Iterator[PlannedRun], key: _Key, wanted: Instant) -> Slot | None:
    """The first of some runs in order that has the wanted key."""
    for passed, run in enumerate(runs):
        slot = _slot(run)
        if key(slot) >= wanted:
            return slot if key(slot) == wanted else None
        if passed >= PASSED_MOST:
            raise PlanningError(f"more than {PASSED_MOST} slots lie before {to_datetime(wanted).isoformat()}, too many to count up to it")
    return None


def _slot(of: PlannedRun | Cursor) -> Slot:
    return Slot(run_after=of.run_after, interval_start=of.interval_start, interval_end=of.interval_end)


def _logical_at(slot: Slot) -> Instant:
    return slot.logical_at


def _run_after(slot: Slot) -> Instant:
    return slot.run_after
