"""The content of a calendar picture: for each local day a mark with a colour, a short text and a tooltip."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say
from gnomon.model.slots import PlannedRun
from gnomon.queries.report.local_time import format_local, to_local
from gnomon.queries.report.schedule_difference import RunPair, ScheduleDifference

MAX_MONTHS = 120
"""Maximum number of months in a picture."""
_MAX_LISTED = 6
"""Maximum number of runs of a day that its tooltip lists."""
_LEVELS = ((1, "one"), (4, "few"), (24, "some"))
_MANY = "many"


@dataclass(frozen=True, slots=True)
class DayMark:
    """The mark of a day: `kind` is its CSS class, `text` the text in the cell, `words` the tooltip."""

    kind: str
    text: str
    words: str


@dataclass(frozen=True, slots=True)
class CalendarSheet:
    """A calendar picture before it is rendered."""

    title: str
    words: str
    """The description of the schedule, or a summary of the changes."""
    zone_name: str
    first: date
    last: date
    """First and last day of the window; days outside are drawn faintly."""
    marks: dict[date, DayMark]
    changes: dict[date, str]
    """A sentence for each day on which the clock changes."""
    legend: tuple[DayMark, ...]

    def months(self) -> list[tuple[int, int]]:
        """Year and month of all months, from that of the first day to that of the last."""
        count = (self.last.year - self.first.year) * 12 + self.last.month - self.first.month + 1
        return [
            (self.first.year + (self.first.month - 1 + n) // 12, (self.first.month - 1 + n) % 12 + 1)
            for n in range(count)
        ]


def build_runs_sheet(
    title: str, words: str, runs: Sequence[PlannedRun], zone: tzinfo, zone_name: str, start: Instant, end: Instant
) -> CalendarSheet:
    """A sheet with the number of runs that are due on each day."""
    days = _group_by_day([run.run_after for run in runs], zone)
    marks = {
        day: DayMark(
            _level(len(instants)),
            "" if len(instants) == 1 else _format_count(len(instants)),
            _describe_instants(instants, zone),
        )
        for day, instants in days.items()
    }
    legend = [
        DayMark("one", "", "one run"),
        DayMark("few", "2", "2 to 4"),
        DayMark("some", "5", "5 to 24"),
        DayMark(_MANY, "25", "more than 24"),
    ]
    used = {mark.kind for mark in marks.values()}
    return _build_sheet(
        title, words, zone, zone_name, start, end, marks, [mark for mark in legend if mark.kind in used]
    )


def build_difference_sheet(
    title: str, difference: ScheduleDifference, zone: tzinfo, zone_name: str, start: Instant, end: Instant
) -> CalendarSheet:
    """A sheet with the changes of each day; a day with unchanged runs only has a dot."""
    parts: dict[date, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for sign, runs in (("+", difference.gained), ("−", difference.lost), ("", difference.same)):
        for run in runs:
            parts[to_local(run.run_after, zone).date()][sign].append(format_local(run.run_after, zone))
    for sign, pairs in (("~", difference.moved), ("=", difference.redefined)):
        for pair in pairs:
            parts[to_local(pair.before.run_after, zone).date()][sign].append(_describe_pair(pair, zone))
    marks = {day: _build_changed_mark(signs) for day, signs in parts.items()}
    legend = [
        DayMark("gained", "+1", "gained"),
        DayMark("lost", "−1", "lost"),
        DayMark("moved", "~1", "moved"),
        DayMark("moved", "=1", "other data"),
        DayMark("mixed", "±", "several of these"),
        DayMark("same", "", "unchanged"),
    ]
    used = {(mark.kind, mark.text[:1]) for mark in marks.values()}
    words = re.sub(r"(?<=\d) ", "\N{NO-BREAK SPACE}", render(difference.describe()))
    return _build_sheet(
        title,
        words,
        zone,
        zone_name,
        start,
        end,
        marks,
        [mark for mark in legend if (mark.kind, mark.text[:1]) in used],
    )


_KINDS = {
    "+": ("gained", "gained"),
    "−": ("lost", "lost"),
    "~": ("moved", "moved"),
    "=": ("moved", "with another data interval"),
    "": ("same", "unchanged"),
}


def _build_changed_mark(signs: dict[str, list[str]]) -> DayMark:
    words = "; ".join(f"{_KINDS[sign][1]}: {_shorten_list(runs)}" for sign, runs in signs.items())
    changes = [sign for sign in signs if sign]
    if len(changes) > 1:
        return DayMark("mixed", "±", words)
    sign = changes[0] if changes else ""
    return DayMark(_KINDS[sign][0], f"{sign}{_format_count(len(signs[sign]))}" if sign else "", words)


def _describe_pair(pair: RunPair, zone: tzinfo) -> str:
    if pair.delay_s == 0:
        return format_local(pair.after.run_after, zone)
    return f"{format_local(pair.before.run_after, zone)} becomes {to_local(pair.after.run_after, zone):%H:%M}"


def _build_sheet(
    title: str,
    words: str,
    zone: tzinfo,
    zone_name: str,
    start: Instant,
    end: Instant,
    marks: dict[date, DayMark],
    legend: list[DayMark],
) -> CalendarSheet:
    first, last = to_local(start, zone).date(), to_local(end - 1, zone).date()
    sheet = CalendarSheet(title, words, zone_name, first, last, marks, _clock_changes(first, last, zone), tuple(legend))
    months = len(sheet.months())
    if months > MAX_MONTHS:
        raise UserError(say("window_has_many_months", number=months, most=MAX_MONTHS))
    return sheet


def _clock_changes(first: date, last: date, zone: tzinfo) -> dict[date, str]:
    changes: dict[date, str] = {}
    day = first.replace(day=1)
    until = (last.replace(day=28) + timedelta(days=4)).replace(day=1)
    while day < until:
        offset, next_offset = (
            datetime(each.year, each.month, each.day, tzinfo=zone).utcoffset()
            for each in (day, day + timedelta(days=1))
        )
        if offset is not None and next_offset is not None and offset != next_offset:
            minutes = int((next_offset - offset).total_seconds()) // 60
            changes[day] = f"the clock goes {'forward' if minutes > 0 else 'back'} by {abs(minutes)} min"
        day += timedelta(days=1)
    return changes


def _group_by_day(instants: Sequence[Instant], zone: tzinfo) -> dict[date, list[Instant]]:
    days: defaultdict[date, list[Instant]] = defaultdict(list)
    for at in instants:
        days[to_local(at, zone).date()].append(at)
    return days


def _level(count: int) -> str:
    return next((name for most, name in _LEVELS if count <= most), _MANY)


def _describe_instants(instants: Sequence[Instant], zone: tzinfo) -> str:
    count = "1 run" if len(instants) == 1 else f"{len(instants)} runs"
    return f"{count}: {_shorten_list([f'{to_local(at, zone):%H:%M}' for at in instants])}"


def _shorten_list(texts: Sequence[str]) -> str:
    more = len(texts) - _MAX_LISTED
    return ", ".join(texts[:_MAX_LISTED]) + (f" and {more} more" if more > 0 else "")


def _format_count(count: int) -> str:
    return str(count) if count < 10_000 else f"{count // 1000}k"
