"""Figures that processes of services write with their heartbeats, so that each api-server can show those of all processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.ground.clock import Clock
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.metrics.definitions import CLOCK_DIFFERENCE
from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store.transaction import Transaction

FIGURES_S = 4.5
"""Least seconds between two writes of a process; a little less than five, so that a heartbeat each five seconds writes each time."""
FORGOTTEN_AFTER_S = 600.0
"""Figures of a process that has written none for so long are deleted, and not shown."""


@dataclass(frozen=True, slots=True)
class StoredFigures:
    """The figures of one process. `body`: a text for `gnomon.ground.metrics.figures.decode_figures`."""

    process_id: str
    service: str
    host: str
    at: Instant
    body: str


class FiguresWriter:
    """Writes the figures of one process in transactions that are there anyway."""

    def __init__(self, figures: ProcessFigures, service: str, process_id: str, host: str, clock: Clock) -> None:
        self.figures = figures
        self._service = service
        self._process_id = process_id
        self._host = host
        self._clock = clock
        self._next_at = 0.0
        self.refresh: Callable[[], object] = lambda: None
        """Called before each write, to set gauges."""

    def is_due(self) -> bool:
        """Whether `write_if_due` writes now."""
        return self._clock.monotonic() >= self._next_at

    def write_if_due(self, tx: Transaction) -> None:
        """Write the figures if the last write is FIGURES_S old."""
        if not self.is_due():
            return
        self._next_at = self._clock.monotonic() + FIGURES_S
        self.refresh()
        self.figures.record_process()
        now = tx.lease_now()
        self.figures.put(CLOCK_DIFFERENCE, round((self._clock.now() - now) / SECOND, 3))
        tx.send(
            "service_figures.put",
            process_id=self._process_id,
            service=self._service,
            host=self._host,
            now=now,
            body=self.figures.encode(),
        )
        tx.send("service_figures.remove_old", before=now - round(FORGOTTEN_AFTER_S * SECOND))

    def remove(self, tx: Transaction) -> None:
        """Delete the figures: the process ends."""
        remove_figures(tx, self._process_id)


def put_figures(tx: Transaction, service: str, process_id: str, host: str, body: str) -> None:
    """Store the figures of a process that has no database. `body`: a text of `ProcessFigures.encode`."""
    tx.send("service_figures.put", process_id=process_id, service=service, host=host, now=tx.lease_now(), body=body)


def remove_figures(tx: Transaction, process_id: str) -> None:
    """Delete the figures of a process that ends."""
    tx.run("service_figures.remove", process_id=process_id)


def list_figures(tx: Transaction) -> list[StoredFigures]:
    """The figures of all processes, by service."""
    since = tx.lease_now() - round(FORGOTTEN_AFTER_S * SECOND)
    return [StoredFigures(*row) for row in tx.all("service_figures.list", since=since)]
