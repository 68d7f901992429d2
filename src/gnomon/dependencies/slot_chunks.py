"""In how long chunks the slots of a timetable are found and cached_slot_count, so that none has many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from math import inf

from gnomon.dependencies.planned_slots import Bounds, PlannedSlots, find_step
from gnomon.dependencies.slot_labels import SlotLabel, SlotLabels
from gnomon.dependencies.zone_days import DAY_S, DAY_US, HOUR_US, US, ZoneDays
from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables.base import BuiltinTimetable, Timetable
from gnomon.timetables.delta_timetable import DeltaTimetable
from gnomon.timetables.granularity import GRANULARITIES, Granularity
from gnomon.timetables.periods.intraday_periods import Minutely
from gnomon.timetables.wall_clock.clock_change import LabelClock

_UNITS = ((6, DAY_US), (120, HOUR_US), (inf, 60 * US))
"""So many slots in the busiest hour of a day at most, and the chunk; no chunk of ours has many more than a hundred."""


def compute_chunk_length(timetable: Timetable) -> int:
    """How long a chunk is, in microseconds: a natural day, or a natural hour or minute of a timetable with many slots.

    An author's is asked for whole days: it may have to be walked to any instant.
    """
    slots = _estimate_busiest_hour(timetable) if isinstance(timetable, BuiltinTimetable) else 0
    return next(unit for most, unit in _UNITS if slots <= most)


def _estimate_busiest_hour(timetable: BuiltinTimetable) -> float:
    """How many slots an hour may have; 0 where that is not told at once."""
    step = find_step(timetable)
    if step is not None:
        return timedelta(hours=1) / step
    clocks: tuple[LabelClock, ...] = getattr(timetable, "clocks", ())
    return sum(_most_in_an_hour(clock) for clock in clocks)


def _most_in_an_hour(clock: LabelClock) -> int:
    hours = Counter(minute // 60 for minute in clock.labels.minutes)
    return max(hours.values()) * len(clock.labels.seconds)


MAX_DAYS = 64
"""So many days of a timetable are cached_slot_count, or chunks of days; then all are forgotten and found again."""
MAX_SLOTS = 5000
"""So many slots are cached_slot_count, or those of one day if it has more."""
MAX_EMPTY_DAYS = 800
"""So far back a timetable that tells no labels is searched for an earlier slot."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class SlotDays:
    """The days of one timetable under the dates of its DAG, seen in one zone."""

    def __init__(self, timetable: Timetable, zone: ZoneDays, bounds: Bounds = (None, None)) -> None:
        self.timetable = timetable
        self.zone = zone
        self.planned = PlannedSlots(timetable, bounds)
        self.granularity = _read_granularity(timetable)
        self.every = timetable.every * 60 * US if isinstance(timetable, Minutely) else None
        """The step of a minute timetable that states it, in microseconds."""
        self.has_grid = not isinstance(timetable, DeltaTimetable)
        """Whether the past does not shift its slots: the steps of a span go on from the last slot that was planned."""
        self.chunk_length = compute_chunk_length(timetable)
        """How long its chunks are, in microseconds."""
        self._clocks: tuple[LabelClock, ...] = getattr(timetable, "clocks", ())
        self._names_labels = bool(self._clocks) and getattr(timetable, "timezone", None) == zone.zone
        """Whether the zone's labels are those that the timetable names; those of another zone are what its clock shows."""
        self._moves = self._names_labels and not all(clock.both for clock in self._clocks)
        """Whether a place may lie at another label than the clock shows when its slot runs."""
        self._days: dict[int, SlotLabels] = {}
        self._chunks: dict[int, SlotLabels] = self._days if self.chunk_length == DAY_US else {}
        self._counts: dict[int, int] = {}
        self.cached_slot_count = 0
        """Slots of the days and chunks in memory."""

    def chunk(self, number: int) -> SlotLabels:
        """The places with labels from `number * unit` to before the next chunk."""
        found = self._chunks.get(number)
        if found is not None:
            return found
        day = number * self.chunk_length // DAY_US
        if self._moves and self.zone.offset(day) is None:
            return self.day(day).part(number * self.chunk_length, (number + 1) * self.chunk_length)
        return self._remember(self._chunks, number, self.chunk_length)

    def day(self, number: int) -> SlotLabels:
        """The places of a day."""
        found = self._days.get(number)
        return self._remember(self._days, number, DAY_US) if found is None else found

    def count(self, number: int) -> int:
        """How many places a day has."""
        if self.chunk_length == DAY_US:
            return len(self.day(number).labels)
        if number not in self._counts:
            if len(self._counts) >= MAX_DAYS:
                self._counts.clear()
            self._counts[number] = sum(1 for _ in self._find_labels(number * DAY_US, (number + 1) * DAY_US))
        return self._counts[number]

    def day_before(self, number: int) -> int | None:
        """The last day before the day `number` that has a place."""
        earliest = self.planned.earliest
        for _ in range(MAX_EMPTY_DAYS):
            start, _ = self._around(number)
            number -= 1
            if self._clocks:
                seconds = [clock.on_or_before(_seconds(start) - 1) for clock in self._clocks]
                latest = max((second for second in seconds if second is not None), default=None)
                if latest is None:
                    return None
                number = min(number, self.zone.label(_EPOCH + timedelta(0, latest)) // DAY_US)
            if earliest is not None and self._around(number)[1] <= earliest:
                return None
            if self._has_slot(number):
                return number
        return None

    def max_clock_gain(self, day: int) -> int:
        """By how much the clock may show more than the label of a place of that day when its slot runs."""
        return self.zone.reach(day) if self._moves else 0

    def slots(self, start: int, end: int) -> Iterator[datetime]:
        """The slots, in order, at which the clock shows a label from `start` to before `end`: a chunk, or a day."""
        if self.chunk_length == DAY_US:
            return iter(sorted({slot for slots in self.day(start // DAY_US).slots for slot in slots}))
        return self._iterate_shown(start, end)

    def contains_all(self, number: int, instants: Sequence[datetime]) -> bool:
        """Whether all of these instants of a day, in order, are slots."""
        if self.chunk_length == DAY_US:
            return set(self.slots(number * DAY_US, (number + 1) * DAY_US)).issuperset(instants)
        for _, group in groupby(instants, key=lambda instant: instant.replace(second=0, microsecond=0)):
            some = list(group)
            if not set(self.planned.between(some[0], some[-1] + _MICROSECOND)).issuperset(some):
                return False
        return True

    def _remember(self, cache: dict[int, SlotLabels], number: int, unit: int) -> SlotLabels:
        found = SlotLabels(self._find_labels(number * unit, (number + 1) * unit))
        if len(cache) >= MAX_DAYS or self.cached_slot_count + len(found.slots) > MAX_SLOTS:
            self._days.clear()
            self._chunks.clear()
            self.cached_slot_count = 0
        cache[number] = found
        self.cached_slot_count += len(found.slots)
        return found

    def _around(self, number: int) -> tuple[datetime, datetime]:
        return self.zone.around(number * DAY_US, (number + 1) * DAY_US)

    def _has_slot(self, number: int) -> bool:
        if self.chunk_length == DAY_US:
            return bool(self.day(number).slots)
        return next(self._iterate_shown(number * DAY_US, (number + 1) * DAY_US), None) is not None

    def _iterate_shown(self, start: int, end: int) -> Iterator[datetime]:
        """The slots at which the clock shows a label from `start` to before `end`, found as they are asked for."""
        return (
            slot for slot in self.planned.between(*self.zone.around(start, end)) if start <= self.zone.label(slot) < end
        )

    def _find_labels(self, start: int, end: int) -> Iterable[SlotLabel]:
        """The places with labels from `start` to before `end`, which lie in one day."""
        offset = self.zone.offset(start // DAY_US)
        if offset is None:
            yield from self._find_labels_at_clock_change(start, end)
            return
        for slot in self.planned.between(*self.zone.around(start, end)):
            since = slot - _EPOCH
            yield (since.days * DAY_S + since.seconds) * US + since.microseconds + offset, (slot,)

    def _find_labels_at_clock_change(self, start: int, end: int) -> Iterable[SlotLabel]:
        day = start // DAY_US
        reach = self.max_clock_gain(day)
        near = self.planned.between(*self.zone.around(start, end + reach))
        slots = [slot for slot in near if self.zone.label(slot) // DAY_US == day]
        labelled = self._label_by_timetable(set(slots), day, start - reach, end) if self._names_labels else self._label_by_clock(slots)
        merged: dict[int, set[datetime]] = {}
        for label, slot in labelled:
            if start <= label < end:
                merged.setdefault(label, set()).add(slot)
        for label, instants in sorted(merged.items()):
            yield label, tuple(sorted(instants))

    def _label_by_clock(self, slots: Iterable[datetime]) -> Iterator[tuple[int, datetime]]:
        """Slots by the label that the clock shows at them."""
        return ((self.zone.label(slot), slot) for slot in slots)

    def _label_by_timetable(self, slots: set[datetime], day: int, start: int, end: int) -> Iterator[tuple[int, datetime]]:
        """Slots of a day by the labels that the timetable names: one that was moved within its day keeps its own place."""
        for clock in self._clocks:
            if clock.both:
                first, last = _seconds(min(slots, default=_EPOCH)), _seconds(max(slots, default=_EPOCH))
                yield from self._label_by_clock(slot for slot in clock.between(first, last + 1) if slot in slots)
                continue
            for own in _labels(clock, start, end):
                slot = self.zone.instant(own)
                if slot in slots:
                    yield own if own // DAY_US == day else self.zone.label(slot), slot


def _labels(clock: LabelClock, start: int, end: int) -> Iterator[int]:
    """The labels that a clock names from `start` to before `end`."""
    first, last = start // US, -(-end // US)
    days = clock.labels.days
    day = days.on_or_after(first // DAY_S)
    while day is not None and day * DAY_S < last:
        for second in clock.labels.of_day(first - day * DAY_S, last - day * DAY_S):
            yield day * DAY_US + second * US
        day = days.on_or_after(day + 1)


def _read_granularity(timetable: Timetable) -> Granularity | None:
    found: Granularity | None = getattr(timetable, "granularity", None)
    if found is not None and found not in GRANULARITIES:
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.granularity is {found!r}; write one of {', '.join(map(repr, GRANULARITIES))}, or None"
        )
    return found


def _seconds(instant: datetime) -> int:
    since = instant - _EPOCH
    return since.days * DAY_S + since.seconds
