"""Which schedulers and workers are alive, by their heartbeats in the database."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.executors import WORKER_TTL_S
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import WorkerRecord
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.transaction import LEASE_TTL_S
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases

PROCESSOR_SILENCE_S = 20.0
"""A DAG processor sends a heartbeat every five seconds; without one for so long it is dead or stuck."""


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """A scheduler or worker that is registered: a process that ended normally is not."""

    kind: str
    id: str
    host: str
    beat_at: str | None
    alive: bool


@dataclass(frozen=True, slots=True)
class ProcessHealth:
    """All registered schedulers and workers."""

    processes: list[ProcessRow]

    @property
    def schedulers(self) -> int:
        """Number of schedulers that are alive."""
        return sum(row.alive for row in self.processes if row.kind == "scheduler")

    @property
    def workers(self) -> int:
        """Number of workers that are alive."""
        return sum(row.alive for row in self.processes if row.kind == "worker")


def read_health(tx: Transaction) -> ProcessHealth:
    """All registered processes; whether they are alive is judged by the database's clock."""
    now = tx.lease_now()
    processes = [
        ProcessRow("scheduler", row.scheduler_id, row.host, iso(row.beat_at), _is_recent(row.beat_at, now, LEASE_TTL_S))
        for row in leases.list_schedulers(tx)
        if not row.fenced
    ]
    processes += [
        ProcessRow("worker", row.worker_id, row.host, iso(row.beat_at), _is_recent(row.beat_at, now, WORKER_TTL_S))
        for row in leases.list_workers(tx)
    ]
    return ProcessHealth(processes)


def is_scheduler_alive(tx: Transaction) -> bool:
    """Whether at least one scheduler is alive, so that requests are answered."""
    return read_health(tx).schedulers > 0


def list_live_workers(tx: Transaction) -> list[WorkerRecord]:
    """The workers that are alive."""
    now = tx.lease_now()
    return [worker for worker in leases.list_workers(tx) if _is_recent(worker.beat_at, now, WORKER_TTL_S)]


def list_silent_services(tx: Transaction) -> list[str]:
    """The services of which no process is alive, by the names of their commands; the triggerer only where a deferred task waits for one."""
    health = read_health(tx)
    now = tx.lease_now()
    silent = [name for name, alive in (("scheduler", health.schedulers), ("worker", health.workers)) if not alive]
    if not any(_is_recent(row.beat_at, now, PROCESSOR_SILENCE_S) for row in leases.list_dag_processors(tx)):
        silent.append("dag-processor")
    triggerers = [
        row
        for row in triggerer_leases.list_triggerers(tx)
        if not row.fenced and _is_recent(row.beat_at, now, PROCESSOR_SILENCE_S)
    ]
    if not triggerers and trigger_claims.count_unclaimed_triggers(tx):
        silent.append("triggerer")
    return silent


def _is_recent(beat_at: Instant, now: Instant, silence_s: float) -> bool:
    return now - beat_at <= silence_s * SECOND
