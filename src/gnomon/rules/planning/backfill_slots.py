"""The slots of a backfill: those that a timetable finds in a range of time, with catchup, whatever was planned before. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.slots import Cursor, DataInterval, PlannedRun
from gnomon.model.states import DagRunType
from gnomon.rules.planning.queries import ask_run_id
from gnomon.rules.planning.window import find_walk_start, iterate_runs_from
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.trigger_timetables import TriggerTimetable


class BackfillSlots(msgspec.Struct, frozen=True, kw_only=True):
    """Consecutive slots of a backfill."""

    runs: tuple[PlannedRun, ...]
    """Oldest first, with the run ids of a backfill."""
    position: Cursor | None
    """The last slot that was found: the next call continues after it."""
    is_complete: bool
    """True if the range has no further slots."""
    error: str | None = None
    """Why the slot after `position` is not known: the message of the timetable's failure."""


def find_backfill_slots(
    *,
    timetable: Timetable,
    start: Instant,
    end: Instant,
    due_by: Instant,
    limit: int,
    last: Cursor | None = None,
    earliest: Instant | None = None,
    cursor: Cursor | None = None,
) -> BackfillSlots:
    """At most `limit` slots from `start` to `end`, both inclusive, whose data intervals end by `due_by`.

    The range means what the dates of a DAG mean to its timetable: for intervals their start, for instants the instant. As in
    Airflow, the dates of the DAG do not bound it. `last`: the last slot of the call before. `earliest`: the start date of the
    DAG, and `cursor`: its last planned slot; the slots of a timetable without a grid are counted from one of them, so that
    they are those of the scheduled runs.
    """
    runs: list[PlannedRun] = []
    position, error = last, None
    try:
        for slot in _iterate_slots(timetable, start, end, due_by, last, earliest, cursor):
            if len(runs) == limit:
                return BackfillSlots(runs=tuple(runs), position=position, is_complete=False)
            runs.append(msgspec.structs.replace(slot, run_id=_ask_run_id(timetable, slot)))
            position = Cursor(
                run_after=slot.run_after, interval_start=slot.interval_start, interval_end=slot.interval_end
            )
    except PlanningError as failure:
        error = str(failure)
    return BackfillSlots(runs=tuple(runs), position=position, is_complete=error is None, error=error)


def _iterate_slots(
    timetable: Timetable,
    start: Instant,
    end: Instant,
    due_by: Instant,
    last: Cursor | None,
    earliest: Instant | None,
    cursor: Cursor | None,
) -> Iterator[PlannedRun]:
    begin = start
    if last is None and isinstance(timetable, DeltaTimetable):
        if earliest is not None and earliest < start:
            begin = find_walk_start(timetable, start, earliest, end)
        elif earliest is None:
            last = _move_cursor_before(timetable, start, cursor)
    previous: PlannedRun | None = None
    for slot in iterate_runs_from(timetable, begin, end, last, due_by):
        if slot == previous:
            return
        previous = slot
        first = slot.run_after if slot.interval_start is None else slot.interval_start
        ends_at = slot.run_after if slot.interval_end is None else slot.interval_end
        if first > end or ends_at > due_by:
            return
        is_before = (
            isinstance(timetable, DeltaTimetable)
            and (slot.run_after if isinstance(timetable, TriggerTimetable) else first) < start
        )
        if not is_before:
            yield slot


def _move_cursor_before(timetable: DeltaTimetable, start: Instant, cursor: Cursor | None) -> Cursor | None:
    """The cursor moved by whole steps to the last slot before `start`; None if steps cannot be counted."""
    step = timetable.fixed_step
    if cursor is None or step is None:
        return None
    at = (
        cursor.run_after
        if isinstance(timetable, TriggerTimetable) or cursor.interval_start is None
        else cursor.interval_start
    )
    return cursor.move((start - 1 - at) // step * step)


def _ask_run_id(timetable: Timetable, slot: PlannedRun) -> str:
    interval = None
    if slot.interval_start is not None and slot.interval_end is not None:
        interval = DataInterval(to_datetime(slot.interval_start), to_datetime(slot.interval_end))
    return ask_run_id(timetable, DagRunType.BACKFILL, slot.run_after, interval, partition_key=slot.partition_key)
