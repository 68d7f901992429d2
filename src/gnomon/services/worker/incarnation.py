"""A worker incarnation: an id, an address, and heartbeats. It ends when schedulers may have declared it lost."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from gnomon.author_code.processes import lifeline
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config.host_name import current_host_name
from gnomon.model.records import WorkerRecord
from gnomon.services.worker.attempt_registry import AttemptRegistry
from gnomon.services.worker.settings import WorkerSettings
from gnomon.services.worker.worker_store import WorkerStore, WorkerStoreUnavailable

events = log.get_logger("worker")

HEARTBEAT_S = 1.0
MAIL_AFTER_S = 5.0
"""Without a connected scheduler for this time, results are sent to the mailboxes of their groups."""
MAIL_MAX = 200
"""Results in one transaction."""


class WorkerIncarnation:
    """The current incarnation of a worker: registers it, beats for it, mails its results, retires it."""

    def __init__(self, settings: WorkerSettings, worker_store: WorkerStore, clock: Clock) -> None:
        self.store = worker_store
        self._settings = settings
        self._clock = clock
        self._path: Path | None = None
        self._lifeline: int | None = None
        self._host = current_host_name()
        self.renew()

    def renew(self) -> None:
        """Begin a new incarnation with another id and address, not registered yet. Processes started from now on hold its lifeline."""
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
        """Beat when it is due. False when this incarnation must end: it was declared lost, or had neither store nor scheduler for as long as its store allows."""
        now = self._clock.monotonic()
        if connected:
            self._connected_at = now
        if now >= self._next_heartbeat_at:
            self._next_heartbeat_at = max(self._next_heartbeat_at, now - HEARTBEAT_S) + HEARTBEAT_S
            try:
                if not self._registered:
                    self._register()
                elif not self.store.beat(self.worker_id):
                    return False
                self._stored_at = now
            except WorkerStoreUnavailable as error:
                events.warning("store_away", worker=self.worker_id, error=str(error))
        return not self._registered or now - max(self._stored_at, self._connected_at) < self.store.find_silence_limit(
            self._settings.ttl_s
        )

    @property
    def runs_until(self) -> float:
        """Until when attempts may run without another heartbeat, in monotonic seconds.

        It counts from the moment at which the last recorded heartbeat was sent, by the clock of this host, so the time to live that schedulers count ends later.
        """
        return self._stored_at + self.store.find_run_limit(self._settings.ttl_s)

    def mail_results(self, registry: AttemptRegistry, *, at_once: bool = False) -> None:
        """Send a batch of results to the mailboxes of their groups if no scheduler is connected; delete those that were stored."""
        if not registry.results or (self._clock.monotonic() - self._connected_at < MAIL_AFTER_S and not at_once):
            return
        batch = list(registry.results.values())[:MAIL_MAX]
        try:
            self.store.mail_results(self.worker_id, batch)
        except WorkerStoreUnavailable as error:
            events.warning("results_wait_for_store", results=len(registry.results), error=str(error))
            return
        registry.acknowledge([result.attempt_id for result in batch])

    def shut_down(self, registry: AttemptRegistry) -> None:
        """Mail the remaining results, retire this incarnation in the store, and delete its socket and lifeline."""
        before = len(registry.results) + 1
        while registry.results and len(registry.results) < before:
            before = len(registry.results)
            self.mail_results(registry, at_once=True)
        try:
            if self._registered:
                self.store.retire(self.worker_id)
        except WorkerStoreUnavailable as error:
            events.warning("worker_not_retired", worker=self.worker_id, error=str(error))
        else:
            lifeline.remove_lifeline(self.address)
        self._remove_socket()
        self._release_lifeline()

    def _register(self) -> None:
        self.store.register(
            WorkerRecord(
                worker_id=self.worker_id,
                host=self._host,
                address=self.address,
                slots=self._settings.slots,
                beat_at=self._clock.now(),
                lost=False,
            )
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
