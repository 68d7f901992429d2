"""`DurationModel`: the durations of one task, by class of run."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from gnomon.rules.durations.day_class import DayClass, RunClass, list_classes

MIN_RUNS_OF_CLASS = 8
"""A class counts from so many durations on; otherwise the next coarser one does."""
MIN_RUNS = 3
"""With fewer durations in all, nothing is known of the task."""
TAIL_MAX = 8.0
"""A duration is drawn that is so many times rarer than the longest recorded one, and no rarer."""
OVERDUE_FACTOR = 1.25
"""An attempt that has taken longer than all before it is taken to end after this factor of its age: nothing recorded says more."""


@dataclass(slots=True)
class DurationModel:
    """The durations of the successful tries of one task, in seconds, and how often a try failed."""

    groups: dict[DayClass, list[float]] = field(default_factory=dict)
    """By the finest class; add by `add`."""
    tries: int = 0
    failed_tries: int = 0
    lengths: list[int] = field(default_factory=list)
    """Of its return value, newest first, if a task is mapped over it."""
    arrivals: DurationModel | None = None
    """Of a task that waits for the world: the seconds from the slot to its end. What it waits for comes when it comes, however late the task began."""
    version_factor: float = 1.0
    """How many times as long a try takes since the newest version of the DAG; 1.0: as before."""
    _merged: dict[RunClass, list[float]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The sorted durations of classes that were asked for: of most tasks few are."""
    _chosen: dict[RunClass, list[float]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By the finest class of a run: the durations of the first of its classes that counts."""
    _count: int | None = field(default=None, init=False, repr=False, compare=False)

    def add(self, finest: DayClass, duration_s: float) -> None:
        """A successful try of a run of this class."""
        self.groups.setdefault(finest, []).append(duration_s)
        self._merged.clear()
        self._chosen.clear()
        self._count = None

    def list_durations(self, run_class: RunClass = ()) -> list[float]:
        """The durations of a class, in order; without one, all."""
        durations = self._merged.get(run_class)
        if durations is None:
            durations = sorted(
                duration
                for finest, group in self.groups.items()
                if run_class in list_classes(finest)
                for duration in group
            )
            self._merged[run_class] = durations
        return durations

    @property
    def count(self) -> int:
        """The successful tries in all."""
        if self._count is None:
            self._count = sum(map(len, self.groups.values()))
        return self._count

    @property
    def is_known(self) -> bool:
        """False: a duration has to be assumed."""
        return self.count >= MIN_RUNS

    @property
    def failure_share(self) -> float:
        """The share of tries that failed."""
        return self.failed_tries / self.tries if self.tries else 0.0

    def draw(self, classes: Sequence[RunClass], quantile: float, age_s: float = 0.0) -> float:
        """The duration at that quantile (from 0 to 1) of the finest class that counts. For a model that is known.

        `age_s`: the attempt has run so long already: only longer durations are possible.
        """
        durations = self._chosen.get(classes[0]) if classes else self.list_durations()
        if durations is None:
            durations = self._chosen[classes[0]] = self._choose(classes)
        if age_s <= 0.0:
            return _interpolate(durations, quantile)
        passed = bisect_right(durations, age_s) / len(durations)
        if passed >= 1.0:
            return age_s * OVERDUE_FACTOR
        return max(age_s, _interpolate(durations, passed + quantile * (1.0 - passed)))

    def _choose(self, classes: Sequence[RunClass]) -> list[float]:
        for run_class in classes:
            durations = self.list_durations(run_class)
            if len(durations) >= MIN_RUNS_OF_CLASS:
                return durations
        return self.list_durations()


def _interpolate(ordered: Sequence[float], quantile: float) -> float:
    """The value that a further one exceeds with a probability of one less the quantile: `count + 1` places, and a tail beyond the largest."""
    count = len(ordered)
    place = quantile * (count + 1) - 1.0
    if place <= 0.0:
        return ordered[0]
    if place >= count - 1:
        return ordered[-1] * _find_tail_factor(ordered, quantile)
    below = int(place)
    return ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])


def _find_tail_factor(ordered: Sequence[float], quantile: float) -> float:
    """How much longer than the longest recorded one: a tail as heavy as that of the longest quarter (Hill 1975), bounded."""
    count = len(ordered)
    quarter = ordered[-max(2, count // 4) :]
    if quarter[0] <= 0.0:
        return 1.0
    weight = sum(math.log(duration_s / quarter[0]) for duration_s in quarter[1:]) / (len(quarter) - 1)
    rarity = max((1.0 - quantile) * (count + 1), 1.0 / TAIL_MAX)
    return float(min(rarity, 1.0) ** -min(weight, 1.0))
