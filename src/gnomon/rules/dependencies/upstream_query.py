"""A dependency as plain data: the slots that a run waits for, and the part of the upstream's history that is needed.

A rule reads only a few days of the history. `EdgeTimetables.window` returns them; a result from those days equals the result
from the whole history. If the upstream has very many slots per day, most rules read only a part of a day:
`EdgeTimetables.partial_window` returns it. Whether the upstream's timetable has changed can only be seen in whole days: each
part of the history is compared with the timetable once (`uncompared_range`, `compare`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.slots import TimetableRef
from gnomon.model.upstream_edges import DependencySpec, to_after
from gnomon.rules.dependencies.resolution import History
from gnomon.rules.dependencies.resolver import Resolver
from gnomon.rules.dependencies.zone_days import DAY_US, ZoneDays
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.wall_clock.zones import zone_of

SIDE_US = 2 * DAY_US
"""The natural day of an instant is within this distance of it, in any zone."""
_MICROSECOND = timedelta(microseconds=1)


class DagSide(msgspec.Struct, frozen=True, kw_only=True):
    """The timetable and dates of one of the two DAGs."""

    dag_id: str
    timetable: TimetableRef
    file: str | None = None
    """The DAG file, which may define an author's timetable class."""
    timezone: str = "UTC"
    start_at: Instant | None = None
    end_at: Instant | None = None


class RecordedSlots(msgspec.Struct, frozen=True):
    """The upstream's slots with runs in some range of time, ascending; and its cursor."""

    slots: tuple[Instant, ...]
    cursor: Instant | None
    changed: tuple[int, ...] | None = None
    """The days with runs that the timetable does not have. Only for ranges that are not whole days; else None."""


class ResolvedSlots(msgspec.Struct, frozen=True):
    """The slots that a run waits for: `dependencies.Resolution` as plain data."""

    slots: tuple[Instant, ...]
    rule: str
    absent: tuple[Instant, ...] = ()


class TimeRange(NamedTuple):
    """From `start` (inclusive) to `end` (exclusive)."""

    start: Instant
    end: Instant


class UpstreamAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of a timetable host: the slots of each run, or the range of the history that it needs first."""

    resolved: tuple[ResolvedSlots, ...] = ()
    wanted_range: TimeRange | None = None


class EdgeTimetables:
    """One edge of a DAG, with both timetables and a cache of their days."""

    def __init__(
        self, dependency: DependencySpec, down: DagSide, up: DagSide, downstream: Timetable, upstream: Timetable
    ) -> None:
        """Raises ValueError, AirflowTimetableInvalid or PlanningError for a dependency that cannot be resolved."""
        zone = zone_of(dependency.zone or _own_zone(down, downstream) or down.timezone)
        self._after = dependency
        self._zone = ZoneDays(zone)
        self._resolver = Resolver(
            replace(to_after(dependency), zone=zone),
            downstream,
            upstream,
            _bounds(down),
            _bounds(up),
            down.dag_id == up.dag_id,
        )
        self._compared = TimeRange(0, 0)
        """The range in which every recorded slot is one of the upstream's timetable; it starts with a day."""

    @property
    def cached_slot_count(self) -> int:
        """The number of cached slots of both timetables."""
        return self._resolver.cached_slot_count

    def window(self, at: Instant) -> TimeRange:
        """The range of the upstream's history that the run planned at `at` needs, in whole days of the dependency's zone.

        Not for a DAG that waits for itself: see `count_needed_slots`.
        """
        start, end = self._resolver.resolve(to_datetime(at)).window
        return self._whole_days(start, max(end - _MICROSECOND, start))

    def windows(self, ats: Iterable[Instant]) -> TimeRange:
        """The range that all these runs need together."""
        return _span_of(self.window(at) for at in ats)

    def partial_window(self, ats: Iterable[Instant]) -> TimeRange | None:
        """The part of days that all these runs need together; None if they need whole days.

        Not for a DAG that waits for itself: see `count_needed_slots`.
        """
        if not self.uses_partial_days:
            return None
        return self.widen(
            _span_of(TimeRange(*map(to_instant, self._resolver.resolve(to_datetime(at)).window)) for at in ats)
        )

    @property
    def uses_partial_days(self) -> bool:
        """True if a part of a day of the history is enough: the upstream has many slots per day, and the rule reads few."""
        return self._resolver.uses_partial_days

    def widen(self, time_range: TimeRange) -> TimeRange:
        """The range extended by all instants that have the same labels when a clock change is near."""
        first, last = (self._zone.label(to_datetime(at)) // DAY_US for at in time_range)
        reach = 2 * max(self._zone.reach(first), self._zone.reach(last))
        return TimeRange(time_range.start - reach, time_range.end + reach)

    def uncompared_range(self, time_range: TimeRange, cursor: Instant | None) -> TimeRange | None:
        """The part of the days of a range, up to the cursor, that was not yet compared with the timetable; None if all was."""
        if cursor is None or not self._resolver.may_have_changed:
            return None
        start, end = self._whole_days(
            to_datetime(time_range.start), to_datetime(max(time_range.end - 1, time_range.start))
        )
        if not self._compared.start <= start <= self._compared.end:
            self._compared = TimeRange(start, start)
        end = min(end, cursor + 1)
        return TimeRange(self._compared.end, end) if self._compared.end < end else None

    def compare(self, time_range: TimeRange, recorded: Iterable[Instant]) -> tuple[int, ...]:
        """The days of a range with recorded slots that the timetable does not have. If there are none, the range counts as compared."""
        changed = self._resolver.changed_days([to_datetime(slot) for slot in recorded])
        if not changed:
            self._compared = TimeRange(self._compared.start, time_range.end)
        return tuple(sorted(changed))

    def resolve_slots(self, at: Instant, history: History) -> ResolvedSlots:
        """The slots that the run planned at `at` waits for, with that part of the history."""
        resolution = self._resolver.resolve(to_datetime(at), history)
        absent = () if self._after.on_absent == "wait" else resolution.absent
        return ResolvedSlots(tuple(map(to_instant, resolution.slots)), resolution.rule, tuple(map(to_instant, absent)))

    def _whole_days(self, first: datetime, last: datetime) -> TimeRange:
        """The range from the day of one instant to the day of another."""
        start, end = self._zone.label(first) // DAY_US * DAY_US, (self._zone.label(last) // DAY_US + 1) * DAY_US
        return TimeRange(*map(to_instant, self._zone.around(start, end)))


def count_needed_slots(dependency: DependencySpec) -> int:
    """How many of the newest recorded slots before a run of a DAG that waits for itself contain the slot that it waits for.

    A label that the clock repeats has two slots, and one more label is read. The days of these slots (`SIDE_US` around
    them) must be read as a whole.
    """
    return 2 * (dependency.previous + 1)


def to_history(past: RecordedSlots) -> History:
    """The history for `EdgeTimetables.resolve_slots`. A slot after the cursor counts by the timetable, even if it has a run."""
    cursor = past.cursor
    recorded = () if cursor is None else tuple(to_datetime(slot) for slot in past.slots if slot <= cursor)
    return History(recorded, None if cursor is None else to_datetime(cursor), past.changed)


def _span_of(ranges: Iterable[TimeRange]) -> TimeRange:
    starts, ends = zip(*ranges, strict=True)
    return TimeRange(min(starts), max(ends))


def _own_zone(side: DagSide, timetable: Timetable) -> object:
    """The zone of the timetable, if any. An attribute `timezone` of an author's class may be something else."""
    return getattr(timetable, "timezone", None) if side.timetable.builtin else side.timetable.timezone


def _bounds(side: DagSide) -> tuple[datetime | None, datetime | None]:
    return (
        None if side.start_at is None else to_datetime(side.start_at),
        None if side.end_at is None else to_datetime(side.end_at),
    )
