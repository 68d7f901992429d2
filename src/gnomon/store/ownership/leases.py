"""Who is alive and who owns which groups: OWNERSHIP.md lines 1, 2, 7 to 13 and 18. All by the database's clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import WorkerRecord
from gnomon.store.drivers.address import POSTGRESQL
from gnomon.store.transaction import LEASE_TTL_S, Row, Transaction

RETENTION_S = 3600.0
"""Schedulers and workers that are gone are still listed for so long."""


@dataclass(frozen=True, slots=True)
class SchedulerLease:
    """One scheduler process."""

    scheduler_id: str
    host: str
    started_at: Instant
    beat_at: Instant
    fenced: bool


def register_scheduler(tx: Transaction, scheduler_id: str, host: str) -> None:
    """The process start is known and alive; it owns nothing yet. Those gone for an hour are forgotten."""
    now = tx.lease_now()
    tx.run("leases.forget_schedulers", before=_subtract_seconds(now, RETENTION_S))
    tx.run("leases.add_scheduler", id=scheduler_id, host=host, now=now)


def beat_scheduler(tx: Transaction, scheduler_id: str) -> bool:
    """The scheduler is alive; False when it was fenced. Nobody frozen holds a lock for long."""
    terminate_frozen_sessions(tx, LEASE_TTL_S)
    return tx.run("leases.beat_scheduler", id=scheduler_id, now=tx.lease_now()) == 1


def retire_scheduler(tx: Transaction, scheduler_id: str) -> None:
    """The scheduler ends in good order: it owns nothing and can never write again."""
    tx.run("leases.release_groups", id=scheduler_id)
    tx.run("leases.fence_scheduler", id=scheduler_id)


def terminate_frozen_sessions(tx: Transaction, ttl_s: float) -> None:
    """On PostgreSQL: sessions whose process has stopped in the middle of sending for `ttl_s` are over (line 11)."""
    if tx.dialect == POSTGRESQL:
        tx.send("leases.end_frozen", ttl_s=ttl_s)


def fence_silent_schedulers(tx: Transaction, me: str, ttl_s: float) -> list[str]:
    """Schedulers without a beat for `ttl_s` are fenced (line 9); returns those that this call fenced."""
    before = _subtract_seconds(tx.lease_now(), ttl_s)
    silent = [row[0] for row in tx.all("leases.silent_schedulers", before=before, me=me)]
    return [dead for dead in silent if tx.run("leases.fence_silent", id=dead, before=before)]


def claim_groups(tx: Transaction, me: str, groups: Iterable[int] | None = None) -> dict[int, int]:
    """Of these groups (all), those without a live owner are mine; returns what was gained, with the new epochs (line 10)."""
    before = list_owned_groups(tx, me)
    wanted = sorted(set(range(GROUPS) if groups is None else groups) - before.keys())
    if not wanted or not tx.run("leases.claim_groups", me=me, groups=wanted):
        return {}
    return {group: epoch for group, epoch in list_owned_groups(tx, me).items() if group not in before}


def transfer_group(tx: Transaction, me: str, group: int, other: str) -> bool:
    """The group is another's, at a higher epoch (line 13); False when it was not mine."""
    return tx.run("leases.give_group", me=me, group_no=group, other=other) == 1


def list_owned_groups(tx: Transaction, me: str) -> dict[int, int]:
    """The groups that a scheduler owns, with their epochs."""
    return {row[0]: row[1] for row in tx.all("leases.owned_groups", me=me)}


def list_schedulers(tx: Transaction) -> list[SchedulerLease]:
    """All schedulers that are known, newest first."""
    return [SchedulerLease(row[0], row[1], row[2], row[3], bool(row[4])) for row in tx.all("leases.schedulers")]


def register_worker(tx: Transaction, worker: WorkerRecord) -> None:
    """The process start is known and alive (its `beat_at` is now). Those gone for an hour are forgotten."""
    now = tx.lease_now()
    tx.run("leases.forget_workers", before=_subtract_seconds(now, RETENTION_S))
    tx.run(
        "leases.add_worker", id=worker.worker_id, host=worker.host, address=worker.address, slots=worker.slots, now=now
    )


def beat_worker(tx: Transaction, worker_id: str) -> bool:
    """The worker is alive; False when it was declared lost and must start anew. Nobody frozen holds a lock for long."""
    terminate_frozen_sessions(tx, LEASE_TTL_S)
    return tx.run("leases.beat_worker", id=worker_id, now=tx.lease_now()) == 1


def retire_worker(tx: Transaction, worker_id: str) -> None:
    """The worker ended in good order and holds nothing any more."""
    tx.run("leases.retire_worker", id=worker_id)


def mark_silent_workers_lost(tx: Transaction, ttl_s: float) -> list[str]:
    """Workers without a beat for `ttl_s` are lost (line 18); returns those that this call declared lost."""
    before = _subtract_seconds(tx.lease_now(), ttl_s)
    return [lost for lost in _list_silent_workers(tx, before) if tx.run("leases.lose_worker", id=lost, before=before)]


def has_silent_worker(tx: Transaction, ttl_s: float) -> bool:
    """Whether there is anything for `mark_silent_workers_lost` to do."""
    return bool(_list_silent_workers(tx, _subtract_seconds(tx.lease_now(), ttl_s)))


def _list_silent_workers(tx: Transaction, before: Instant) -> list[str]:
    return [row[0] for row in tx.all("leases.silent_workers", before=before)]


def list_workers(tx: Transaction, live_only: bool = True) -> list[WorkerRecord]:
    """The workers that are not lost, or all that are known."""
    return [_decode_worker(row) for row in tx.all("leases.live_workers" if live_only else "leases.workers")]


def _decode_worker(row: Row) -> WorkerRecord:
    return WorkerRecord(row[0], row[1], row[2], row[3], row[4], bool(row[5]))


def _subtract_seconds(now: Instant, span_s: float) -> Instant:
    return now - round(span_s * SECOND)


@dataclass(frozen=True, slots=True)
class DagProcessorLease:
    """One dag-processor that did not end in good order."""

    processor_id: str
    host: str
    beat_at: Instant


def beat_dag_processor(tx: Transaction, processor_id: str, host: str) -> None:
    """The dag-processor is alive. Those that have been silent for an hour are forgotten."""
    now = tx.lease_now()
    tx.run("processors.forget", before=now - round(RETENTION_S * SECOND))
    tx.run("processors.beat", id=processor_id, host=host, now=now)


def retire_dag_processor(tx: Transaction, processor_id: str) -> None:
    """The dag-processor ended in good order."""
    tx.run("processors.retire", id=processor_id)


def list_dag_processors(tx: Transaction) -> list[DagProcessorLease]:
    """All that are known, the last heard of first."""
    return [DagProcessorLease(row[0], row[1], row[2]) for row in tx.all("processors.all")]
