"""One place of a run, and what the rules may ask about both DAGs around it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from gnomon.dependencies.history import HistoryDays
from gnomon.dependencies.resolution import RuleName
from gnomon.dependencies.slot_chunks import SlotDays
from gnomon.dependencies.slot_labels import SlotLabels, collect_slots, iterate_backward
from gnomon.dependencies.zone_days import DAY_US
from gnomon.model.after import After


class RuleMatch(NamedTuple):
    """The upstream groups that a rule chose, in order, and the labels that it looked at, from `start` to before `end`."""

    groups: list[tuple[datetime, ...]]
    rule: RuleName
    start: int
    end: int


class SlotQuery(NamedTuple):
    """Which upstream groups does this place wait for?"""

    after: After
    slot: datetime
    label: int
    """The run's place: what its timetable's clock shows."""
    downstream_days: SlotDays
    upstream_days: SlotDays | HistoryDays
    downstream_timetable: SlotDays
    upstream_timetable: SlotDays
    """As the timetables alone have it: how long a period is does not depend on dates or on what ran."""

    @property
    def day(self) -> int:
        return self.label // DAY_US

    @property
    def upstream_day(self) -> int:
        """The upstream's day: the run's own, or so many before it."""
        return self.day - (self.after.previous or 0)

    def upstream_day_labels(self) -> SlotLabels:
        """All of the upstream's day."""
        return self.upstream_days.day(self.upstream_day)

    def upstream_slots_between(self, start: int, end: int) -> list[tuple[datetime, ...]]:
        """The upstream's groups with labels from `start` to before `end`, whatever days these are in."""
        return collect_slots(self.upstream_days, start, end)

    def downstream_period(self) -> int:
        """How long the downstream's period is, in microseconds: `every`, else the gap to its slot before."""
        return self.downstream_timetable.every or _gap(self.downstream_timetable, self.label)

    def upstream_period(self) -> int:
        """How long the upstream's period is: `every`, else the gap between its last slot by now and the one before."""
        days = self.upstream_timetable
        if days.every is not None:
            return days.every
        latest = next(iterate_backward(days, self.label + 1), None)
        return DAY_US if latest is None else _gap(days, latest[0])


SlotRule = Callable[[SlotQuery], RuleMatch]


def _gap(days: SlotDays, label: int) -> int:
    """From the last place before `label` to it; a day when there is none."""
    before = next(iterate_backward(days, label), None)
    return DAY_US if before is None else label - before[0]
