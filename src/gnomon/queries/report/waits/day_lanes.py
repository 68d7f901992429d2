"""The layout of the picture of a day's waits: two lanes of runs beside one time axis, and the lines between them.

Time increases downwards. The axis is to scale, except where it is stretched so that the marks of a lane do not overlap; days
without marks are left out. A lane with more than MAX_LANE runs has one mark for the runs of an hour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from gnomon.model.instants import SECOND, Instant
from gnomon.model.upstream_edges import Edge
from gnomon.queries.report.local_time import DayClock, format_clock_time, to_local
from gnomon.queries.report.waits.day_preview import MAX_ROWS, DayPreview, RunUpstreamSlots, build_rows

MAX_LANE = 72
"""Maximum number of runs in a lane with a mark for each; with more, there is one mark an hour."""
HOUR_PX, GAP_PX, BAND_PX = 20, 15, 26
"""Heights in px: an hour of the axis; the least distance between two marks of a lane; the heading of a day."""
_TICK_HOURS = 3
_HOUR = 3600 * SECOND
_LEFT, _RIGHT = 0, 1


@dataclass(frozen=True, slots=True)
class LaneMark:
    """A run, or the runs of an hour, in a lane."""

    y: float
    label: str
    count: int
    words: str
    waits: bool
    """Downstream lane: whether a run waits for a slot. Upstream lane: whether a run waits for this slot."""


@dataclass(frozen=True, slots=True)
class LaneLink:
    """A line from a mark of the left lane to one of the right lane, by their heights in px."""

    left_y: float
    right_y: float
    rule: str


@dataclass(frozen=True, slots=True)
class LanePanel:
    """The layout of one dependency on one day; heights are in px."""

    title: str
    left: str
    right: str
    days: tuple[tuple[float, str], ...]
    ticks: tuple[tuple[float, str], ...]
    runs: tuple[tuple[LaneMark, tuple[LaneLink, ...]], ...]
    """The marks of the left lane, each with its lines."""
    slots: tuple[LaneMark, ...]
    height: float
    rules: tuple[str, ...]
    words: str
    """The whole panel as text, for screen readers."""


def build_panel(title: str, dag_id: str, edge: Edge, preview: DayPreview, clock: DayClock) -> LanePanel:
    """The layout of the runs of the day, the slots that they wait for, and the other slots of the upstream DAG on that day."""
    waited = {slot for line in preview.lines for slot in line.slots}
    left_marks = _LaneMarks([line.run_after for line in preview.lines], clock)
    right = _LaneMarks({*preview.upstream, *waited}, clock)
    axis = _Axis((left_marks, right), clock)
    waits: defaultdict[Instant, int] = defaultdict(int)
    for line in preview.lines:
        for slot in {right.key(slot) for slot in line.slots}:
            waits[slot] += 1
    lines: defaultdict[Instant, list[RunUpstreamSlots]] = defaultdict(list)
    for line in preview.lines:
        lines[left_marks.key(line.run_after)].append(line)
    return LanePanel(
        title=title,
        left=dag_id if edge.task_id is None else f"{dag_id}.{edge.task_id}",
        right=edge.label,
        days=tuple(axis.days),
        ticks=tuple(axis.ticks),
        runs=tuple(
            (_build_mark(group, left_marks, at, axis, clock), _links(group, right, axis.y[at], axis))
            for at, group in lines.items()
        ),
        slots=tuple(
            LaneMark(
                axis.y[at],
                right.label(at),
                right.count(at),
                _describe_waiters(right.label(at), waits[at]),
                bool(waits[at]),
            )
            for at in sorted(right.keys)
        ),
        height=axis.height,
        rules=_list_rules(preview.lines),
        words=_describe_panel(preview.lines, clock),
    )


class _LaneMarks:
    """The marks of one lane by their first instants: one a slot, or one an hour."""

    def __init__(self, slots: Iterable[Instant], clock: DayClock) -> None:
        slots = list(slots)
        self._clock = clock
        self.by_hour = len(slots) > MAX_LANE
        self._counts: defaultdict[Instant, int] = defaultdict(int)
        for slot in slots:
            self._counts[self.key(slot)] += 1

    @property
    def keys(self) -> Iterable[Instant]:
        return self._counts.keys()

    def key(self, slot: Instant) -> Instant:
        """The first instant of the mark that contains the slot."""
        if not self.by_hour:
            return slot
        moment = to_local(slot, self._clock.zone)
        return slot - (moment.minute * 60 + moment.second) * SECOND - moment.microsecond

    def count(self, key: Instant) -> int:
        return self._counts[key]

    def label(self, key: Instant) -> str:
        shown = format_clock_time(to_local(key, self._clock.zone))
        return f"{shown} ×{self._counts[key]}" if self.by_hour else shown


class _Axis:
    """The heights in px of all marks, days and ticks."""

    def __init__(self, lanes: tuple[_LaneMarks, _LaneMarks], clock: DayClock) -> None:
        self._clock = clock
        self._lanes = lanes
        self.y: dict[Instant, float] = {}
        self.days: list[tuple[float, str]] = []
        self.ticks: list[tuple[float, str]] = []
        self.height = 0.0
        marks = sorted({key for lane in lanes for key in lane.keys})
        days: defaultdict[date, list[Instant]] = defaultdict(list, {clock.day: []})
        for at in marks:
            days[to_local(at, clock.zone).date()].append(at)
        for day in sorted(days):
            self._add(day, days[day])

    def _add(self, day: date, marks: list[Instant]) -> None:
        self.days.append((self.height, f"{day:%a %Y-%m-%d}"))
        self.height += BAND_PX
        clock = DayClock(self._clock.zone, day)
        ticks = _ticks(clock)
        if day != self._clock.day:  # of another day, only the part with marks is drawn
            ticks = [tick for tick in ticks if marks[0] - _TICK_HOURS * _HOUR < tick <= marks[-1]]
        last_y = [float("-inf")] * len(self._lanes)
        before = min([*ticks, *marks])
        for at in sorted({*ticks, *marks}):
            lanes = [number for number, lane in enumerate(self._lanes) if at in lane.keys]
            y = max([self.height + (at - before) / _HOUR * HOUR_PX, *(last_y[number] + GAP_PX for number in lanes)])
            for number in lanes:
                last_y[number] = y
            if lanes:
                self.y[at] = y
            if at in ticks:
                self.ticks.append((y, "24:00" if at == clock.end else format_clock_time(to_local(at, clock.zone))))
            self.height, before = y, at
        self.height += GAP_PX


def _ticks(clock: DayClock) -> list[Instant]:
    """Every third hour of local time, and the end of the day."""
    hours = range(clock.start, clock.end, _HOUR)
    shown = [
        at
        for at in hours
        if (moment := to_local(at, clock.zone)).hour % _TICK_HOURS == 0 and moment.minute == 0 and not moment.fold
    ]
    return [*shown, clock.end]


def _build_mark(group: list[RunUpstreamSlots], lane: _LaneMarks, at: Instant, axis: _Axis, clock: DayClock) -> LaneMark:
    words = "; ".join(
        f"{row['run']} waits for {row['waits_for']}: {row['rule']}" for row in build_rows(group, clock)[:MAX_ROWS]
    )
    return LaneMark(axis.y[at], lane.label(at), lane.count(at), words, any(line.slots for line in group))


def _links(group: list[RunUpstreamSlots], right: _LaneMarks, y: float, axis: _Axis) -> tuple[LaneLink, ...]:
    marks = {(right.key(slot), line.rule) for line in group for slot in line.slots}
    return tuple(LaneLink(y, axis.y[at], rule) for at, rule in sorted(marks))


def _describe_waiters(label: str, waiting: int) -> str:
    return f"{label}: {waiting or 'no'} run{'' if waiting == 1 else 's'} of the day wait{'s' if waiting == 1 else ''} for it"


def _list_rules(lines: Iterable[RunUpstreamSlots]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.rule for line in lines))


def _describe_panel(lines: tuple[RunUpstreamSlots, ...], clock: DayClock) -> str:
    rows = build_rows(lines, clock)
    phrases = [f"{row['run']}: {row['waits_for']} ({row['rule']})" for row in rows[:MAX_ROWS]]
    return "; ".join(phrases) + (f"; and {len(rows) - MAX_ROWS} more" if len(rows) > MAX_ROWS else "")
