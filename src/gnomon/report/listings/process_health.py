"""Who is alive: schedulers and workers, by the beats that they leave in the database."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.executors.interface import WORKER_TTL_S
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import WorkerRecord
from gnomon.store import Transaction
from gnomon.store.ownership import leases
from gnomon.store.transaction import LEASE_TTL_S

PROCESSOR_SILENCE_S = 20.0
"""A dag-processor beats every five seconds; one that was silent for so long is dead or stuck."""


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """One scheduler or worker that did not end in good order."""

    kind: str
    id: str
    host: str
    beat_at: str | None
    alive: bool


@dataclass(frozen=True, slots=True)
class ProcessHealth:
    """The processes that the database knows of."""

    processes: list[ProcessRow]

    @property
    def schedulers(self) -> int:
        """How many schedulers are alive."""
        return sum(row.alive for row in self.processes if row.kind == "scheduler")

    @property
    def workers(self) -> int:
        """How many workers are alive."""
        return sum(row.alive for row in self.processes if row.kind == "worker")


def read_health(tx: Transaction) -> ProcessHealth:
    """The state of all processes, judged by the database's clock."""
    now = tx.lease_now()
    found = [
        ProcessRow("scheduler", row.scheduler_id, row.host, iso(row.beat_at), _is_recent(row.beat_at, now, LEASE_TTL_S))
        for row in leases.list_schedulers(tx)
        if not row.fenced
    ]
    found += [
        ProcessRow("worker", row.worker_id, row.host, iso(row.beat_at), _is_recent(row.beat_at, now, WORKER_TTL_S))
        for row in leases.list_workers(tx)
    ]
    return ProcessHealth(found)


def is_scheduler_alive(tx: Transaction) -> bool:
    """Whether a scheduler does now what is asked of it."""
    return read_health(tx).schedulers > 0


def list_live_workers(tx: Transaction) -> list[WorkerRecord]:
    """The workers that can be given tasks."""
    now = tx.lease_now()
    return [worker for worker in leases.list_workers(tx) if _is_recent(worker.beat_at, now, WORKER_TTL_S)]


def _is_recent(beat_at: Instant, now: Instant, silence_s: float) -> bool:
    return now - beat_at <= silence_s * SECOND
