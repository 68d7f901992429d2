"""RemoteWorkerFigures: the figures of a worker without a database, which go with its heartbeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gnomon.ground.clock import Clock
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.metrics.definitions import CLOCK_DIFFERENCE
from gnomon.model.execution_messages import Figure
from gnomon.model.instants import SECOND, Instant

FIGURES_S = 4.5
"""Least seconds between two heartbeats with figures."""


class RemoteWorkerFigures:
    """Figures of one process. `refresh`: called before they are sent, to set gauges."""

    def __init__(self, refresh: Callable[[ProcessFigures], object], clock: Clock) -> None:
        self._figures = ProcessFigures()
        self._refresh = refresh
        self._clock = clock
        self._next_at = clock.monotonic()

    def take(self) -> Iterable[Figure]:
        """The figures, if those that were taken last are FIGURES_S old; else none."""
        if self._clock.monotonic() < self._next_at:
            return ()
        self._next_at = self._clock.monotonic() + FIGURES_S
        self._refresh(self._figures)
        self._figures.record_process()
        return self._figures.list_numbers()

    def record_clock(self, database_now: Instant) -> None:
        """Compare the clock of this host with that of the database, as an answer named it a moment ago."""
        self._figures.put(CLOCK_DIFFERENCE, round((self._clock.now() - database_now) / SECOND, 3))
