"""From when until when a calendar knows its days. Outside it refuses to guess."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple


class Coverage(NamedTuple):
    """What one source of days knows: `first` and `last` are included; None is no bound."""

    source: str
    """In words, for messages."""
    first: date | None
    last: date | None
    remedy: str
    """What to do when a day outside is needed."""


def find_first_known(coverages: tuple[Coverage, ...]) -> date | None:
    """The first day that every source knows."""
    return max((one.first for one in coverages if one.first is not None), default=None)


def find_last_known(coverages: tuple[Coverage, ...]) -> date | None:
    """The last day that every source knows."""
    return min((one.last for one in coverages if one.last is not None), default=None)


def describe_gap(coverages: tuple[Coverage, ...], day: date) -> str:
    """Which source does not know `day`, and the remedy."""
    for one in coverages:
        if one.first is not None and day < one.first:
            return f"{one.source} begins on {one.first.isoformat()}; {one.remedy}"
        if one.last is not None and day > one.last:
            return f"{one.source} ends on {one.last.isoformat()}; {one.remedy}"
    raise ValueError(f"every source knows {day}")
