"""The arguments of a rule: one label of a run, and the days of both DAGs around it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from gnomon.model.after import After
from gnomon.rules.dependencies.history import HistoryDays
from gnomon.rules.dependencies.resolution import RuleName
from gnomon.rules.dependencies.slot_chunks import SlotDays
from gnomon.rules.dependencies.slot_labels import SlotLabels, collect_slots, iterate_backward
from gnomon.rules.dependencies.zone_days import DAY_US


class RuleMatch(NamedTuple):
    """The upstream slots that a rule chose, by label in order, and the range of labels that it searched: `start` to before `end`."""

    groups: list[tuple[datetime, ...]]
    rule: RuleName
    start: int
    end: int


class SlotQuery(NamedTuple):
    """One label of a downstream run, for which a rule chooses upstream slots."""

    after: After
    slot: datetime
    label: int
    """The label of the run: what the clock of the dependency's zone shows."""
    downstream_days: SlotDays
    upstream_days: SlotDays | HistoryDays
    downstream_timetable: SlotDays
    upstream_timetable: SlotDays
    """By the timetable alone: the length of a period depends neither on the dates of the DAG nor on its runs."""

    @property
    def day(self) -> int:
        """The natural day of the run, in days since 1970-01-01."""
        return self.label // DAY_US

    @property
    def upstream_day(self) -> int:
        """The upstream's day: the run's own, or `previous` days before it."""
        return self.day - (self.after.previous or 0)

    def upstream_day_labels(self) -> SlotLabels:
        """The labels of the upstream's day."""
        return self.upstream_days.day(self.upstream_day)

    def upstream_slots_between(self, start: int, end: int) -> list[tuple[datetime, ...]]:
        """The upstream's slots of each label from `start` to before `end`, over any number of days."""
        return collect_slots(self.upstream_days, start, end)

    def downstream_period(self) -> int:
        """The downstream's period in microseconds: `every`, else the gap to its previous slot."""
        return self.downstream_timetable.every or _gap(self.downstream_timetable, self.label)

    def upstream_period(self) -> int:
        """The upstream's period in microseconds: `every`, else the gap between its last slot by the run's time and the one before."""
        days = self.upstream_timetable
        if days.every is not None:
            return days.every
        latest = next(iterate_backward(days, self.label + 1), None)
        return DAY_US if latest is None else _gap(days, latest[0])


SlotRule = Callable[[SlotQuery], RuleMatch]


def _gap(days: SlotDays, label: int) -> int:
    """The distance from the last label before `label`; a day if there is none."""
    before = next(iterate_backward(days, label), None)
    return DAY_US if before is None else label - before[0]
