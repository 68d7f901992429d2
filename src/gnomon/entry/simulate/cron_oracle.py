"""The instants of a cron expression in a zone, by brute force: every label of every day is looked up on the wall clock.

The auditor checks `gnomon.timetables`, so this module uses nothing of it. The rule: a label that the clock skips runs later by
the gap; a label that the clock shows twice runs once, at its second occurrence, or both times if every hour is chosen;
labels of the same instant make one run.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from importlib import resources
from zoneinfo import ZoneInfo

from gnomon.model.instants import SECOND, Instant

DAY_S = 86400
_SPANS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7), (0, 59))
"""Minute, hour, day of month, month, day of week (0 and 7 are Sunday), second."""
_EVERY_DAY_MARGIN = timedelta(days=140)
_SOME_DAY_MARGIN = timedelta(days=9 * 366)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_CLOCK_CHANGE_MARGIN = timedelta(days=2)


@lru_cache(maxsize=64)
def zone_named(name: str) -> ZoneInfo:
    """The zone of the tzdata package."""
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as source:
        return ZoneInfo.from_file(source, key=name)


def cron_instants(expression: str, zone_name: str, first: date, last: date) -> list[Instant]:
    """Every instant whose label lies on a day from `first` to `last`, in order; and enough before and after them.

    Enough is a margin that holds the next instant, a 29th of February or a schedule that begins in some months.
    """
    fields = [*expression.split(), "0"][:6]
    minutes, hours, months, seconds = (_numbers(fields[at], *_SPANS[at]) for at in (0, 1, 3, 5))
    zone = zone_named(zone_name)
    times = [hour * 3600 + minute * 60 + second for hour in hours for minute in minutes for second in seconds]
    second_numbers: set[int] = set()
    margin = _EVERY_DAY_MARGIN if fields[2] == fields[3] == "*" else _SOME_DAY_MARGIN
    for ordinal in range((first - margin).toordinal(), (last + margin).toordinal() + 1):
        day = date.fromordinal(ordinal)
        if day.month in months and _is_day(day, fields[2], fields[4]):
            second_numbers.update(_instants_of_day(day, times, zone, len(hours) == 24))
    return [second * SECOND for second in sorted(second_numbers)]


def _instants_of_day(day: date, times: list[int], zone: ZoneInfo, both: bool) -> list[int]:
    """The instants, in seconds, of the labels of one day."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    before, after = (midnight + shift for shift in (-_CLOCK_CHANGE_MARGIN, _CLOCK_CHANGE_MARGIN))
    offset = before.astimezone(zone).utcoffset()
    assert offset is not None
    if offset == after.astimezone(zone).utcoffset():
        start = (day.toordinal() - _EPOCH_DAY) * DAY_S - int(offset.total_seconds())
        return [start + time for time in times]
    return [
        instant
        for time in times
        for instant in _instants_of_label(midnight.replace(tzinfo=None) + timedelta(0, time), zone, both)
    ]


def _instants_of_label(label: datetime, zone: ZoneInfo, both: bool) -> list[int]:
    """The instants at which the wall clock shows the label; moved forward by the gap if it never does."""
    readings = [label.replace(tzinfo=zone, fold=fold) for fold in (0, 1)]
    shown = [at for at in readings if at.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == label]
    if not shown:
        shown = readings[:1]  # read with the offset from before the gap
    elif not both:
        shown = shown[-1:]
    return [int(at.timestamp()) for at in shown]


def _is_day(day: date, days: str, weekdays: str) -> bool:
    """True when the expression chooses the day: by both fields, or by either if neither is a star."""
    weekday = day.isoweekday() % 7
    chosen = []
    if not days.startswith("*"):
        chosen.append(
            day.day == monthrange(day.year, day.month)[1] if days == "L" else day.day in _numbers(days, *_SPANS[2])
        )
    if not weekdays.startswith("*"):
        name, _, number = weekdays.partition("#")
        nth = not number or (day.day - 1) // 7 + 1 == int(number)
        chosen.append(nth and weekday in {at % 7 for at in _numbers(name, *_SPANS[4])})
    return any(chosen) or not chosen


@lru_cache(maxsize=4096)
def _numbers(text: str, low: int, high: int) -> tuple[int, ...]:
    """A field as numbers: stars, lists, ranges, steps."""
    numbers: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        if span in ("*", "L"):
            first, last = low, high
        else:
            first_text, _, last_text = span.partition("-")
            first, last = int(first_text), int(last_text or first_text)
        numbers.update(range(first, last + 1, int(step or 1)))
    return tuple(sorted(numbers))
