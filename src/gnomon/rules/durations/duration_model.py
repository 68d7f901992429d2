"""`DurationModel`: the durations of one task, by class of run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from gnomon.rules.durations.day_class import DayClass, RunClass, list_classes

MIN_RUNS_OF_CLASS = 8
"""A class counts from so many durations on; otherwise the next coarser one does."""
MIN_RUNS = 3
"""With fewer durations in all, nothing is known of the task."""
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
    _merged: dict[RunClass, list[float]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The sorted durations of classes that were asked for: of most tasks few are."""

    def add(self, finest: DayClass, duration_s: float) -> None:
        """A successful try of a run of this class."""
        self.groups.setdefault(finest, []).append(duration_s)
        self._merged.clear()

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
        return sum(map(len, self.groups.values()))

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
        durations = self._choose(classes)
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
    place = quantile * (len(ordered) - 1)
    below = min(int(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
