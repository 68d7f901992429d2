"""The rules between DAGs read once more, from their page alone and as slowly as they are written there.

Nothing of `gnomon` is used. Timetables are specifications (`tests/unit/rules/timetables/walked.py`); a place is a label and
the instants that run for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from tests.unit.rules.timetables.walked import Spec, every_hour, instants_of, labels_of

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
MOST_DAYS_BACK = 800
Place = tuple[datetime, tuple[datetime, ...]]
Bounds = tuple[datetime | None, datetime | None]
DISCRETE, WEEKLY = "discrete_hours", ("week", "month")


@dataclass
class Dag:
    """A timetable and its dates."""

    spec: Spec
    zone: tzinfo
    bounds: Bounds = (None, None)
    days: dict[date, list[Place]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return str(self.spec["kind"])

    def slots(self, day: date) -> list[Place]:
        """The places of a natural day."""
        if day not in self.days:
            self.days[day] = sorted(set(self._places(day)))
        return self.days[day]

    def around(self, start: datetime, end: datetime) -> Iterator[Place]:
        """The places of all days that two labels touch."""
        day = start.date()
        while day <= end.date():
            yield from self.slots(day)
            day += DAY

    def _places(self, day: date) -> Iterator[Place]:
        offset = _one_offset(self.zone, day)
        if offset is not None:
            for label in labels_of(self.spec, day):
                yield from self._within((label, ((label - offset).replace(tzinfo=UTC),)))
            return
        shown: dict[datetime, set[datetime]] = {}
        for label in (label for near in (-1, 0, 1) for label in labels_of(self.spec, day + near * DAY)):
            for instant in instants_of(self.spec, label, self.zone):
                wall = instant.astimezone(self.zone).replace(tzinfo=None)
                if wall.date() != day:
                    continue
                if every_hour(self.spec):
                    shown.setdefault(wall, set()).add(instant)
                else:
                    yield from self._within((label if label.date() == day else wall, (instant,)))
        for wall, instants in shown.items():
            yield from self._within((wall, tuple(sorted(instants))))

    def _within(self, place: Place) -> Iterator[Place]:
        earliest, latest = self.bounds
        kept = tuple(
            one for one in place[1] if (earliest is None or one >= earliest) and (latest is None or one <= latest)
        )
        if kept:
            yield place[0], kept


def waits_for(a: Dag, b: Dag, at: datetime, options: dict[str, Any]) -> tuple[list[datetime], str]:
    """The upstream slots that A's run planned at `at` waits for, and the rule's name."""
    back = options.get("previous") or (1 if options.get("period") == "previous" else 0)
    wall = at.astimezone(a.zone).replace(tzinfo=None)
    mine = [place for place in a.slots(wall.date()) if at in place[1]]
    chosen: list[Place] = []
    rule = "none"
    for place in mine:
        found, name = _chosen(a, b, place, back, options)
        rule = name if found and rule == "none" else rule
        chosen += [one for one in found if one not in chosen]
    if options.get("take") == "last":
        chosen = chosen[-1:]
    if options.get("take") == "first":
        chosen = chosen[:1]
    return sorted({slot for _, slots in chosen for slot in slots}), rule


def waits_for_itself(a: Dag, at: datetime, back: int) -> list[datetime]:
    """The `back`-th slot before `at`; places of one run count once."""
    day = at.astimezone(a.zone).date()
    runs: list[tuple[datetime, ...]] = []
    for _ in range(MOST_DAYS_BACK):
        runs = _runs(a.slots(day)) + runs
        if at in [slot for run in runs for slot in run]:
            runs = runs[: next(number for number, run in enumerate(runs) if at in run)]
        if len(runs) >= back:
            return list(runs[-back])
        if a.bounds[0] is not None and datetime(day.year, day.month, day.day, tzinfo=UTC) < a.bounds[0] - 2 * DAY:
            return []
        day -= DAY
    return []


def _runs(places: list[Place]) -> list[tuple[datetime, ...]]:
    found: list[tuple[datetime, ...]] = []
    for _, slots in places:
        if not found or found[-1] != slots:
            found.append(slots)
    return found


def _chosen(a: Dag, b: Dag, place: Place, back: int, options: dict[str, Any]) -> tuple[list[Place], str]:
    label, day = place[0], place[0].date()
    their_day = b.slots(day - back * DAY)
    kinds = (a.kind, b.kind)
    if DISCRETE in kinds:
        if any(kind in ("day", *WEEKLY) for kind in kinds):
            return their_day, "whole_day"
        return _discrete(a.slots(day), [(u[0] + back * DAY, u[1]) for u in their_day], place, options)
    if back:
        return _previous(a, b, label, back), "previous"
    hour = label.replace(minute=0)
    if kinds == ("minute", "minute"):
        start = label - a.spec["every"] * MINUTE
        return [u for u in b.around(start, label) if start < u[0] <= label], "span"
    if kinds == ("minute", "hour"):
        return [u for u in b.around(hour - HOUR, hour) if hour - HOUR <= u[0] < hour], "span"
    if kinds == ("hour", "minute"):
        return [u for u in b.around(label - HOUR, label) if label - HOUR < u[0] <= label], "span"
    if kinds == ("hour", "hour"):
        return [u for u in b.around(hour, hour) if hour <= u[0] < hour + HOUR], "same_hour"
    return their_day, "whole_day"


def _previous(a: Dag, b: Dag, label: datetime, back: int) -> list[Place]:
    kinds = (a.kind, b.kind)
    hour = label.replace(minute=0) - back * HOUR
    in_hour = [u for u in b.around(hour, hour) if hour <= u[0] < hour + HOUR]
    if kinds in (("minute", "hour"), ("hour", "hour")):
        return in_hour
    if kinds == ("hour", "minute"):
        return in_hour[-1:]
    if kinds == ("minute", "minute"):
        longer = max(a.spec["every"], b.spec["every"]) * MINUTE
        start, end = label - (back + 1) * longer, label - back * longer
        return [u for u in b.around(start, end) if start < u[0] <= end]
    their_day = b.slots(label.date() - back * DAY)
    return their_day[-1:] if kinds in (("day", "minute"), ("day", "hour")) else their_day


def _discrete(v: list[Place], u: list[Place], place: Place, options: dict[str, Any]) -> tuple[list[Place], str]:
    t, midnight = place[0], datetime.combine(place[0].date(), datetime.min.time())
    if len(u) == len(v):
        return [u[v.index(place)]], "one_to_one"
    ends = [label for label, _ in v if label <= t]
    intervals = [
        [one for one in u if (start is None or one[0] > start) and midnight <= one[0] <= end]
        for start, end in zip([None, *ends], ends, strict=False)
    ]
    if intervals[-1]:
        return intervals[-1], "backward"
    earlier, later = [one for one in u if one[0] <= t], [one for one in u if one[0] > t]
    how = options.get("empty_interval", "carry")
    if not earlier or how == "forward":
        return later[:1], "forward"
    if how == "nearest":
        return earlier[-1:], "nearest"
    return next(interval for interval in reversed(intervals) if interval), "carried"


def _one_offset(zone: tzinfo, day: date) -> timedelta | None:
    """What the clock is ahead of UTC on that day and around it; None when that changes."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    offsets = {(noon + hours * HOUR).astimezone(zone).utcoffset() for hours in range(-60, 61, 6)}
    return offsets.pop() if len(offsets) == 1 else None
