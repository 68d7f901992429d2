"""The upstream's past laid over its timetable: which slots have a run, and which were passed without one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime

from gnomon.dependencies.planned import Bounds, Planned
from gnomon.dependencies.resolution import History
from gnomon.dependencies.slotdays import MOST_DAYS, Day, Place, SlotDays
from gnomon.dependencies.zonedays import DAY_US
from gnomon.timetables.deltabased import DeltaBased


class PastDays:
    """The days of an upstream: up to its cursor as its runs tell, after it as the timetable does.

    While every recorded slot of a day is one of the timetable's, those that lack a run are absent: they keep their
    places. A recorded slot that the timetable does not name shows that the timetable has changed since: then the day's past is
    what is recorded, and nothing of it is absent.
    """

    def __init__(self, days: SlotDays, bounds: Bounds, history: History) -> None:
        self._days = days
        self._bounds = bounds
        self._slots: Sequence[datetime] = history.slots
        self._length = len(history.slots)
        self._cursor = history.cursor
        self._merged: dict[int, Day] = {}

    def is_of(self, history: History) -> bool:
        """Whether this was made from that history, as it is now."""
        return self._slots is history.slots and self._length == len(history.slots) and self._cursor == history.cursor

    def day(self, number: int) -> Day:
        """The places of a day, with those that are absent."""
        found = self._merged.get(number)
        if found is None:
            if len(self._merged) >= MOST_DAYS:
                self._merged.clear()
            found = self._merged[number] = self._merge(number)
        return found

    def day_before(self, number: int) -> Day | None:
        """The last day before `number` that has a slot, by timetable or record."""
        recorded = bisect_left(self._slots, self._days.zone.span(number)[0]) if self._cursor is not None else 0
        latest = self._days.zone.label(self._slots[recorded - 1]) // DAY_US if recorded else None
        found = self._days.day_before(number)
        while found is not None and (latest is None or found.number > latest):
            merged = self.day(found.number)
            if merged.slots:
                return merged
            found = self._days.day_before(found.number)
        return None if latest is None else self.day(latest)

    def _merge(self, number: int) -> Day:
        cursor = self._cursor
        if cursor is None:
            return self._days.day(number)
        start, end = self._days.zone.span(number)
        recorded = self._slots[bisect_left(self._slots, start) : bisect_left(self._slots, end)]
        if isinstance(self._days.timetable, DeltaBased):
            return self._replaced(number, recorded, self._steps_on(cursor, start, end))
        day = self._days.day(number)
        if not recorded and (day.first_slot is None or day.first_slot > cursor):
            return day
        past = {slot for slots in day.slots for slot in slots if slot <= cursor}
        if past.issuperset(recorded):
            return Day(number, zip(day.labels, day.slots, strict=True), frozenset(past.difference(recorded)))
        return self._replaced(number, recorded, [slot for slots in day.slots for slot in slots if slot > cursor])

    def _replaced(self, number: int, recorded: Sequence[datetime], coming: Sequence[datetime]) -> Day:
        """A day of recorded slots and coming ones, by the labels that the clock shows."""
        places: dict[int, set[datetime]] = {}
        for slot in (*recorded, *coming):
            places.setdefault(self._days.zone.label(slot), set()).add(slot)
        return Day(number, (self._place(label, slots) for label, slots in sorted(places.items())))

    def _place(self, label: int, slots: set[datetime]) -> Place:
        return label, tuple(sorted(slots))

    def _steps_on(self, cursor: datetime, start: datetime, end: datetime) -> list[datetime]:
        """The coming slots of a span: its steps go on from the last slot that was planned."""
        coming = list(Planned(self._days.timetable, self._bounds, anchor=cursor).between(start, end))
        return coming[bisect_right(coming, cursor) :]
