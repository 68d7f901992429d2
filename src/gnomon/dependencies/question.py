"""One place of a run, and what the rules may ask about both DAGs around it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from gnomon.dependencies.past import PastDays
from gnomon.dependencies.resolution import RuleName
from gnomon.dependencies.slotdays import Day, SlotDays
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
    label: int
    """The run's place: what its timetable's clock shows."""
    position: int | None
    """Which of its day's places that is; None for a run that its timetable does not plan."""
    mine: SlotDays
    theirs: SlotDays | PastDays
    my_timetable: SlotDays
    their_timetable: SlotDays
    """As the timetables alone have it: how long a period is does not depend on dates or on what ran."""

    @property
    def day(self) -> int:
        return self.label // DAY_US

    def their_day(self) -> Day:
        """The upstream's day: the run's own, or so many before it."""
        return self.theirs.day(self.label // DAY_US - (self.after.previous or 0))

    def their_places(self, start: int, end: int) -> list[tuple[datetime, ...]]:
        """The upstream's places with labels from `start` to before `end`, whatever days these are in."""
        first, last = start // DAY_US, (end - 1) // DAY_US
        day = self.theirs.day(first)
        at = bisect_left(day.labels, start)
        if first == last:
            return day.slots[at : bisect_left(day.labels, end, at)]
        found = day.slots[at:]
        for number in range(first + 1, last + 1):
            day = self.theirs.day(number)
            found += day.slots[: bisect_left(day.labels, end)]
        return found

    def my_period(self) -> int:
        """How long the downstream's period is, in microseconds: `every`, else the gap to its slot before."""
        return self.my_timetable.every or _gap(self.my_timetable, self.label)

    def their_period(self) -> int:
        """How long the upstream's period is: `every`, else the gap between its last slot by now and the one before."""
        days = self.their_timetable
        if days.every is not None:
            return days.every
        day: Day | None = days.day(self.day)
        if day is not None and (not day.labels or day.labels[0] > self.label):
            day = days.day_before(self.day)
        if day is None:
            return DAY_US
        return _gap(days, day.labels[bisect_right(day.labels, self.label) - 1])


Rule = Callable[[Question], Found]


def _gap(days: SlotDays, label: int) -> int:
    """From the last place before `label` to it; a day when there is none."""
    day: Day | None = days.day(label // DAY_US)
    if day is not None and (not day.labels or day.labels[0] >= label):
        day = days.day_before(day.number)
    if day is None:
        return DAY_US
    return label - day.labels[bisect_left(day.labels, label) - 1]
