"""Calendars made of others."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Self

from gnomon.calendars.calendar import Calendar
from gnomon.calendars.coverage import Coverage
from gnomon.calendars.weekdays import day_of


class Union(Calendar):
    """`a | b`: a day is off when it is off in any part. Covers what all parts cover."""

    def __init__(self, *parts: Calendar) -> None:
        self._parts: tuple[Calendar, ...] = tuple(
            inner for part in parts for inner in (part._parts if isinstance(part, Union) else (part,))
        )

    @property
    def label(self) -> str:
        return " | ".join(part.label for part in self._parts)

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        return tuple(coverage for part in self._parts for coverage in part.coverages)

    @property
    def weekly(self) -> frozenset[int]:
        return frozenset().union(*(part.weekly for part in self._parts))

    def is_off(self, day: date) -> bool:
        return any(part.is_off(day) for part in self._parts)

    def reason(self, day: date) -> str:
        found = dict.fromkeys(part.reason(day) for part in self._parts if part.is_off(day))
        return ", ".join(why for why in found if len(found) == 1 or why != "weekend")

    def encode(self) -> dict[str, Any]:
        return {"kind": "union", "of": [part.encode() for part in self._parts]}

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar that `encode` wrote."""
        return cls(*map(_decode, data["of"]))


class Difference(Calendar):
    """`a - b`: a day is off when it is off in `a` and not off in `b`. Covers what both cover."""

    def __init__(self, base: Calendar, less: Calendar) -> None:
        self._base, self._less = base, less

    @property
    def label(self) -> str:
        return f"{_in_brackets(self._base)} - {_in_brackets(self._less)}"

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        return (*self._base.coverages, *self._less.coverages)

    @property
    def weekly(self) -> frozenset[int]:
        return self._base.weekly - self._less.weekly

    def is_off(self, day: date) -> bool:
        return self._base.is_off(day) and not self._less.is_off(day)

    def reason(self, day: date) -> str:
        return self._base.reason(day)

    def encode(self) -> dict[str, Any]:
        return {"kind": "difference", "of": self._base.encode(), "less": self._less.encode()}

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar that `encode` wrote."""
        return cls(_decode(data["of"]), _decode(data["less"]))


class Working(Calendar):
    """Another calendar in which some more days are worked, whatever it says of them. Covers what that one covers."""

    def __init__(self, base: Calendar, days: Iterable[date | str]) -> None:
        self._base = base
        self._days = frozenset(map(day_of, days))

    @property
    def label(self) -> str:
        return f"{_in_brackets(self._base)} with {len(self._days)} extra working day{'s' if len(self._days) != 1 else ''}"

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        return self._base.coverages

    @property
    def weekly(self) -> frozenset[int]:
        return self._base.weekly

    def is_off(self, day: date) -> bool:
        return day not in self._days and self._base.is_off(day)

    def reason(self, day: date) -> str:
        return self._base.reason(day)

    def encode(self) -> dict[str, Any]:
        return {"kind": "working", "of": self._base.encode(), "days": [day.isoformat() for day in sorted(self._days)]}

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar that `encode` wrote."""
        return cls(_decode(data["of"]), data["days"])


def _in_brackets(part: Calendar) -> str:
    return f"({part.label})" if isinstance(part, (Union, Difference, Working)) else part.label


def _decode(data: dict[str, Any]) -> Calendar:
    from gnomon.calendars.stored import decode  # the table of kinds has these classes in it

    return decode(data)
