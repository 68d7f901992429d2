"""Searches of `gnomon simulate --find`: the least value that is enough, and the latest of a day."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Holds = Callable[[int], bool]
"""Whether a value is enough. It is asked at most once for each value."""


def find_least(holds: Holds, least: int, most: int) -> int | None:
    """The least value from `least` to `most` that is enough, if more is never worse; None if `most` is not enough.

    In any case the value is enough, and the one below it is not. Both ends are asked first, then doubled values, then halves between two.
    """
    if not holds(most):
        return None
    if least == most or holds(least):
        return least
    low, step = least, 1
    while low + step < most and not holds(low + step):
        low, step = low + step, step * 2
    high = min(low + step, most)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def find_latest(holds: Holds, marks: Sequence[int]) -> int | None:
    """The latest value that is enough: the last of the ascending marks, and then up to the next mark by halves; None if no mark is enough."""
    enough = [mark for mark in marks if holds(mark)]
    if not enough:
        return None
    low = enough[-1]
    place = marks.index(low)
    if place + 1 == len(marks):
        return low
    high = marks[place + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low
