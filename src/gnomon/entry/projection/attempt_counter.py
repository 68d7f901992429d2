"""Counts the attempts of a projection, and ends one that has too many, or would have."""

from __future__ import annotations

from gnomon.entry.projection.projector import is_caused
from gnomon.entry.projection.simulation_size import MAX_RUNS
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.rules.engine.step_context import StepResult

MAX_ATTEMPTS = 10_000_000
"""A simulation of more ends with an error: it would take more than ten minutes."""
MAX_KEPT_ATTEMPTS = 2_000_000
"""The same if each task instance is kept: more would not fit into memory."""

RATE_AFTER = 500_000
"""After so many attempts, one that would have RATE_EXCESS times too many at its rate ends too: assets that trigger one another without end."""
RATE_EXCESS = 20

CAUSED_RUNS = 5_000
"""Whenever so many runs have followed from other runs, and three for each DAG, their rate is looked at: DAGs that trigger one another go on without end."""
CAUSED_EXCESS = 4
"""A simulation ends if, at the rate of the newest of them, it would have so many times MAX_RUNS: more of them come at some hours than at others."""


class AttemptCounter:
    """Counts the attempts that ended, and ends a simulation that has too many, or would have at the rate that it has."""

    def __init__(self, start: Instant, end: Instant, dag_count: int, most: int) -> None:
        """`most`: the most attempts."""
        self.ended = 0
        self._most = most
        self._start, self._span = start, end - start
        self._caused, self._caused_since = 0, start
        self._caused_window = max(CAUSED_RUNS, 3 * dag_count)

    def add(self, attempts: int, now: Instant) -> None:
        """Attempts until `now`. Raises UserError when there are too many."""
        before = self.ended
        self.ended += attempts
        is_too_fast = before < RATE_AFTER <= self.ended and self.ended * self._span > RATE_EXCESS * self._most * (
            now - self._start
        )
        if self.ended > self._most or is_too_fast:
            raise UserError(say("simulation_is_too_large", number=f"{self.ended:,}", at=now))

    def count(self, result: StepResult, now: Instant) -> None:
        """The attempts of a step. Raises UserError when there are too many."""
        self.add(sum(map(len, result.acknowledges.values())) + result.followed_attempts, now)
        if self._goes_in_circles(result, now):
            raise UserError(say("simulation_is_too_large", number=f"{self.ended:,}", at=now))

    def _goes_in_circles(self, result: StepResult, now: Instant) -> bool:
        """Whether runs follow from runs faster than a deployment that comes to an end. At one instant `EndlessInstant` says it."""
        caused = sum(map(is_caused, result.ended_runs))
        if not caused:
            return False
        if not self._caused:
            self._caused_since = now
        self._caused += caused
        if self._caused < self._caused_window or now == self._caused_since:
            return False
        expected = self._caused * self._span / (now - self._caused_since)
        self._caused = 0
        return expected > CAUSED_EXCESS * MAX_RUNS
