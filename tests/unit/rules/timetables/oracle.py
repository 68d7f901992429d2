"""A cron oracle that shares nothing with the evaluator: it tries every minute of the wall clock, all at once in arrays.

What a zone's clock shows is found by asking it every day, and about a day in which it changes ever more closely.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tests.unit.rules.timetables.expressions import Expression

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_S, MARGIN_S = 86400, 2 * 86400
"""Labels are tried from so long before the stretch to so long after it: no clock is further from UTC, or jumps further."""


class Stretch(NamedTuple):
    """Instants from `start` to `end` (exclusive) during which the clock is `offset` ahead of UTC; all in seconds."""

    start: int
    end: int
    offset: int


def instants_between(expression: Expression, zone: tzinfo, start: int, end: int) -> NDArray[np.int64]:
    """Every instant of the expression from `start` to `end` (exclusive), in seconds since 1970, sorted."""
    labels = _labels(expression, start - MARGIN_S, end + MARGIN_S)
    stretches = stretches_of(zone, start - 2 * MARGIN_S, end + 2 * MARGIN_S)
    found = [_moved(labels, before, after) for before, after in zip(stretches, stretches[1:], strict=False)]
    already = np.zeros(len(labels), dtype=bool)
    for stretch in reversed(stretches):
        instants = labels - stretch.offset
        here = (instants >= stretch.start) & (instants < stretch.end)
        found.append(instants[here if expression.every_hour else here & ~already])
        already |= here
    instants = np.sort(np.concatenate(found))
    once = np.diff(instants, prepend=start - 1) > 0
    return instants[once & (instants >= start) & (instants < end)]


@lru_cache(maxsize=64)
def stretches_of(zone: tzinfo, start: int, end: int) -> list[Stretch]:
    """What the zone's clock shows from `start` to `end`. (Changes are days apart: `test_clockchange` says so.)"""
    found, begun, offset = [], start, _offset(zone, start)
    for day in range(start + DAY_S, end + DAY_S, DAY_S):
        if _offset(zone, day) != offset:
            change = day - DAY_S
            for step in (3600, 60, 1):
                while _offset(zone, change + step) == offset:
                    change += step
            found.append(Stretch(begun, change + 1, offset))
            begun, offset = change + 1, _offset(zone, day)
    return [*found, Stretch(begun, end, offset)]


def _labels(expression: Expression, start: int, end: int) -> NDArray[np.int64]:
    """Every wall-clock time that the expression selects, in seconds as if the clock were UTC: all minutes are tried."""
    first, last = start // DAY_S, end // DAY_S + 1
    days = np.array([day for day in range(first, last) if expression.has_day(_date(day))], dtype=np.int64)
    minute = np.arange(24 * 60)
    chosen = np.isin(minute % 60, list(expression.minute.values)) & np.isin(minute // 60, list(expression.hour.values))
    seconds = sorted(expression.second.values) if expression.second else [0]
    times = (minute[chosen][:, None] * 60 + np.array(seconds)[None, :]).ravel()
    return (days[:, None] * DAY_S + times[None, :]).ravel()


def _moved(labels: NDArray[np.int64], before: Stretch, after: Stretch) -> NDArray[np.int64]:
    """The instants of the labels that the clock jumped over between two stretches: as if it had not jumped yet."""
    skipped = (labels >= before.end + before.offset) & (labels < after.start + after.offset)
    return labels[skipped] - before.offset


@lru_cache(maxsize=40_000)
def _date(day: int) -> date:
    return date(1970, 1, 1) + timedelta(days=day)


def _offset(zone: tzinfo, instant: int) -> int:
    offset = (EPOCH + timedelta(seconds=instant)).astimezone(zone).utcoffset()
    assert offset is not None
    return round(offset.total_seconds())
