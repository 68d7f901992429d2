"""What a calendar picture shows: for each day of a zone what happens on it, in a mark, a short text and a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from gnomon.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun
from gnomon.report.listings.local_time import format_local, to_local
from gnomon.report.schedule_difference import RunPair, ScheduleDifference

MAX_MONTHS = 120
"""A picture has room for so many months."""
_MAX_TOLD = 6
"""Runs of a day that its sentence names."""
_LEVELS = ((1, "one"), (4, "few"), (24, "some"))
_MANY = "many"


@dataclass(frozen=True, slots=True)
class DayMark:
    """One day: the class that colours it, what stands in it, and what pointing at it says."""

    kind: str
    text: str
    words: str


@dataclass(frozen=True, slots=True)
class CalendarSheet:
    """A picture before it is drawn."""

    title: str
    words: str
    """What the schedule says of itself, or what changes."""
    zone_name: str
    first: date
    last: date
    """Days outside are drawn faintly."""
    marks: dict[date, DayMark]
    changes: dict[date, str]
    """Days on which the clock changes, and how."""
    legend: tuple[DayMark, ...]

    def months(self) -> list[tuple[int, int]]:
        """Year and month, from the first day's to the last's."""
        count = (self.last.year - self.first.year) * 12 + self.last.month - self.first.month + 1
        return [(self.first.year + (self.first.month - 1 + n) // 12, (self.first.month - 1 + n) % 12 + 1) for n in range(count)]


def build_runs_sheet(
    title: str, words: str, runs: Sequence[PlannedRun], zone: tzinfo, zone_name: str, start: Instant, end: Instant
) -> CalendarSheet:
    """How many runs are due on each day."""
    days = _group_by_day([run.run_after for run in runs], zone)
    marks = {
        day: DayMark(_level(len(found)), "" if len(found) == 1 else _format_count(len(found)), _describe_instants(found, zone)) for day, found in days.items()
    }
    legend = [DayMark("one", "", "one run"), DayMark("few", "2", "2 to 4"), DayMark("some", "5", "5 to 24"), DayMark(_MANY, "25", "more than 24")]
    used = {mark.kind for mark in marks.values()}
    return _build_sheet(title, words, zone, zone_name, start, end, marks, [mark for mark in legend if mark.kind in used])


def build_difference_sheet(
    title: str, found: ScheduleDifference, zone: tzinfo, zone_name: str, start: Instant, end: Instant
) -> CalendarSheet:
    """What changes on each day. Unchanged runs are a dot."""
    parts: dict[date, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for sign, runs in (("+", found.gained), ("−", found.lost), ("", found.same)):
        for run in runs:
            parts[to_local(run.run_after, zone).date()][sign].append(format_local(run.run_after, zone))
    for sign, pairs in (("~", found.moved), ("=", found.redefined)):
        for pair in pairs:
            parts[to_local(pair.before.run_after, zone).date()][sign].append(_describe_pair(pair, zone))
    marks = {day: _build_changed_mark(signs) for day, signs in parts.items()}
    legend = [DayMark("gained", "+1", "gained"), DayMark("lost", "−1", "lost"), DayMark("moved", "~1", "moved"),
              DayMark("moved", "=1", "other data"), DayMark("mixed", "±", "several of these"), DayMark("same", "", "unchanged")]  # fmt: skip
    used = {(mark.kind, mark.text[:1]) for mark in marks.values()}
    words = re.sub(r"(?<=\d) ", "\N{NO-BREAK SPACE}", found.describe())
    return _build_sheet(title, words, zone, zone_name, start, end, marks,
                  [mark for mark in legend if (mark.kind, mark.text[:1]) in used])  # fmt: skip


_KINDS = {"+": ("gained", "gained"), "−": ("lost", "lost"), "~": ("moved", "moved"), "=": ("moved", "about other data"), "": ("same", "unchanged")}


def _build_changed_mark(signs: dict[str, list[str]]) -> DayMark:
    words = "; ".join(f"{_KINDS[sign][1]}: {_shorten_list(told)}" for sign, told in signs.items())
    real = [sign for sign in signs if sign]
    if len(real) > 1:
        return DayMark("mixed", "±", words)
    sign = real[0] if real else ""
    return DayMark(_KINDS[sign][0], f"{sign}{_format_count(len(signs[sign]))}" if sign else "", words)


def _describe_pair(pair: RunPair, zone: tzinfo) -> str:
    if pair.delay_s == 0:
        return format_local(pair.after.run_after, zone)
    return f"{format_local(pair.before.run_after, zone)} becomes {to_local(pair.after.run_after, zone):%H:%M}"


def _build_sheet(
    title: str, words: str, zone: tzinfo, zone_name: str, start: Instant, end: Instant, marks: dict[date, DayMark], legend: list[DayMark]
) -> CalendarSheet:
    first, last = to_local(start, zone).date(), to_local(end - 1, zone).date()
    made = CalendarSheet(title, words, zone_name, first, last, marks, _clock_changes(first, last, zone), tuple(legend))
    months = len(made.months())
    if months > MAX_MONTHS:
        raise UserError(f"the window has {months} months, and a picture has room for {MAX_MONTHS}; give an earlier --until")
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


def _group_by_day(instants: Sequence[Instant], zone: tzinfo) -> dict[date, list[Instant]]:
    days: defaultdict[date, list[Instant]] = defaultdict(list)
    for at in instants:
        days[to_local(at, zone).date()].append(at)
    return days


def _level(count: int) -> str:
    return next((name for most, name in _LEVELS if count <= most), _MANY)


def _describe_instants(found: Sequence[Instant], zone: tzinfo) -> str:
    count = "1 run" if len(found) == 1 else f"{len(found)} runs"
    return f"{count}: {_shorten_list([f'{to_local(at, zone):%H:%M}' for at in found])}"


def _shorten_list(told: Sequence[str]) -> str:
    left = len(told) - _MAX_TOLD
    return ", ".join(told[:_MAX_TOLD]) + (f" and {left} more" if left > 0 else "")


def _format_count(count: int) -> str:
    return str(count) if count < 10_000 else f"{count // 1000}k"
