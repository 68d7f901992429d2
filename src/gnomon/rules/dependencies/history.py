"""Combines the recorded slots of an upstream with its timetable: which slots have a run, and which are absent."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import datetime

from gnomon.rules.dependencies.planned_slots import Bounds, PlannedSlots
from gnomon.rules.dependencies.resolution import History
from gnomon.rules.dependencies.slot_chunks import MAX_DAYS, SlotDays
from gnomon.rules.dependencies.slot_labels import SlotLabels
from gnomon.rules.dependencies.zone_days import DAY_US, ZoneDays


class HistoryDays:
    """The days of an upstream: up to its cursor by its recorded runs, after the cursor by its timetable.

    If every recorded slot of a day is a slot of the timetable, the other slots of the day are absent and keep their labels.
    A recorded slot that the timetable does not have shows that the timetable has changed since: then only the recorded
    slots of that day count, and none is absent.
    """

    def __init__(self, days: SlotDays, bounds: Bounds, history: History) -> None:
        self._days = days
        self._bounds = bounds
        self._history = history
        self._length = len(history.slots)
        self._changed: dict[int, bool] = {}
        self._replaced: dict[tuple[int, int], SlotLabels] = {}

    @property
    def zone(self) -> ZoneDays:
        """The zone of the labels."""
        return self._days.zone

    @property
    def chunk_length(self) -> int:
        """The length of a chunk in microseconds."""
        return self._days.chunk_length

    def is_of(self, history: History) -> bool:
        """True if this object was built from that history and the history has not changed."""
        own = self._history
        return (
            own.slots is history.slots
            and self._length == len(history.slots)
            and own.cursor == history.cursor
            and own.changed == history.changed
        )

    def chunk(self, number: int) -> SlotLabels:
        """The labels of chunk `number`, from `number * chunk_length` on, including those of absent slots."""
        start, end = number * self.chunk_length, (number + 1) * self.chunk_length
        return self._find_recorded_day(start, end) if self._is_changed(start // DAY_US) else self._days.chunk(number)

    def day(self, number: int) -> SlotLabels:
        """The labels of a day, including those of absent slots."""
        start, end = number * DAY_US, (number + 1) * DAY_US
        return self._find_recorded_day(start, end) if self._is_changed(number) else self._days.day(number)

    def day_before(self, number: int) -> int | None:
        """The last day before day `number` with a planned or recorded slot; None if there is none."""
        slots = self._history.slots if self._history.cursor is not None else ()
        recorded = bisect_left(slots, self.zone.around(number * DAY_US, (number + 1) * DAY_US)[0])
        latest = self.zone.label(slots[recorded - 1]) // DAY_US if recorded else None
        day = self._days.day_before(number)
        while day is not None and (latest is None or day > latest):
            start, end = day * DAY_US, (day + 1) * DAY_US
            if not self._is_changed(day) or next(self._iterate_future(start, end), None) is not None:
                return day
            day = self._days.day_before(day)
        return latest

    def max_clock_gain(self, day: int) -> int:
        """How far the clock may be ahead of a label of that day when its slot runs, in microseconds."""
        return self._days.max_clock_gain(day)

    def is_absent(self, slot: datetime) -> bool:
        """True if the cursor has passed this slot and it has no run."""
        slots, cursor = self._history.slots, self._history.cursor
        if cursor is None or slot > cursor:
            return False
        at = bisect_left(slots, slot)
        return at == len(slots) or slots[at] != slot

    def _is_changed(self, day: int) -> bool:
        """True if only the recorded slots of the day count, because they do not match the timetable."""
        if self._history.cursor is None or not self._days.has_grid:
            return self._history.cursor is not None
        if self._history.changed is not None:
            return day in self._history.changed
        is_changed = self._changed.get(day)
        if is_changed is None:
            if len(self._changed) >= MAX_DAYS:
                self._changed.clear()
            is_changed = self._changed[day] = self._is_foreign(day, self._history.cursor)
        return is_changed

    def _is_foreign(self, day: int, cursor: datetime) -> bool:
        recorded = self._find_recorded(day * DAY_US, (day + 1) * DAY_US)
        return bool(recorded) and (recorded[-1] > cursor or not self._days.contains_all(day, recorded))

    def _find_recorded_day(self, start: int, end: int) -> SlotLabels:
        """Recorded slots and slots after the cursor, by the labels that the clock shows."""
        labels = self._replaced.get((start, end))
        if labels is None:
            if len(self._replaced) >= MAX_DAYS:
                self._replaced.clear()
            slots_by_label: dict[int, set[datetime]] = {}
            for slot in (*self._find_recorded(start, end), *self._iterate_future(start, end)):
                slots_by_label.setdefault(self.zone.label(slot), set()).add(slot)
            labels = SlotLabels((label, tuple(sorted(slots))) for label, slots in sorted(slots_by_label.items()))
            self._replaced[start, end] = labels
        return labels

    def _find_recorded(self, start: int, end: int) -> Sequence[datetime]:
        """The recorded slots with labels from `start` to before `end`, which are in one day."""
        slots, label = self._history.slots, self.zone.label
        first, last = self.zone.around(start, end)
        recorded = slots[bisect_left(slots, first) : bisect_left(slots, last)]
        is_even = self.zone.offset(start // DAY_US) is not None
        return recorded if is_even else [slot for slot in recorded if start <= label(slot) < end]

    def _iterate_future(self, start: int, end: int) -> Iterator[datetime]:
        """The slots after the cursor with labels from `start` to before `end`, in order."""
        cursor = self._history.cursor
        assert cursor is not None
        if self._days.has_grid:
            return (slot for slot in self._days.slots(start, end) if slot > cursor)
        steps = PlannedSlots(self._days.timetable, self._bounds, anchor=cursor).between(*self.zone.around(start, end))
        return (slot for slot in steps if slot > cursor and start <= self.zone.label(slot) < end)
