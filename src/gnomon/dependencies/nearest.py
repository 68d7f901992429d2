"""Discrete hours against hours, minutes or other discrete hours: one to one by count, otherwise the nearest.

`moved` below: the upstream's day may be an earlier one; its labels are compared as if it were the run's day. The days of
the downstream are not looked at as a whole: they may have very many places.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime

from gnomon.dependencies.places import Places, backward, forward
from gnomon.dependencies.question import Found, Question
from gnomon.dependencies.resolution import RuleName
from gnomon.dependencies.zonedays import DAY_US


def one_to_one_or_nearest(question: Question) -> Found:
    """Rule one where both days have as many places, else rule two."""
    theirs = question.places_of_their_day()
    start = question.their_day * DAY_US
    if not theirs.labels:
        return Found([], "none", start, start + DAY_US)
    position = _position(question) if question.mine.count(question.day) == len(theirs.labels) else None
    if position is not None:
        return Found([theirs.slots[position]], "one_to_one", start, start + DAY_US)
    return _nearest(question, theirs)


def _position(question: Question) -> int | None:
    """Which of its day's places the run's is; None for a run that its timetable does not plan."""
    mine = question.mine.day(question.day)
    at = bisect_left(mine.labels, question.label)
    there = at < len(mine.labels) and mine.labels[at] == question.label and question.slot in mine.slots[at]
    return at if there else None


def _nearest(question: Question, theirs: Places) -> Found:
    """Rule two: the interval that ends at the run; if empty, as `empty_interval` says; nothing earlier: the next one."""
    moved = (question.their_day - question.day) * DAY_US
    midnight, now = question.their_day * DAY_US, question.label + moved
    start = _start(question, question.label) + moved
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
    start = _start(question, latest - moved) + moved
    end = next(label for label, _ in forward(question.mine, latest - moved, question.label)) + moved + 1
    return Found(_between(theirs, start, end), "carried", start, end)


def _start(question: Question, label: int) -> int:
    """Where the interval begins that ends at `label`, or at the downstream's first place after it: after the place before."""
    midnight = question.day * DAY_US
    before = next(backward(question.mine, label, midnight), None)
    return midnight if before is None else before[0] + 1


def _between(places: Places, start: int, end: int) -> list[tuple[datetime, ...]]:
    return places.slots[bisect_left(places.labels, start) : bisect_left(places.labels, end)]


_EMPTY: dict[str, RuleName] = {"carry": "carried", "nearest": "nearest", "forward": "forward"}
