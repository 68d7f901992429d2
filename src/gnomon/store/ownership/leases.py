"""Leases: which schedulers, workers and dag-processors are alive, and which scheduler owns which groups.

FENCE, TAKE_OVER and SUBMIT in docs/discussions/ownership.md. All instants are by the database's clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import WorkerRecord
from gnomon.store.drivers.address import POSTGRESQL
from gnomon.store.transaction import LEASE_TTL_S, Row, Transaction

RETENTION_S = 3600.0
"""Seconds for which services that have ended are still listed."""


@dataclass(frozen=True, slots=True)
class SchedulerLease:
    """One scheduler process."""

    scheduler_id: str
    host: str
    started_at: Instant
    beat_at: Instant
    fenced: bool


def register_scheduler(tx: Transaction, scheduler_id: str, host: str) -> None:
    """Insert the process start, which owns no group yet. Deletes schedulers that ended more than RETENTION_S ago."""
    now = tx.lease_now()
    tx.run("leases.remove_old_schedulers", before=_subtract_seconds(now, RETENTION_S))
    tx.run("leases.add_scheduler", id=scheduler_id, host=host, now=now)


def beat_scheduler(tx: Transaction, scheduler_id: str) -> bool:
    """Write the heartbeat; False when the scheduler is fenced. Also terminates frozen sessions, so that no lock is held for long."""
    terminate_frozen_sessions(tx, LEASE_TTL_S)
    return tx.run("leases.beat_scheduler", id=scheduler_id, now=tx.lease_now()) == 1


def retire_scheduler(tx: Transaction, scheduler_id: str) -> None:
    """A scheduler that ends gives up its groups and fences itself."""
    tx.run("leases.release_groups", id=scheduler_id)
    tx.run("leases.fence_scheduler", id=scheduler_id)


def terminate_frozen_sessions(tx: Transaction, ttl_s: float) -> None:
    """On PostgreSQL: terminate sessions whose process has sent nothing inside a transaction for `ttl_s` seconds (TAKE_OVER)."""
    if tx.dialect == POSTGRESQL:
        tx.send("leases.terminate_frozen_sessions", ttl_s=ttl_s)


def fence_silent_schedulers(tx: Transaction, scheduler_id: str, ttl_s: float) -> list[str]:
    """Fence the other schedulers without a heartbeat for `ttl_s` seconds (TAKE_OVER); returns the ids of those that this call fenced."""
    before = _subtract_seconds(tx.lease_now(), ttl_s)
    silent = [row[0] for row in tx.all("leases.silent_schedulers", before=before, me=scheduler_id)]
    return [scheduler_id for scheduler_id in silent if tx.run("leases.fence_silent_scheduler", id=scheduler_id, before=before)]


def claim_groups(tx: Transaction, scheduler_id: str, groups: Iterable[int] | None = None) -> dict[int, int]:
    """Take those of the groups (None: all) that have no live owner (TAKE_OVER); returns the new groups with their epochs."""
    before = list_owned_groups(tx, scheduler_id)
    wanted = sorted(set(range(GROUPS) if groups is None else groups) - before.keys())
    if not wanted or not tx.run("leases.claim_groups", me=scheduler_id, groups=wanted):
        return {}
    return {group: epoch for group, epoch in list_owned_groups(tx, scheduler_id).items() if group not in before}


def transfer_group(tx: Transaction, scheduler_id: str, group: int, other: str) -> bool:
    """Give a group to another scheduler, at a higher epoch (TAKE_OVER); False when `scheduler_id` does not own it."""
    return tx.run("leases.transfer_group", me=scheduler_id, group_no=group, other=other) == 1


def list_owned_groups(tx: Transaction, scheduler_id: str) -> dict[int, int]:
    """The groups that a scheduler owns, with their epochs."""
    return {row[0]: row[1] for row in tx.all("leases.owned_groups", me=scheduler_id)}


def list_schedulers(tx: Transaction) -> list[SchedulerLease]:
    """All stored schedulers, newest first."""
    return [SchedulerLease(row[0], row[1], row[2], row[3], bool(row[4])) for row in tx.all("leases.schedulers")]


def register_worker(tx: Transaction, worker: WorkerRecord) -> None:
    """Insert the process start with the present as `beat_at`. Deletes workers that were lost more than RETENTION_S ago."""
    now = tx.lease_now()
    tx.run("leases.remove_old_workers", before=_subtract_seconds(now, RETENTION_S))
    tx.run(
        "leases.add_worker", id=worker.worker_id, host=worker.host, address=worker.address, slots=worker.slots, now=now
    )


def beat_worker(tx: Transaction, worker_id: str) -> bool:
    """Write the heartbeat; False when the worker was declared lost and must register again. Also terminates frozen sessions."""
    terminate_frozen_sessions(tx, LEASE_TTL_S)
    return tx.run("leases.beat_worker", id=worker_id, now=tx.lease_now()) == 1


def retire_worker(tx: Transaction, worker_id: str) -> None:
    """A worker that ends and has no attempts declares itself lost."""
    tx.run("leases.retire_worker", id=worker_id)


def mark_silent_workers_lost(tx: Transaction, ttl_s: float) -> list[str]:
    """Declare workers without a heartbeat for `ttl_s` seconds lost (SUBMIT); returns the ids of those that this call declared lost."""
    before = _subtract_seconds(tx.lease_now(), ttl_s)
    return [worker_id for worker_id in _list_silent_workers(tx, before) if tx.run("leases.mark_worker_lost", id=worker_id, before=before)]


def has_silent_worker(tx: Transaction, ttl_s: float) -> bool:
    """Whether `mark_silent_workers_lost` would declare a worker lost."""
    return bool(_list_silent_workers(tx, _subtract_seconds(tx.lease_now(), ttl_s)))


def _list_silent_workers(tx: Transaction, before: Instant) -> list[str]:
    return [row[0] for row in tx.all("leases.silent_workers", before=before)]


def list_workers(tx: Transaction, live_only: bool = True) -> list[WorkerRecord]:
    """The workers that are not lost, or all stored workers."""
    return [_decode_worker(row) for row in tx.all("leases.live_workers" if live_only else "leases.workers")]


def _decode_worker(row: Row) -> WorkerRecord:
    return WorkerRecord(row[0], row[1], row[2], row[3], row[4], bool(row[5]))


def _subtract_seconds(now: Instant, span_s: float) -> Instant:
    return now - round(span_s * SECOND)


@dataclass(frozen=True, slots=True)
class DagProcessorLease:
    """One dag-processor process. Its row is deleted when it ends normally."""

    processor_id: str
    host: str
    beat_at: Instant


def beat_dag_processor(tx: Transaction, processor_id: str, host: str) -> None:
    """Write the heartbeat. Deletes dag-processors without one for RETENTION_S."""
    now = tx.lease_now()
    tx.run("leases.remove_old_dag_processors", before=_subtract_seconds(now, RETENTION_S))
    tx.run("leases.beat_dag_processor", id=processor_id, host=host, now=now)


def retire_dag_processor(tx: Transaction, processor_id: str) -> None:
    """Delete the row of a dag-processor that ends."""
    tx.run("leases.retire_dag_processor", id=processor_id)


def list_dag_processors(tx: Transaction) -> list[DagProcessorLease]:
    """All stored dag-processors, the newest heartbeat first."""
    return [DagProcessorLease(row[0], row[1], row[2]) for row in tx.all("leases.dag_processors")]
