"""The labels of a timetable, computed and cached in chunks: days, or hours or minutes of days with many slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from math import inf

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.dependencies.planned_slots import Bounds, PlannedSlots, find_step
from gnomon.rules.dependencies.slot_labels import SlotLabel, SlotLabels
from gnomon.rules.dependencies.zone_days import DAY_S, DAY_US, HOUR_US, US, ZoneDays
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.granularity import GRANULARITIES, Granularity
from gnomon.rules.timetables.periods.intraday_periods import Minutely
from gnomon.rules.timetables.wall_clock.clock_change import LabelClock

_UNITS = ((6, DAY_US), (120, HOUR_US), (inf, 60 * US))
"""(most slots in the busiest hour, chunk length), so that a chunk of a built-in timetable has about a hundred slots at most."""


def compute_chunk_length(timetable: Timetable) -> int:
    """The chunk length in microseconds: a natural day, or an hour or minute for a timetable with many slots.

    Author timetables have whole days, because they may have to be iterated from an earlier instant for each chunk.
    """
    slots = _estimate_busiest_hour(timetable) if isinstance(timetable, BuiltinTimetable) else 0
    return next(unit for most, unit in _UNITS if slots <= most)


def _estimate_busiest_hour(timetable: BuiltinTimetable) -> float:
    """The most slots that an hour may have; 0 if that does not follow from the timetable's fields."""
    step = find_step(timetable)
    if step is not None:
        return timedelta(hours=1) / step
    clocks: tuple[LabelClock, ...] = getattr(timetable, "clocks", ())
    return sum(_count_busiest_hour(clock) for clock in clocks)


def _count_busiest_hour(clock: LabelClock) -> int:
    hours = Counter(minute // 60 for minute in clock.labels.minutes)
    return max(hours.values()) * len(clock.labels.seconds)


MAX_DAYS = 64
"""Most days or chunks in the cache of a timetable; then the cache is emptied."""
MAX_SLOTS = 5000
"""Most slots in the cache of a timetable, unless one day has more; then the cache is emptied."""
MAX_EMPTY_DAYS = 800
"""Most days without a slot that the search for an earlier slot steps over."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class SlotDays:
    """The labels of one timetable between the dates of its DAG, in the days of one zone."""

    def __init__(self, timetable: Timetable, zone: ZoneDays, bounds: Bounds = (None, None)) -> None:
        self.timetable = timetable
        self.zone = zone
        self.planned = PlannedSlots(timetable, bounds)
        self.granularity = _read_granularity(timetable)
        self.every = timetable.every * 60 * US if isinstance(timetable, Minutely) else None
        """The step of a `Minutely` timetable in microseconds; None for others."""
        self.has_grid = not isinstance(timetable, DeltaTimetable)
        """False for timedelta schedules, whose slots are counted from the last planned one."""
        self.chunk_length = compute_chunk_length(timetable)
        """The length of a chunk in microseconds."""
        self._clocks: tuple[LabelClock, ...] = getattr(timetable, "clocks", ())
        self._states_labels = bool(self._clocks) and getattr(timetable, "timezone", None) == zone.zone
        """True if the timetable states its labels in this zone; otherwise labels are what the zone's clock shows."""
        self._may_move_labels = self._states_labels and not all(clock.both for clock in self._clocks)
        """True if the label of a slot may differ from what the clock shows when it runs."""
        self._days: dict[int, SlotLabels] = {}
        self._chunks: dict[int, SlotLabels] = self._days if self.chunk_length == DAY_US else {}
        self._counts: dict[int, int] = {}
        self.cached_slot_count = 0
        """The number of labels in the cache."""

    def chunk(self, number: int) -> SlotLabels:
        """The labels of chunk `number`, from `number * chunk_length` on."""
        cached = self._chunks.get(number)
        if cached is not None:
            return cached
        day = number * self.chunk_length // DAY_US
        if self._may_move_labels and self.zone.offset(day) is None:
            return self.day(day).part(number * self.chunk_length, (number + 1) * self.chunk_length)
        return self._compute_and_cache(self._chunks, number, self.chunk_length)

    def day(self, number: int) -> SlotLabels:
        """The labels of a day."""
        cached = self._days.get(number)
        return self._compute_and_cache(self._days, number, DAY_US) if cached is None else cached

    def count(self, number: int) -> int:
        """The number of labels of a day."""
        if self.chunk_length == DAY_US:
            return len(self.day(number).labels)
        if number not in self._counts:
            if len(self._counts) >= MAX_DAYS:
                self._counts.clear()
            self._counts[number] = sum(1 for _ in self._find_labels(number * DAY_US, (number + 1) * DAY_US))
        return self._counts[number]

    def day_before(self, number: int) -> int | None:
        """The last day before day `number` with a slot; None if there is none within MAX_EMPTY_DAYS."""
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
        """How far the clock may be ahead of a label of that day when its slot runs, in microseconds."""
        return self.zone.reach(day) if self._may_move_labels else 0

    def slots(self, start: int, end: int) -> Iterator[datetime]:
        """The slots, in order, at which the clock shows a label from `start` to before `end`, which bound a chunk or a day."""
        if self.chunk_length == DAY_US:
            return iter(sorted({slot for slots in self.day(start // DAY_US).slots for slot in slots}))
        return self._iterate_shown(start, end)

    def contains_all(self, number: int, instants: Sequence[datetime]) -> bool:
        """True if all these instants of a day, in order, are slots."""
        if self.chunk_length == DAY_US:
            return set(self.slots(number * DAY_US, (number + 1) * DAY_US)).issuperset(instants)
        for _, group in groupby(instants, key=lambda instant: instant.replace(second=0, microsecond=0)):
            some = list(group)
            if not set(self.planned.between(some[0], some[-1] + _MICROSECOND)).issuperset(some):
                return False
        return True

    def _compute_and_cache(self, cache: dict[int, SlotLabels], number: int, unit: int) -> SlotLabels:
        labels = SlotLabels(self._find_labels(number * unit, (number + 1) * unit))
        if len(cache) >= MAX_DAYS or self.cached_slot_count + len(labels.slots) > MAX_SLOTS:
            self._days.clear()
            self._chunks.clear()
            self.cached_slot_count = 0
        cache[number] = labels
        self.cached_slot_count += len(labels.slots)
        return labels

    def _around(self, number: int) -> tuple[datetime, datetime]:
        return self.zone.around(number * DAY_US, (number + 1) * DAY_US)

    def _has_slot(self, number: int) -> bool:
        if self.chunk_length == DAY_US:
            return bool(self.day(number).slots)
        return next(self._iterate_shown(number * DAY_US, (number + 1) * DAY_US), None) is not None

    def _iterate_shown(self, start: int, end: int) -> Iterator[datetime]:
        """The slots at which the clock shows a label from `start` to before `end`, computed lazily."""
        return (
            slot for slot in self.planned.between(*self.zone.around(start, end)) if start <= self.zone.label(slot) < end
        )

    def _find_labels(self, start: int, end: int) -> Iterable[SlotLabel]:
        """The labels from `start` to before `end`, which are in one day, with their slots."""
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
        labelled = (
            self._label_by_timetable(set(slots), day, start - reach, end)
            if self._states_labels
            else self._label_by_clock(slots)
        )
        merged: dict[int, set[datetime]] = {}
        for label, slot in labelled:
            if start <= label < end:
                merged.setdefault(label, set()).add(slot)
        for label, instants in sorted(merged.items()):
            yield label, tuple(sorted(instants))

    def _label_by_clock(self, slots: Iterable[datetime]) -> Iterator[tuple[int, datetime]]:
        """Slots with the label that the clock shows at them."""
        return ((self.zone.label(slot), slot) for slot in slots)

    def _label_by_timetable(
        self, slots: set[datetime], day: int, start: int, end: int
    ) -> Iterator[tuple[int, datetime]]:
        """Slots of a day with the labels that the timetable states; a slot moved within its day keeps its own label."""
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
    """The labels that the schedule of a clock states from `start` to before `end`, in microseconds."""
    first, last = start // US, -(-end // US)
    days = clock.labels.days
    day = days.on_or_after(first // DAY_S)
    while day is not None and day * DAY_S < last:
        for second in clock.labels.of_day(first - day * DAY_S, last - day * DAY_S):
            yield day * DAY_US + second * US
        day = days.on_or_after(day + 1)


def _read_granularity(timetable: Timetable) -> Granularity | None:
    granularity: Granularity | None = getattr(timetable, "granularity", None)
    if granularity is not None and granularity not in GRANULARITIES:
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.granularity is {granularity!r}; write one of {', '.join(map(repr, GRANULARITIES))}, or None"
        )
    return granularity


def _seconds(instant: datetime) -> int:
    since = instant - _EPOCH
    return since.days * DAY_S + since.seconds
