"""Discrete hours against hours, minutes or other discrete hours: one to one by count, otherwise the nearest.

`moved` below: the upstream's day may be an earlier one; its labels are compared as if it were the run's day.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime

from gnomon.dependencies.question import Found, Question
from gnomon.dependencies.resolution import RuleName
from gnomon.dependencies.slotdays import Day
from gnomon.dependencies.zonedays import DAY_US


def one_to_one_or_nearest(question: Question) -> Found:
    """Rule one where both days have as many places, else rule two."""
    mine, theirs = question.mine.day(question.day), question.their_day()
    start = theirs.number * DAY_US
    if not theirs.labels:
        return Found([], "none", start, start + DAY_US)
    if question.position is not None and len(mine.labels) == len(theirs.labels):
        return Found([theirs.slots[question.position]], "one_to_one", start, start + DAY_US)
    return _nearest(question, mine, theirs)


def _nearest(question: Question, mine: Day, theirs: Day) -> Found:
    """Rule two: the interval that ends at the run; if empty, as `empty_interval` says; nothing earlier: the next one."""
    moved = (theirs.number - mine.number) * DAY_US
    midnight, now = theirs.number * DAY_US, question.label + moved
    at = bisect_left(mine.labels, question.label)
    start = mine.labels[at - 1] + moved + 1 if at else midnight
    found = _between(theirs, start, now + 1)
    if found:
        return Found(found, "backward", start, now + 1)
    past = bisect_right(theirs.labels, now)
    how: RuleName = _EMPTY[question.after.empty_interval] if past else "forward"
    if how == "forward":
        return Found(
            theirs.slots[past : past + 1], "forward" if past < len(theirs.labels) else "none", now, midnight + DAY_US
        )
    latest = theirs.labels[past - 1]
    if how == "nearest":
        return Found([theirs.slots[past - 1]], "nearest", midnight, now + 1)
    ends = bisect_left(mine.labels, latest - moved)
    start = mine.labels[ends - 1] + moved + 1 if ends else midnight
    end = mine.labels[ends] + moved + 1
    return Found(_between(theirs, start, end), "carried", start, end)


def _between(day: Day, start: int, end: int) -> list[tuple[datetime, ...]]:
    return day.slots[bisect_left(day.labels, start) : bisect_left(day.labels, end)]


_EMPTY: dict[str, RuleName] = {"carry": "carried", "nearest": "nearest", "forward": "forward"}
