"""What a calendar picture shows: for each day of a zone what happens on it, in a mark, a short text and a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from gnomon.errors.product import UserMistake
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun
from gnomon.report.difference import Difference, Pair
from gnomon.report.slots import local, wall

MONTHS_MOST = 120
"""A picture has room for so many months."""
_TOLD_MOST = 6
"""Runs of a day that its sentence names."""
_LEVELS = ((1, "one"), (4, "few"), (24, "some"))
_MANY = "many"


@dataclass(frozen=True, slots=True)
class Mark:
    """One day: the class that colours it, what stands in it, and what pointing at it says."""

    kind: str
    text: str
    words: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A picture before it is drawn."""

    title: str
    words: str
    """What the schedule says of itself, or what changes."""
    zone_name: str
    first: date
    last: date
    """Days outside are drawn faintly."""
    marks: dict[date, Mark]
    changes: dict[date, str]
    """Days on which the clock changes, and how."""
    legend: tuple[Mark, ...]

    def months(self) -> list[tuple[int, int]]:
        """Year and month, from the first day's to the last's."""
        count = (self.last.year - self.first.year) * 12 + self.last.month - self.first.month + 1
        return [(self.first.year + (self.first.month - 1 + n) // 12, (self.first.month - 1 + n) % 12 + 1) for n in range(count)]


def sheet_of_runs(
    title: str, words: str, runs: Sequence[PlannedRun], zone: tzinfo, zone_name: str, start: Instant, end: Instant
) -> Sheet:
    """How many runs are due on each day."""
    days = _by_day([run.run_after for run in runs], zone)
    marks = {
        day: Mark(_level(len(found)), "" if len(found) == 1 else _short(len(found)), _told(found, zone)) for day, found in days.items()
    }
    legend = [Mark("one", "", "one run"), Mark("few", "2", "2 to 4"), Mark("some", "5", "5 to 24"), Mark(_MANY, "25", "more than 24")]
    used = {mark.kind for mark in marks.values()}
    return _sheet(title, words, zone, zone_name, start, end, marks, [mark for mark in legend if mark.kind in used])


def sheet_of_difference(
    title: str, found: Difference, zone: tzinfo, zone_name: str, start: Instant, end: Instant
) -> Sheet:
    """What changes on each day. Unchanged runs are a dot."""
    parts: dict[date, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for sign, runs in (("+", found.gained), ("−", found.lost), ("", found.same)):
        for run in runs:
            parts[local(run.run_after, zone).date()][sign].append(wall(run.run_after, zone))
    for sign, pairs in (("~", found.moved), ("=", found.redefined)):
        for pair in pairs:
            parts[local(pair.before.run_after, zone).date()][sign].append(_pair(pair, zone))
    marks = {day: _changed(signs) for day, signs in parts.items()}
    legend = [Mark("gained", "+1", "gained"), Mark("lost", "−1", "lost"), Mark("moved", "~1", "moved"),
              Mark("moved", "=1", "other data"), Mark("mixed", "±", "several of these"), Mark("same", "", "unchanged")]  # fmt: skip
    used = {(mark.kind, mark.text[:1]) for mark in marks.values()}
    words = re.sub(r"(?<=\d) ", "\N{NO-BREAK SPACE}", found.in_words())
    return _sheet(title, words, zone, zone_name, start, end, marks,
                  [mark for mark in legend if (mark.kind, mark.text[:1]) in used])  # fmt: skip


_KINDS = {"+": ("gained", "gained"), "−": ("lost", "lost"), "~": ("moved", "moved"), "=": ("moved", "about other data"), "": ("same", "unchanged")}


def _changed(signs: dict[str, list[str]]) -> Mark:
    words = "; ".join(f"{_KINDS[sign][1]}: {_some(told)}" for sign, told in signs.items())
    real = [sign for sign in signs if sign]
    if len(real) > 1:
        return Mark("mixed", "±", words)
    sign = real[0] if real else ""
    return Mark(_KINDS[sign][0], f"{sign}{_short(len(signs[sign]))}" if sign else "", words)


def _pair(pair: Pair, zone: tzinfo) -> str:
    if pair.by_s == 0:
        return wall(pair.after.run_after, zone)
    return f"{wall(pair.before.run_after, zone)} becomes {local(pair.after.run_after, zone):%H:%M}"


def _sheet(
    title: str, words: str, zone: tzinfo, zone_name: str, start: Instant, end: Instant, marks: dict[date, Mark], legend: list[Mark]
) -> Sheet:
    first, last = local(start, zone).date(), local(end - 1, zone).date()
    made = Sheet(title, words, zone_name, first, last, marks, _clock_changes(first, last, zone), tuple(legend))
    months = len(made.months())
    if months > MONTHS_MOST:
        raise UserMistake(f"the window has {months} months, and a picture has room for {MONTHS_MOST}; give an earlier --until")
    return made


def _clock_changes(first: date, last: date, zone: tzinfo) -> dict[date, str]:
    found: dict[date, str] = {}
    day = first.replace(day=1)
    until = (last.replace(day=28) + timedelta(days=4)).replace(day=1)
    while day < until:
        here, following = (datetime(each.year, each.month, each.day, tzinfo=zone).utcoffset() for each in (day, day + timedelta(days=1)))
        if here is not None and following is not None and here != following:
            minutes = int((following - here).total_seconds()) // 60
            found[day] = f"the clock goes {'forward' if minutes > 0 else 'back'} by {abs(minutes)} min"
        day += timedelta(days=1)
    return found


def _by_day(instants: Sequence[Instant], zone: tzinfo) -> dict[date, list[Instant]]:
    days: defaultdict[date, list[Instant]] = defaultdict(list)
    for at in instants:
        days[local(at, zone).date()].append(at)
    return days


def _level(count: int) -> str:
    return next((name for most, name in _LEVELS if count <= most), _MANY)


def _told(found: Sequence[Instant], zone: tzinfo) -> str:
    count = "1 run" if len(found) == 1 else f"{len(found)} runs"
    return f"{count}: {_some([f'{local(at, zone):%H:%M}' for at in found])}"


def _some(told: Sequence[str]) -> str:
    left = len(told) - _TOLD_MOST
    return ", ".join(told[:_TOLD_MOST]) + (f" and {left} more" if left > 0 else "")


def _short(count: int) -> str:
    return str(count) if count < 10_000 else f"{count // 1000}k"
