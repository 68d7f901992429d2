"""One place of a run, and what the rules may ask about both DAGs around it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from gnomon.dependencies.past import PastDays
from gnomon.dependencies.places import Places, backward, between
from gnomon.dependencies.resolution import RuleName
from gnomon.dependencies.slotdays import SlotDays
from gnomon.dependencies.zonedays import DAY_US
from gnomon.model.after import After


class Found(NamedTuple):
    """The upstream places that a rule chose, in order, and the labels that it looked at, from `start` to before `end`."""

    places: list[tuple[datetime, ...]]
    rule: RuleName
    start: int
    end: int


class Question(NamedTuple):
    """Which upstream places does this place wait for?"""

    after: After
    slot: datetime
    label: int
    """The run's place: what its timetable's clock shows."""
    mine: SlotDays
    theirs: SlotDays | PastDays
    my_timetable: SlotDays
    their_timetable: SlotDays
    """As the timetables alone have it: how long a period is does not depend on dates or on what ran."""

    @property
    def day(self) -> int:
        return self.label // DAY_US

    @property
    def their_day(self) -> int:
        """The upstream's day: the run's own, or so many before it."""
        return self.day - (self.after.previous or 0)

    def places_of_their_day(self) -> Places:
        """All of the upstream's day."""
        return self.theirs.day(self.their_day)

    def their_places(self, start: int, end: int) -> list[tuple[datetime, ...]]:
        """The upstream's places with labels from `start` to before `end`, whatever days these are in."""
        return between(self.theirs, start, end)

    def my_period(self) -> int:
        """How long the downstream's period is, in microseconds: `every`, else the gap to its slot before."""
        return self.my_timetable.every or _gap(self.my_timetable, self.label)

    def their_period(self) -> int:
        """How long the upstream's period is: `every`, else the gap between its last slot by now and the one before."""
        days = self.their_timetable
        if days.every is not None:
            return days.every
        latest = next(backward(days, self.label + 1), None)
        return DAY_US if latest is None else _gap(days, latest[0])


Rule = Callable[[Question], Found]


def _gap(days: SlotDays, label: int) -> int:
    """From the last place before `label` to it; a day when there is none."""
    before = next(backward(days, label), None)
    return DAY_US if before is None else label - before[0]
