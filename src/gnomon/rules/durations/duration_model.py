"""`DurationModel`: the durations of one task, by class of run."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from gnomon.rules.durations.day_class import RunClass

MIN_RUNS_OF_CLASS = 8
"""A class counts from so many durations on; otherwise the next coarser one does."""
MIN_RUNS = 3
"""With fewer durations in all, nothing is known of the task."""
OVERDUE_FACTOR = 1.25
"""An attempt that has taken longer than all before it is taken to end after this factor of its age: nothing recorded says more."""


@dataclass(slots=True)
class DurationModel:
    """The durations of the successful tries of one task, in seconds, and how often a try failed."""

    durations_s: dict[RunClass, list[float]] = field(default_factory=lambda: defaultdict(list))
    tries: int = 0
    failed_tries: int = 0
    lengths: list[int] = field(default_factory=list)
    """Of its return value, newest first, if a task is mapped over it."""

    def add(self, classes: Sequence[RunClass], duration_s: float) -> None:
        """A successful try of a run of these classes."""
        for run_class in classes:
            self.durations_s[run_class].append(duration_s)

    def finish(self) -> None:
        """Sort what was added."""
        for durations in self.durations_s.values():
            durations.sort()

    @property
    def count(self) -> int:
        """The successful tries in all."""
        return len(self.durations_s.get((), ()))

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
            durations = self.durations_s.get(run_class)
            if durations is not None and len(durations) >= MIN_RUNS_OF_CLASS:
                return durations
        return self.durations_s[()]


def _interpolate(ordered: Sequence[float], quantile: float) -> float:
    place = quantile * (len(ordered) - 1)
    below = min(int(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
