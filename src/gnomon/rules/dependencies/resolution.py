"""The input and output of the resolver: the history of the upstream, and the slots that a run waits for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

RuleName = Literal[
    "whole_day", "one_to_one", "backward", "carried", "nearest", "forward", "same_hour", "span", "previous", "none"
]


class History(NamedTuple):
    """The history of the upstream: the slots that have a run, ascending, and the last planned slot."""

    slots: Sequence[datetime]
    cursor: datetime | None
    changed: Collection[int] | None = None
    """The natural days with runs that the timetable does not have. Only where `slots` do not cover whole days; else None."""


class Resolution(NamedTuple):
    """The upstream slots that a run waits for, and the rule that chose them. All instants are UTC."""

    slots: tuple[datetime, ...]
    """Slots of the upstream, ascending; empty: the run does not wait."""
    rule: RuleName
    """`none`: the upstream has no such slot, so the run does not wait."""
    window: tuple[datetime, datetime]
    """The range that the rule searched, as instants: the bounds of whole days, hours or intervals by the wall clock."""
    absent: tuple[datetime, ...] = ()
    """Slots that the rule chose, but that the upstream's cursor passed without a run."""
