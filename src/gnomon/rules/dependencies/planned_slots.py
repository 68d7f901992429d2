"""The slots of any timetable between the start and end date of its DAG, without knowledge of runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.slots import TimeRestriction
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.interval_timetables import DataIntervalTimetable
from gnomon.rules.timetables.spans import compute_fixed_seconds
from gnomon.rules.timetables.wall_clock.zones import to_utc

Bounds = tuple[datetime | None, datetime | None]
"""The start_date and end_date of a DAG, both inclusive; None: unbounded."""
LOOK_BACK = timedelta(days=32)
"""How far before a range the iteration of an author's timetable starts: its intervals may be months."""
MAX_STEPS = 100_000
"""Most steps of one iteration."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PlannedSlots:
    """The slots of one timetable between two dates of its DAG. `anchor`: the slot from which a timedelta schedule counts."""

    def __init__(self, timetable: Timetable, bounds: Bounds = (None, None), anchor: datetime | None = None) -> None:
        self.timetable = timetable
        self.earliest, self.latest = (None if bound is None else to_utc(bound) for bound in bounds)
        self._anchor = anchor
        self._low = self._lowest()

    def between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """The slots from `start` (inclusive) to `end` (exclusive), ascending, in UTC."""
        if self._low is not None and self._low > start:
            start = self._low
        if start >= end:
            return
        if self.latest is None or self.latest >= end:
            yield from self._free(start, end)
            return
        for slot in self._free(start, end):
            if slot > self.latest and not self._about_before_the_end(slot):
                return
            yield slot

    def _lowest(self) -> datetime | None:
        """The first slot that the start date admits, or the start date itself."""
        if self.earliest is None or not isinstance(self.timetable, DataIntervalTimetable):
            return self.earliest
        first = self.timetable.plan_next(None, TimeRestriction(self.earliest, None, True), self.earliest)
        return self.earliest if first is None else first.run_after

    def _about_before_the_end(self, slot: datetime) -> bool:
        """True if the end date limits the starts of intervals, and the interval of this slot starts before it."""
        timetable = self.timetable
        assert self.latest is not None
        return isinstance(timetable, DataIntervalTimetable) and timetable.infer_manual(slot).start <= self.latest

    def _free(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """The slots between two instants, as if the DAG had no dates."""
        timetable: Any = self.timetable
        if isinstance(timetable, DeltaTimetable):
            return self._stepped(timetable, start, end)
        if hasattr(timetable, "slots_between"):
            slots: Iterator[datetime] = map(to_utc, timetable.slots_between(start, end))
            return slots if isinstance(timetable, BuiltinTimetable) else iter(sorted(set(slots)))
        return self._walked(start, end)

    def _stepped(self, timetable: DeltaTimetable, start: datetime, end: datetime) -> Iterator[datetime]:
        """The slots of a timedelta schedule. It has no grid, so it counts from the anchor, the start date, or 1970."""
        anchor = self._anchor or self.earliest or _EPOCH
        step = find_step(timetable)
        if step is not None:
            anchor += max((start - anchor) // step, 0) * step
        return (slot for slot in timetable.slots_between(anchor, end) if slot >= start)

    def _walked(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """The slots of a timetable that can only compute the next slot."""
        earliest = start - LOOK_BACK
        if self.earliest is not None and self.earliest > earliest:
            earliest = self.earliest
        restriction = TimeRestriction(earliest, self.latest, True)
        last = None
        for _ in range(MAX_STEPS):
            info = self.timetable.plan_next(last, restriction, end)
            if info is None or to_utc(info.run_after) >= end:
                return
            if last is not None and to_utc(info.run_after) <= to_utc(last.run_after):
                break
            if to_utc(info.run_after) >= start:
                yield to_utc(info.run_after)
            last = info
        raise PlanningError(
            f"{type(self.timetable).__name__} does not advance between {earliest} and {end}: each run must be later than "
            "the one before; return None when there are no more"
        )


def find_step(timetable: Timetable) -> timedelta | None:
    """The fixed step of a timedelta schedule whose slots follow from any of them; None for other timetables."""
    if not isinstance(timetable, DeltaTimetable) or timetable.follows_runs_before:
        return None
    length_s = compute_fixed_seconds(timetable.span)
    return None if length_s is None else timedelta(seconds=length_s)
