"""A dependency asked in plain data: which slots a run waits for, and how much of the upstream's past that takes to tell.

The past is long, and a rule looks at a few days of it. `Dependency.window` says which; the answer from those days alone is
that from all of them. Of an upstream with very many slots a day even one day is long, and most rules look at a time_range of it:
`Dependency.time_range` says which. Whether its timetable has changed is told by whole days, though: of these, each part of the
past is compared with the timetable once (`uncompared_range`, `compare`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from gnomon.dependencies.resolution import History
from gnomon.dependencies.resolver import Resolver
from gnomon.dependencies.zone_days import DAY_US, ZoneDays
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.slots import TimetableRef
from gnomon.model.upstream_edges import AfterSpec, to_after
from gnomon.timetables.base import Timetable
from gnomon.timetables.wall_clock.zones import zone_of

SIDE_US = 2 * DAY_US
"""No natural day around an instant, in whatever zone, is further away."""
_MICROSECOND = timedelta(microseconds=1)


class DagSide(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two DAGs, as far as its slots go."""

    dag_id: str
    timetable: TimetableRef
    file: str | None = None
    """Where an author's class may stand."""
    timezone: str = "UTC"
    start_at: Instant | None = None
    end_at: Instant | None = None


class RecordedSlots(msgspec.Struct, frozen=True):
    """The upstream's slots that have a run, ascending, of a time_range; and its cursor."""

    slots: tuple[Instant, ...]
    cursor: Instant | None
    changed: tuple[int, ...] | None = None
    """Of less than whole days: those on which something ran that the timetable does not name."""


class ResolvedSlots(msgspec.Struct, frozen=True):
    """What a run waits for: `dependencies.Resolution` as plain data."""

    slots: tuple[Instant, ...]
    rule: str
    absent: tuple[Instant, ...] = ()


class TimeRange(NamedTuple):
    """From `start` (inclusive) to `end` (exclusive)."""

    start: Instant
    end: Instant


class UpstreamAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer from where authors' timetables are asked: what was found of each run, or how much of the past it takes."""

    resolved: tuple[ResolvedSlots, ...] = ()
    wanted_range: TimeRange | None = None


class Dependency:
    """One edge of a DAG, with both timetables. It remembers days of both."""

    def __init__(self, after: AfterSpec, down: DagSide, up: DagSide, downstream: Timetable, upstream: Timetable) -> None:
        """Raises ValueError, AirflowTimetableInvalid or PlanningError for a dependency that has no answer."""
        zone = zone_of(after.zone or _own_zone(down, downstream) or down.timezone)
        self._after = after
        self._zone = ZoneDays(zone)
        self._resolver = Resolver(
            replace(to_after(after), zone=zone), downstream, upstream, _bounds(down), _bounds(up), down.dag_id == up.dag_id
        )
        self._compared = TimeRange(0, 0)
        """All that is recorded here is named by the upstream's timetable; it begins with a day."""

    @property
    def cached_slot_count(self) -> int:
        """Slots of both timetables that it has in memory."""
        return self._resolver.cached_slot_count

    def window(self, at: Instant) -> TimeRange:
        """The time_range of the upstream's past that the run planned at `at` looks at, in whole days of the dependency's zone.

        Not for a DAG that waits for itself: see `count_needed_slots`.
        """
        start, end = self._resolver.resolve(to_datetime(at)).window
        return self._whole_days(start, max(end - _MICROSECOND, start))

    def windows(self, ats: Iterable[Instant]) -> TimeRange:
        """The time_range that all of these runs look at together."""
        return _span_of(self.window(at) for at in ats)

    def partial_window(self, ats: Iterable[Instant]) -> TimeRange | None:
        """The part of days that all of these runs look at together; None where they look at whole days.

        Not for a DAG that waits for itself: see `count_needed_slots`.
        """
        if not self.uses_partial_days:
            return None
        return self.widen(_span_of(TimeRange(*map(to_instant, self._resolver.resolve(to_datetime(at)).window)) for at in ats))

    @property
    def uses_partial_days(self) -> bool:
        """Whether a part of a day is enough of the upstream's past: it has many slots a day, and the rule looks at few."""
        return self._resolver.uses_partial_days

    def widen(self, time_range: TimeRange) -> TimeRange:
        """A time_range with all instants that show the same labels, or run for them, where a change of the clock is near."""
        first, last = (self._zone.label(to_datetime(at)) // DAY_US for at in time_range)
        reach = 2 * max(self._zone.reach(first), self._zone.reach(last))
        return TimeRange(time_range.start - reach, time_range.end + reach)

    def uncompared_range(self, time_range: TimeRange, cursor: Instant | None) -> TimeRange | None:
        """What of the days that a time_range is in, up to the cursor, is still to be compared with the timetable."""
        if cursor is None or not self._resolver.may_have_changed:
            return None
        start, end = self._whole_days(to_datetime(time_range.start), to_datetime(max(time_range.end - 1, time_range.start)))
        if not self._compared.start <= start <= self._compared.end:
            self._compared = TimeRange(start, start)
        end = min(end, cursor + 1)
        return TimeRange(self._compared.end, end) if self._compared.end < end else None

    def compare(self, time_range: TimeRange, recorded: Iterable[Instant]) -> tuple[int, ...]:
        """The days of a time_range on which something is recorded that the timetable does not name; else it is compared for good."""
        changed = self._resolver.changed_days([to_datetime(slot) for slot in recorded])
        if not changed:
            self._compared = TimeRange(self._compared.start, time_range.end)
        return tuple(sorted(changed))

    def resolve_slots(self, at: Instant, history: History) -> ResolvedSlots:
        """What the run planned at `at` waits for, in the light of that part of the past."""
        found = self._resolver.resolve(to_datetime(at), history)
        absent = () if self._after.on_absent == "wait" else found.absent
        return ResolvedSlots(tuple(map(to_instant, found.slots)), found.rule, tuple(map(to_instant, absent)))

    def _whole_days(self, first: datetime, last: datetime) -> TimeRange:
        """The days from that of one instant to that of another."""
        start, end = self._zone.label(first) // DAY_US * DAY_US, (self._zone.label(last) // DAY_US + 1) * DAY_US
        return TimeRange(*map(to_instant, self._zone.around(start, end)))


def count_needed_slots(after: AfterSpec) -> int:
    """Of a DAG that waits for itself: so many of the newest recorded slots before the run hold the one that it waits for.

    A place of a clock that is set back has two slots, and one more place is looked at. The days that these slots lie in
    (`SIDE_US` around them) must be known whole.
    """
    return 2 * (after.previous + 1)


def to_history(past: RecordedSlots) -> History:
    """The past for `Dependency.found`. A slot after the cursor counts by timetable, whoever made a run for it."""
    cursor = past.cursor
    known = () if cursor is None else tuple(to_datetime(slot) for slot in past.slots if slot <= cursor)
    return History(known, None if cursor is None else to_datetime(cursor), past.changed)


def _span_of(several: Iterable[TimeRange]) -> TimeRange:
    starts, ends = zip(*several, strict=True)
    return TimeRange(min(starts), max(ends))


def _own_zone(side: DagSide, timetable: Timetable) -> object:
    """The zone that the timetable has, if any. What an author calls `timezone` may be something else."""
    return getattr(timetable, "timezone", None) if side.timetable.builtin else side.timetable.timezone


def _bounds(side: DagSide) -> tuple[datetime | None, datetime | None]:
    return (
        None if side.start_at is None else to_datetime(side.start_at),
        None if side.end_at is None else to_datetime(side.end_at),
    )
