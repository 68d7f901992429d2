"""Which upstream slots each run of a day waits for, from the timetables alone: the DAGs need not be deployed.

`build_day_preview` runs in this process for built-in timetables, and in a timetable host for those of authors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, tzinfo
from itertools import groupby

import msgspec

from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.spec import DagSpec
from gnomon.model.upstream_edges import DependencySpec, to_after
from gnomon.queries.report.local_time import DayClock
from gnomon.queries.report.waits.edge_wording import rule_words_of
from gnomon.rules.dependencies.planned_slots import Bounds, PlannedSlots
from gnomon.rules.dependencies.resolver import Resolver
from gnomon.rules.dependencies.upstream_query import DagSide
from gnomon.rules.planning import find_slot_by_logical_date
from gnomon.rules.planning.queries import ask_manual
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.wall_clock.zones import zone_of


class RunUpstreamSlots(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the day and the upstream slots that it waits for."""

    run_after: Instant
    slots: tuple[Instant, ...]
    rule: str
    start: Instant
    """The window that the rule searched: from `start` to before `end`."""
    end: Instant


class DayPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The waits of one dependency on one day."""

    lines: tuple[RunUpstreamSlots, ...] = ()
    upstream: tuple[Instant, ...] = ()
    """All slots of the upstream DAG on that day, whether a run waits for them or not."""


def build_side(spec: DagSpec, file: str | None) -> DagSide:
    """The facts of a DAG that the rules of dependencies need."""
    return DagSide(
        dag_id=spec.dag_id,
        timetable=spec.timetable,
        file=file,
        timezone=spec.timezone,
        start_at=spec.start_at,
        end_at=spec.end_at,
    )


def build_day_preview(
    *, after: DependencySpec, downstream: DagSide, upstream: DagSide, start: Instant, end: Instant
) -> DayPreview:
    """The slots that each run planned from `start` to before `end` waits for, as if every slot had a run.

    Raises PlanningError for timetables that fail, and for a dependency that can never be met.
    """
    down_timetable = rebuild_timetable(downstream.timetable, downstream.file)
    up_timetable = rebuild_timetable(upstream.timetable, upstream.file)
    first, last = to_datetime(start), to_datetime(end)
    zoned = replace(to_after(after), zone=_zone(after, downstream, down_timetable))
    try:
        resolver = Resolver(
            zoned,
            down_timetable,
            up_timetable,
            _bounds_of(downstream),
            _bounds_of(upstream),
            downstream.dag_id == upstream.dag_id,
        )
    except ValueError as error:
        raise PlanningError(str(error)) from None
    lines = [
        _build_line(resolver, slot)
        for slot in PlannedSlots(down_timetable, _bounds_of(downstream)).between(first, last)
    ]
    up_slots = map(to_instant, PlannedSlots(up_timetable, _bounds_of(upstream)).between(first, last))
    return DayPreview(lines=tuple(lines), upstream=tuple(up_slots))


def build_sensor_preview(
    *, delta_s: float, downstream: DagSide, upstream: DagSide, start: Instant, end: Instant
) -> DayPreview:
    """The slot with the logical date of each run planned from `start` to before `end`, minus `delta_s` seconds: what a sensor waits for.

    Raises PlanningError for timetables that fail.
    """
    down_timetable = rebuild_timetable(downstream.timetable, downstream.file)
    up_timetable = rebuild_timetable(upstream.timetable, upstream.file)
    first, last = to_datetime(start), to_datetime(end)
    delta = round(delta_s * SECOND)
    lines = []
    for slot in map(to_instant, PlannedSlots(down_timetable, _bounds_of(downstream)).between(first, last)):
        date = _find_logical_date(down_timetable, slot) - delta
        upstream_slot = find_slot_by_logical_date(
            timetable=up_timetable, logical_at=date, earliest=upstream.start_at, latest=upstream.end_at
        )
        slots = () if upstream_slot is None else (upstream_slot.run_after,)
        lines.append(
            RunUpstreamSlots(
                run_after=slot,
                slots=slots,
                rule="no_such_date" if upstream_slot is None else "logical_date",
                start=date,
                end=date,
            )
        )
    up_slots = map(to_instant, PlannedSlots(up_timetable, _bounds_of(upstream)).between(first, last))
    return DayPreview(lines=tuple(lines), upstream=tuple(up_slots))


def _find_logical_date(timetable: Timetable, slot: Instant) -> Instant:
    return to_instant(ask_manual(timetable, slot).start)


def _build_line(resolver: Resolver, slot: datetime) -> RunUpstreamSlots:
    resolution = resolver.resolve(slot)
    start, end = map(to_instant, resolution.window)
    slots = tuple(map(to_instant, resolution.slots))
    return RunUpstreamSlots(run_after=to_instant(slot), slots=slots, rule=resolution.rule, start=start, end=end)


def _zone(after: DependencySpec, downstream: DagSide, timetable: Timetable) -> tzinfo:
    """The zone whose days count: that of the dependency, else that of the downstream timetable, else that of the DAG."""
    own = getattr(timetable, "timezone", None) if downstream.timetable.builtin else downstream.timetable.timezone
    return zone_of(after.zone or own or downstream.timezone)


def _bounds_of(side: DagSide) -> Bounds:
    first, last = (None if at is None else to_datetime(at) for at in (side.start_at, side.end_at))
    return first, last


MAX_ROWS = 48
"""With more rows than this, neighbouring runs that wait for slots at the same distance share a row."""
COLUMNS = ("run", "waits_for", "rule", "looked_at")


def build_rows(lines: Iterable[RunUpstreamSlots], clock: DayClock) -> list[dict[str, object]]:
    """The rows of a table with COLUMNS: one row for each run, or for neighbouring runs that wait for the same slots."""
    groups = _group_neighbours(list(lines), lambda line: (line.slots, line.rule))
    if len(groups) > MAX_ROWS:
        groups = _group_neighbours([line for group in groups for line in group], _relative_slots)
    return [_build_preview_row(group, clock) for group in groups]


def _group_neighbours(
    lines: list[RunUpstreamSlots], key: Callable[[RunUpstreamSlots], object]
) -> list[list[RunUpstreamSlots]]:
    return [list(group) for _, group in groupby(lines, key)]


def _relative_slots(line: RunUpstreamSlots) -> object:
    return line.rule, tuple(slot - line.run_after for slot in line.slots)


def _build_preview_row(group: list[RunUpstreamSlots], clock: DayClock) -> dict[str, object]:
    first, last = group[0], group[-1]
    is_same = first.slots == last.slots
    is_one_window = (first.start, first.end) == (last.start, last.end)
    return {
        "run": _format_runs([line.run_after for line in group], clock),
        "waits_for": clock.format_slots(first.slots)
        if is_same
        else f"{clock.format_slots(first.slots)} ... {clock.format_slots(last.slots)}",
        "rule": rule_words_of(first.rule).name,
        "looked_at": clock.window(first.start, first.end) + ("" if is_one_window else " ..."),
    }


def _format_runs(slots: list[Instant], clock: DayClock) -> str:
    if len(slots) == 1:
        return clock.at(slots[0])
    return f"{clock.at(slots[0])} to {clock.at(slots[-1])} ({len(slots)})"
