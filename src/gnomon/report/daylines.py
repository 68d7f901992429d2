"""Which upstream slots each run of a day waits for, from the timetables alone: before anything of it is deployed or has run.

`lines_of_day` is asked here about built-in timetables, and beside their code about those of authors.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, tzinfo

import msgspec

from gnomon.dependencies import Resolver
from gnomon.dependencies.asked import Side
from gnomon.dependencies.planned import Bounds, Planned
from gnomon.errors.timetable import PlanningError
from gnomon.loading.timetables import made_again
from gnomon.model.edges import AfterSpec, after_of
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.spec import DagSpec
from gnomon.timetables.base import Timetable
from gnomon.timetables.zones import zone_of


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the day, and what it waits for."""

    run_after: Instant
    slots: tuple[Instant, ...]
    rule: str
    start: Instant
    """The stretch that the rule looked at, to before `end`."""
    end: Instant


class DayLines(msgspec.Struct, frozen=True, kw_only=True):
    """One dependency on one day."""

    lines: tuple[Line, ...] = ()
    upstream: tuple[Instant, ...] = ()
    """The upstream's slots of that day, waited for or not."""


def side_of(spec: DagSpec, file: str | None) -> Side:
    """A DAG as the rules see it."""
    return Side(
        dag_id=spec.dag_id, timetable=spec.timetable, file=file, timezone=spec.timezone, start_at=spec.start_at, end_at=spec.end_at,
    )  # fmt: skip


def lines_of_day(*, after: AfterSpec, downstream: Side, upstream: Side, start: Instant, end: Instant) -> DayLines:
    """What each run planned from `start` to before `end` waits for, as if every slot were made.

    Raises PlanningError for timetables that fail, and for a dependency that can never be met.
    """
    mine, theirs = made_again(downstream.timetable, downstream.file), made_again(upstream.timetable, upstream.file)
    first, last = to_datetime(start), to_datetime(end)
    zoned = replace(after_of(after), zone=_zone(after, downstream, mine))
    try:
        resolver = Resolver(zoned, mine, theirs, _bounds(downstream), _bounds(upstream), downstream.dag_id == upstream.dag_id)
    except ValueError as error:
        raise PlanningError(str(error)) from None
    lines = [_line(resolver, slot) for slot in Planned(mine, _bounds(downstream)).between(first, last)]
    others = map(to_instant, Planned(theirs, _bounds(upstream)).between(first, last))
    return DayLines(lines=tuple(lines), upstream=tuple(others))


def _line(resolver: Resolver, slot: datetime) -> Line:
    found = resolver.resolve(slot)
    start, end = map(to_instant, found.window)
    return Line(run_after=to_instant(slot), slots=tuple(map(to_instant, found.slots)), rule=found.rule, start=start, end=end)


def _zone(after: AfterSpec, downstream: Side, mine: Timetable) -> tzinfo:
    """Whose days count: the zone that the dependency names, else that of the timetable, else that of the DAG."""
    own = getattr(mine, "timezone", None) if downstream.timetable.builtin else downstream.timetable.timezone
    return zone_of(after.zone or own or downstream.timezone)


def _bounds(side: Side) -> Bounds:
    first, last = (None if at is None else to_datetime(at) for at in (side.start_at, side.end_at))
    return first, last
