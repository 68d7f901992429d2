"""A timetable's slots day by day, as places: what is counted and compared between DAGs are labels, not instants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property

from gnomon.dependencies.planned import Bounds, Planned
from gnomon.dependencies.zonedays import DAY_S, DAY_US, US, ZoneDays
from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables.base import Timetable
from gnomon.timetables.clockchange import LabelClock
from gnomon.timetables.granularity import GRANULARITIES, Granularity
from gnomon.timetables.withinday import Minutely

MOST_DAYS = 64
"""So many days of a timetable are remembered; then all are forgotten and found again."""
MOST_EMPTY_DAYS = 800
"""So far back a timetable that tells no labels is searched for an earlier slot."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SIDE = timedelta(days=2)
_SIDE_DAYS = 2
_ONE_DAY = timedelta(days=1)

Place = tuple[int, tuple[datetime, ...]]
"""A label, and the slots that run for it: one, or both instants of a label that the clock shows twice."""


class Day:
    """The places of one natural day, in order of their labels. Two labels on one instant are two places of one run."""

    def __init__(self, number: int, places: Iterable[Place], absent: frozenset[datetime] = frozenset()) -> None:
        self.number = number
        self.labels: list[int] = []
        self.slots: list[tuple[datetime, ...]] = []
        for label, slots in places:
            self.labels.append(label)
            self.slots.append(slots)
        self.absent = absent
        """Slots without a run that the upstream's cursor has passed."""

    @cached_property
    def positions(self) -> dict[datetime, list[int]]:
        """The places of each slot."""
        found: dict[datetime, list[int]] = {}
        for position, slots in enumerate(self.slots):
            for slot in slots:
                found.setdefault(slot, []).append(position)
        return found

    @cached_property
    def first_slot(self) -> datetime | None:
        return min((min(slots) for slots in self.slots), default=None)

    def granularity(self) -> Granularity:
        """The kind of a timetable that declares none: at most one slot in the day is day, more are hour."""
        return "day" if len(self.slots) <= 1 else "hour"


class SlotDays:
    """The days of one timetable under the dates of its DAG, seen in one zone."""

    def __init__(self, timetable: Timetable, zone: ZoneDays, bounds: Bounds = (None, None)) -> None:
        self.timetable = timetable
        self.zone = zone
        self.planned = Planned(timetable, bounds)
        self.granularity = _declared(timetable)
        self.every = timetable.every * 60 * US if isinstance(timetable, Minutely) else None
        """The step of a minute timetable that states it, in microseconds."""
        self._clocks: tuple[LabelClock, ...] = getattr(timetable, "clocks", ())
        self._names_labels = bool(self._clocks) and getattr(timetable, "timezone", None) == zone.zone
        """Whether the zone's labels are those that the timetable names; those of another zone are what its clock shows."""
        self._days: dict[int, Day] = {}
        self.remembered = 0
        """Slots of the days in memory."""

    def day(self, number: int) -> Day:
        """The places of a day."""
        found = self._days.get(number)
        if found is None:
            if len(self._days) >= MOST_DAYS:
                self._days.clear()
                self.remembered = 0
            found = self._days[number] = Day(number, self._places(number))
            self.remembered += len(found.slots)
        return found

    def day_before(self, number: int) -> Day | None:
        """The last day before `number` that has a slot."""
        start, _ = self.zone.span(number)
        earliest = self.planned.earliest
        for _ in range(MOST_EMPTY_DAYS):
            number -= 1
            if self._clocks:
                seconds = [clock.on_or_before(_seconds(start) - 1) for clock in self._clocks]
                latest = max((second for second in seconds if second is not None), default=None)
                if latest is None:
                    return None
                number = min(number, self.zone.label(_EPOCH + timedelta(0, latest)) // DAY_US)
            if earliest is not None and self.zone.span(number + 1)[0] <= earliest:
                return None
            found = self.day(number)
            if found.slots:
                return found
            start, _ = self.zone.span(number)
        return None

    def _places(self, number: int) -> Iterable[Place]:
        offset = self.zone.offset(number)
        start, end = self.zone.span(number)
        if offset is not None:
            for slot in self.planned.between(start, end):
                since = slot - _EPOCH
                yield (since.days * DAY_S + since.seconds) * US + since.microseconds + offset, (slot,)
            return
        near = list(self.planned.between(start - _SIDE, end + _SIDE))
        slots = [slot for slot in near if self.zone.label(slot) // DAY_US == number]
        named = self._named(set(slots), number) if self._names_labels else self._shown(slots)
        merged: dict[int, set[datetime]] = {}
        for label, slot in named:
            merged.setdefault(label, set()).add(slot)
        for label, instants in sorted(merged.items()):
            yield label, tuple(sorted(instants))

    def _shown(self, slots: Iterable[datetime]) -> Iterator[tuple[int, datetime]]:
        """Slots by the label that the clock shows at them."""
        return ((self.zone.label(slot), slot) for slot in slots)

    def _named(self, slots: set[datetime], number: int) -> Iterator[tuple[int, datetime]]:
        """Slots by the labels that the timetable names: one that was moved within its day keeps its own place."""
        for clock in self._clocks:
            if clock.both:
                first, last = _seconds(min(slots, default=_EPOCH)), _seconds(max(slots, default=_EPOCH))
                yield from self._shown(slot for slot in clock.between(first, last + 1) if slot in slots)
                continue
            for own in _labels(clock, number - _SIDE_DAYS, number + _SIDE_DAYS):
                slot = self.zone.instant(own)
                if slot in slots:
                    yield own if own // DAY_US == number else self.zone.label(slot), slot


def _labels(clock: LabelClock, first: int, last: int) -> Iterator[int]:
    """The labels that a clock names on the days from `first` to `last`."""
    days = clock.labels.days
    day = days.on_or_after(first)
    while day is not None and day <= last:
        for minute in clock.labels.minutes:
            for second in clock.labels.seconds:
                yield day * DAY_US + (minute * 60 + second) * US
        day = days.on_or_after(day + 1)


def _declared(timetable: Timetable) -> Granularity | None:
    found: Granularity | None = getattr(timetable, "granularity", None)
    if found is not None and found not in GRANULARITIES:
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.granularity is {found!r}; write one of {', '.join(map(repr, GRANULARITIES))}, or None"
        )
    return found


def _seconds(instant: datetime) -> int:
    since = instant - _EPOCH
    return since.days * DAY_S + since.seconds
