"""The instants at which the hours, days and months of a zone begin, also where its clock changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum


class PeriodUnit(Enum):
    """What the members of a window are."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    MONTH = "month"


def find_starts(label: datetime, unit: PeriodUnit, zone: tzinfo) -> list[datetime]:
    """The moments (aware, in `zone`) at which the unit begins that a wall clock labels so: one, or two, or none.

    `label`: without a zone, at the start of a unit. A label that comes twice begins two hours or minutes, but one day or month. A unit
    whose first label is skipped begins after the gap; a unit that is skipped as a whole has no start.
    """
    first, second = (label.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return [first]
    if _exists(first):
        return [first, second] if unit in (PeriodUnit.HOUR, PeriodUnit.MINUTE) else [first]
    after = find_end_of_gap(label, zone)
    return [after] if _truncate(after, unit) == label else []


def find_end_of_gap(label: datetime, zone: tzinfo) -> datetime:
    """The first moment after the gap that skips the label: the clock change, in the new offset."""
    low = label.replace(tzinfo=zone, fold=1).astimezone(UTC)  # with the new offset: before the change
    high = label.replace(tzinfo=zone, fold=0).astimezone(UTC)  # with the old offset: after it
    before = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=1) // 2)
        if middle.astimezone(zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high.astimezone(zone)


def localize(label: datetime, zone: tzinfo) -> datetime:
    """The moment of a wall-clock time: the second of two, and moved forward by a gap, as Airflow does."""
    moment = label.replace(tzinfo=zone, fold=1)
    if _exists(moment):
        return moment
    return label.replace(tzinfo=zone, fold=0).astimezone(UTC).astimezone(zone)


def _exists(moment: datetime) -> bool:
    return moment.astimezone(UTC).astimezone(moment.tzinfo).replace(tzinfo=None, fold=0) == moment.replace(
        tzinfo=None, fold=0
    )


def _truncate(moment: datetime, unit: PeriodUnit) -> datetime:
    naive = moment.replace(tzinfo=None, fold=0, second=0, microsecond=0)
    if unit is PeriodUnit.MINUTE:
        return naive
    if unit is PeriodUnit.HOUR:
        return naive.replace(minute=0)
    return naive.replace(minute=0, hour=0) if unit is PeriodUnit.DAY else naive.replace(minute=0, hour=0, day=1)
