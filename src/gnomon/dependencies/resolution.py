"""What the resolver is told of the upstream's past, and what it answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

RuleName = Literal[
    "whole_day", "one_to_one", "backward", "carried", "nearest", "forward", "same_hour", "span", "previous", "none"
]


class History(NamedTuple):
    """What happened upstream: the slots that have a run, ascending, and the last slot that was planned."""

    slots: Sequence[datetime]
    cursor: datetime | None
    changed: Collection[int] | None = None
    """The natural days on which something ran that the timetable does not name, where `slots` are less than whole days."""


class Resolution(NamedTuple):
    """The upstream slots that a run waits for, and why these. All instants are UTC."""

    slots: tuple[datetime, ...]
    """Planned times of the upstream, ascending; empty: the run waits for nothing."""
    rule: RuleName
    """`none`: there is no such slot upstream, so the run goes ahead."""
    window: tuple[datetime, datetime]
    """The stretch that the rule looked at, as instants; wall-clock bounds of whole days, hours or intervals."""
    absent: tuple[datetime, ...] = ()
    """Slots that the rule means, but that the upstream's cursor passed without a run."""
