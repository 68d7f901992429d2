"""A worker that runs nothing: it answers each attempt at once with success. `python -m bench.scripted_worker DATABASE SOCKET SLOTS`, until SIGTERM.

It speaks the protocol of a local worker and sends heartbeats, so that schedulers are measured without the cost of task processes.
"""

from __future__ import annotations

import selectors
import signal
import sys
import time
import uuid

from gnomon.author_code.processes import lifeline
from gnomon.ground.clock import SystemClock
from gnomon.ground.config.host_name import current_host_name
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.worker_protocol import (
    AcknowledgeResults,
    Hello,
    Inventory,
    RequestInventory,
    SubmitAttempts,
    ToWorker,
)
from gnomon.services.worker.attempt_registry import AttemptRegistry
from gnomon.services.worker.scheduler_connections import SchedulerConnection, SchedulerConnections
from gnomon.storage.store import open_database
from gnomon.storage.store.coordination import leases

BEAT_S = 1.0


class AnsweringWorker:
    """Accepts attempts of every scheduler and ends them in the same turn."""

    def __init__(self, address: str, slots: int) -> None:
        self.worker_id = str(uuid.uuid4())
        self._slots = slots
        self._clock = SystemClock()
        self._registry = AttemptRegistry()
        self._selector = selectors.DefaultSelector()
        self._schedulers = SchedulerConnections(address, self._selector, self._on_message, self._clock)

    def run_once(self, timeout_s: float) -> None:
        for key, mask in self._selector.select(timeout_s):
            key.data(mask)
        while (pending := self._registry.take_next_queued()) is not None:
            result = self._answer(pending.attempt)
            self._registry.end(pending, result)
            self._schedulers.on_ended(result)
        self._schedulers.flush()

    def _answer(self, attempt: Attempt) -> AttemptResult:
        now = self._clock.now()
        return AttemptResult(
            attempt_id=attempt.attempt_id,
            group_no=attempt.group_no,
            run_pk=attempt.run.run_pk,
            task_no=attempt.task_no,
            map_index=attempt.map_index,
            outcome="success",
            started_at=now,
            ended_at=now,
            exit_code=0,
        )

    def _on_message(self, connection: SchedulerConnection, message: ToWorker) -> None:
        match message:
            case Hello():
                self._schedulers.welcome(
                    connection, message, self.worker_id, self._slots, tuple(self._registry.results.values())
                )
            case SubmitAttempts(attempts=attempts):
                known, _ = self._registry.submit(attempts)
                for result in known:
                    self._schedulers.on_ended(result)
            case AcknowledgeResults(attempt_ids=attempt_ids):
                self._registry.acknowledge(attempt_ids)
            case RequestInventory(groups=groups):
                accepted = tuple(group for group, epoch in groups if self._registry.raise_epoch(group, epoch))
                running, results = self._registry.inventory(accepted)
                connection.stream.put(
                    Inventory(worker_id=self.worker_id, groups=accepted, running=running, results=results)
                )


def main(url: str, address: str, slots: int) -> None:
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
    lifeline.hold_lifeline(address)
    db = open_database(url, role="worker")
    worker = AnsweringWorker(address, slots)
    with db.write() as tx:
        leases.register_worker(tx, WorkerRecord(worker.worker_id, current_host_name(), address, slots, 0, False))
    beat_at = time.monotonic() + BEAT_S
    while not stopping:
        worker.run_once(max(0.0, beat_at - time.monotonic()))
        if time.monotonic() >= beat_at:
            with db.write() as tx:
                leases.beat_worker(tx, worker.worker_id)
            beat_at = time.monotonic() + BEAT_S
    with db.write() as tx:
        leases.retire_worker(tx, worker.worker_id)
    db.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
