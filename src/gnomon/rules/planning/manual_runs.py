"""Manual runs: their data interval and id, and the slot that a manual run with a logical date takes the place of. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunType
from gnomon.rules.planning.author_methods import find_next_method
from gnomon.rules.planning.queries import ask_manual, ask_run_id
from gnomon.rules.planning.window import MAX_STEPS_TO_WINDOW, find_walk_start, iterate_runs_from
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.multiple_crons import MultipleCronTriggerTimetable
from gnomon.rules.timetables.registry import BUILTINS, build
from gnomon.rules.timetables.simple_timetables import NullTimetable
from gnomon.rules.timetables.spans import add_span
from gnomon.rules.timetables.trigger_timetables import TriggerTimetable

_MONTH_ENDS = 4 * 86400 * SECOND
"""The last days of a month: subtracting a month from each gives the same date or nearly, so the search starts before them."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A planned time, and the data interval of its run."""

    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None

    @property
    def logical_at(self) -> Instant:
        """The logical date with which a manual run takes the place of this slot."""
        return self.run_after if self.interval_start is None else self.interval_start


_SlotKey = Callable[[Slot], Instant]
"""The instant of a slot that a search compares."""


def find_slot_by_logical_date(
    *,
    timetable: Timetable,
    logical_at: Instant,
    earliest: Instant | None = None,
    latest: Instant | None = None,
    cursor: Cursor | None = None,
) -> Slot | None:
    """The slot with that logical date, with or without a run; None if the timetable has none, or if that is not known.

    `earliest`, `latest`: the dates of the DAG. `cursor`: the last slot that was planned for it; the slots of a timetable
    without a grid are counted from there. Raises PlanningError when the timetable fails.
    """
    return _search(timetable, logical_at, _logical_at, earliest, latest, cursor)


def find_slot_by_due_time(
    *,
    timetable: Timetable,
    at: Instant,
    earliest: Instant | None = None,
    latest: Instant | None = None,
    cursor: Cursor | None = None,
) -> Slot | None:
    """The first slot that is due at that instant; otherwise as `find_slot_by_logical_date`."""
    return _search(timetable, at, _run_after, earliest, latest, cursor)


def _search(
    timetable: Timetable,
    instant: Instant,
    key: _SlotKey,
    earliest: Instant | None,
    latest: Instant | None,
    cursor: Cursor | None,
) -> Slot | None:
    if timetable.follows_runs:
        return None
    if isinstance(timetable, DeltaTimetable):
        return _search_stepped(timetable, instant, key, earliest, latest, cursor)
    if isinstance(timetable, BuiltinTimetable) and find_next_method(timetable) is None:
        begin = find_walk_start(timetable, _estimate_due(timetable, instant, key), earliest, latest)
        return _find_in(iterate_runs_from(timetable, begin, latest), key, instant)
    return _search_author(timetable, instant, key, earliest, latest, cursor)


def _estimate_due(timetable: BuiltinTimetable, instant: Instant, key: _SlotKey) -> Instant:
    """An instant at or shortly before the due time of the wanted slot."""
    reach = timetable.reach if isinstance(timetable, TriggerTimetable | MultipleCronTriggerTimetable) else None
    if not reach:
        return instant
    if key is _run_after:
        return instant - _MONTH_ENDS
    return max(instant, to_instant(add_span(to_datetime(instant), reach)) - _MONTH_ENDS)


def _search_stepped(
    timetable: DeltaTimetable,
    instant: Instant,
    key: _SlotKey,
    earliest: Instant | None,
    latest: Instant | None,
    cursor: Cursor | None,
) -> Slot | None:
    """The slot of a timetable without a grid: its steps are counted from the last planned slot, or from the start date."""
    last = _move_cursor_back(timetable, instant, key, cursor)
    if last is not None:
        return _find_in(
            iterate_runs_from(timetable, last.run_after if earliest is None else earliest, latest, last), key, instant
        )
    if earliest is None:
        return None
    return _find_in(
        iterate_runs_from(timetable, find_walk_start(timetable, instant, earliest, latest), latest), key, instant
    )


def _move_cursor_back(
    timetable: DeltaTimetable, instant: Instant, key: _SlotKey, cursor: Cursor | None
) -> Cursor | None:
    """The cursor moved back by whole steps until it is before the wanted slot; None if steps cannot be counted back."""
    if cursor is None or key(_to_slot(cursor)) < instant:
        return cursor
    step = timetable.fixed_step
    return None if step is None else cursor.move(-((key(_to_slot(cursor)) - instant) // step + 1) * step)


def _search_author(
    timetable: Timetable,
    instant: Instant,
    key: _SlotKey,
    earliest: Instant | None,
    latest: Instant | None,
    cursor: Cursor | None,
) -> Slot | None:
    """The slot of an author's timetable: after the last planned slot, after the start date, or in a walk from nearby.

    A walk from nearby counts only if a walk from another instant finds the same slot: a timetable that counts its steps
    from the first call has slots at any instant, so that no slot is certain.
    """
    if cursor is not None and key(_to_slot(cursor)) == instant:
        return _to_slot(cursor)
    if cursor is not None and key(_to_slot(cursor)) < instant:
        return _find_in(
            iterate_runs_from(timetable, cursor.run_after if earliest is None else earliest, latest, cursor),
            key,
            instant,
        )
    begin = find_walk_start(timetable, instant, earliest, latest)
    slot = _find_in(iterate_runs_from(timetable, begin, latest), key, instant)
    if slot is None or begin == earliest:
        return slot
    return slot if slot == _find_in(iterate_runs_from(timetable, begin - 1, latest), key, instant) else None


def _find_in(runs: Iterator[PlannedRun], key: _SlotKey, instant: Instant) -> Slot | None:
    """The slot with the wanted key in runs that are in order; None if there is none."""
    for step_count, run in enumerate(runs):
        slot = _to_slot(run)
        if key(slot) >= instant:
            return slot if key(slot) == instant else None
        if step_count >= MAX_STEPS_TO_WINDOW:
            raise PlanningError(
                f"more than {MAX_STEPS_TO_WINDOW} slots lie before {to_datetime(instant).isoformat()}, too many to count up to it"
            )
    return None


def _to_slot(of: PlannedRun | Cursor) -> Slot:
    return Slot(run_after=of.run_after, interval_start=of.interval_start, interval_end=of.interval_end)


def _logical_at(slot: Slot) -> Instant:
    return slot.logical_at


def _run_after(slot: Slot) -> Instant:
    return slot.run_after


def find_manual_logical_date(dag: DagSpec, now: Instant) -> Instant | None:
    """The logical date of a manual run for which the user names none: none in Airflow 3, the current time in Airflow 2."""
    return now if dag.airflow_dialect == 2 else None


def infer_manual_run(dag: DagSpec, *, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """`build_manual_run` for a DAG with a built-in timetable. A DAG without a time schedule gets the exact instant.

    Raises PlanningError for an author's timetable, which only a timetable host may call.
    """
    return build_manual_run(_build_timetable(dag), logical_at, now)


def build_manual_run(timetable: Timetable, logical_at: Instant | None, now: Instant) -> PlannedRun:
    """A manual run that is due `now`, with the data interval that its timetable infers.

    The interval is inferred from the logical date if there is one, else from `now`. Raises PlanningError when the
    timetable fails.
    """
    interval = ask_manual(timetable, now if logical_at is None else logical_at)
    return PlannedRun(
        run_id=ask_run_id(timetable, DagRunType.MANUAL, now, interval, now if logical_at is None else logical_at),
        run_after=now,
        interval_start=to_instant(interval.start),
        interval_end=to_instant(interval.end),
    )


def with_slot_data(run: PlannedRun, slot: Slot) -> PlannedRun:
    """The manual run with the data interval of the slot; unchanged if the slot has none."""
    if slot.interval_start is None:
        return run
    return msgspec.structs.replace(run, interval_start=slot.interval_start, interval_end=slot.interval_end)


def build_manual_run_id(run_after: Instant) -> str:
    """The id of a manual run of a timetable that does not generate ids itself."""
    return DagRunType.MANUAL.generate_run_id(to_datetime(run_after).isoformat())


def _build_timetable(dag: DagSpec) -> Timetable:
    ref = dag.timetable
    if not ref.can_be_scheduled and ref.builtin_name not in BUILTINS:
        return NullTimetable()
    return build(ref)
