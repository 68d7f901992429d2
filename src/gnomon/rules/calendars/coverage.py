"""The range of days that a calendar covers: for days outside it raises CalendarEnded instead of a guess."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from gnomon.model.sentences import render, say


class Coverage(NamedTuple):
    """The days that one source covers: from `first` to `last`, both inclusive; None: unbounded."""

    source: str
    """The name of the source in messages."""
    first: date | None
    last: date | None
    remedy: str
    """What a user has to do when a day outside is needed."""


def find_first_known(coverages: tuple[Coverage, ...]) -> date | None:
    """The first day that every source covers; None if no source has a first day."""
    return max((coverage.first for coverage in coverages if coverage.first is not None), default=None)


def find_last_known(coverages: tuple[Coverage, ...]) -> date | None:
    """The last day that every source covers; None if no source has a last day."""
    return min((coverage.last for coverage in coverages if coverage.last is not None), default=None)


def describe_gap(coverages: tuple[Coverage, ...], day: date) -> str:
    """The source that does not cover `day`, and the remedy. Raises ValueError if all sources cover it."""
    for coverage in coverages:
        if coverage.first is not None and day < coverage.first:
            return _describe_end("calendar_begins_on", coverage, coverage.first)
        if coverage.last is not None and day > coverage.last:
            return _describe_end("calendar_ends_on", coverage, coverage.last)
    raise ValueError(f"every source covers {day}")


def _describe_end(code: str, coverage: Coverage, day: date) -> str:
    return render(say(code, source=coverage.source, last_day=day.isoformat(), remedy=coverage.remedy))
