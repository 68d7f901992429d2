"""`DagFacts` for a server that is asked again and again: kept for a short time."""

from __future__ import annotations

import threading

from gnomon.ground.clock import Clock
from gnomon.model.instants import SECOND, Instant
from gnomon.queries.report.activity.current_work import DagFacts

KEPT_S = 60
"""How old the usual durations of runs may be; names of tasks keep their numbers."""


class WorkFactsCache:
    """Gives the same `DagFacts` for KEPT_S seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._facts = DagFacts()
        self._since: Instant = clock.now()

    def find(self) -> DagFacts:
        """The facts. Several threads may fill them: they find the same."""
        now = self._clock.now()
        with self._guard:
            if not 0 <= now - self._since < KEPT_S * SECOND:
                self._facts, self._since = DagFacts(), now
            return self._facts
