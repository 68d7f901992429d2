"""One life of the worker as others see it: an id, an address, beats. It ends when nobody can know of it any more."""

from __future__ import annotations

import os
import socket
import uuid
from pathlib import Path

from gnomon import log
from gnomon.clock import Clock
from gnomon.model.records import WorkerRecord
from gnomon.processes import lifeline
from gnomon.worker.attempt_registry import AttemptRegistry
from gnomon.worker.settings import WorkerSettings
from gnomon.worker.worker_store import WorkerStore, WorkerStoreUnavailable

events = log.get_logger("worker")

HEARTBEAT_S = 1.0
MAIL_AFTER_S = 5.0
"""Without a scheduler for so long, results go into the mail of their groups."""
MAIL_MAX = 200
"""Results in one transaction."""


class WorkerIncarnation:
    """Registered, beating, or waiting for the store to come back."""

    def __init__(self, settings: WorkerSettings, presence: WorkerStore, clock: Clock) -> None:
        self.store = presence
        self._settings = settings
        self._clock = clock
        self._path: Path | None = None
        self._lifeline: int | None = None
        self.renew()

    def renew(self) -> None:
        """Another id at another address; nobody knows of it yet. What is started from now on holds its lifeline."""
        self._remove_socket()
        self._release_lifeline()
        self.worker_id = str(uuid.uuid4())
        self._path = self._settings.run_folder / f"worker-{self.worker_id}.sock"
        self._lifeline = lifeline.hold_lifeline(self.address)
        now = self._clock.monotonic()
        self._registered = False
        self._next_heartbeat_at = now
        self._stored_at = now
        self._connected_at = now

    @property
    def address(self) -> str:
        return str(self._path)

    def heartbeat(self, *, connected: bool) -> bool:
        """Beats when it is time. False when this incarnation must end: declared lost, or alone for half its time to live."""
        now = self._clock.monotonic()
        if connected:
            self._connected_at = now
        if now >= self._next_heartbeat_at:
            self._next_heartbeat_at = now + HEARTBEAT_S
            try:
                if not self._registered:
                    self._register()
                elif not self.store.beat(self.worker_id):
                    return False
                self._stored_at = now
            except WorkerStoreUnavailable as error:
                events.warning("store_away", worker=self.worker_id, error=str(error))
        return not self._registered or now - max(self._stored_at, self._connected_at) < self._settings.ttl_s / 2

    def mail_results(self, ledger: AttemptRegistry, *, at_once: bool = False) -> None:
        """Results that no scheduler came for are in the mail, and forgotten here once they are stored."""
        if not ledger.results or (self._clock.monotonic() - self._connected_at < MAIL_AFTER_S and not at_once):
            return
        batch = list(ledger.results.values())[:MAIL_MAX]
        try:
            self.store.mail_results(self.worker_id, batch)
        except WorkerStoreUnavailable as error:
            events.warning("results_wait_for_store", results=len(ledger.results), error=str(error))
            return
        ledger.acknowledge([result.attempt_id for result in batch])

    def shut_down(self, ledger: AttemptRegistry) -> None:
        """What is left goes into the mail, the store knows that this incarnation is gone, and so is its socket."""
        before = len(ledger.results) + 1
        while ledger.results and len(ledger.results) < before:
            before = len(ledger.results)
            self.mail_results(ledger, at_once=True)
        try:
            if self._registered:
                self.store.retire(self.worker_id)
        except WorkerStoreUnavailable as error:
            events.warning("left_without_word", worker=self.worker_id, error=str(error))
        else:
            lifeline.remove_lifeline(self.address)
        self._remove_socket()
        self._release_lifeline()

    def _register(self) -> None:
        self.store.register(
            WorkerRecord(worker_id=self.worker_id, host=socket.gethostname(), address=self.address,
                         slots=self._settings.slots, beat_at=self._clock.now(), lost=False)
        )
        self._registered = True

    def _release_lifeline(self) -> None:
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None

    def _remove_socket(self) -> None:
        if self._path is not None:
            try:
                os.unlink(self._path)
            except FileNotFoundError:
                return
