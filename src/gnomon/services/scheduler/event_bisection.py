"""Finds the items of a failed step that fail alone: parts of the items are applied, each in a commit of its own, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def apply_bisected(
    items: Sequence[T],
    apply: Callable[[Sequence[T]], Exception | None],
    on_failed_alone: Callable[[T, Exception], None],
    is_suspect: Callable[[T], bool],
) -> None:
    """Apply all items, in order. An item that fails alone is given to `on_failed_alone`; all others are applied.

    `apply` returns the failure of a part, after which nothing of the part is applied. `is_suspect`: the items at which a part is cut first, so that one
    bad value among a thousand items costs a few tries and not ten; a part without a suspect, or with nothing else, is halved.
    """
    parts = [list(items)] if items else []
    while parts:
        part = parts.pop()
        failure = apply(part)
        if failure is None:
            continue
        if len(part) == 1:
            on_failed_alone(part[0], failure)
        else:
            parts.extend(reversed(_split(part, is_suspect)))


def _split(part: list[T], is_suspect: Callable[[T], bool]) -> list[list[T]]:
    """The part cut into at least two, in order."""
    pieces: list[list[T]] = []
    is_open = False
    for item in part:
        if is_suspect(item):
            pieces.append([item])
            is_open = False
        elif is_open:
            pieces[-1].append(item)
        else:
            pieces.append([item])
            is_open = True
    if 1 < len(pieces) <= _PIECES_MAX:
        return pieces
    middle = len(part) // 2
    return [part[:middle], part[middle:]]


_PIECES_MAX = 64
"""With more suspects than these, halves need fewer commits."""
