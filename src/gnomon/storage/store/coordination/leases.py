"""Leases: which schedulers, workers, dag-processors and api-servers are alive, and which scheduler owns which groups.

FENCE, TAKE_OVER and SUBMIT in docs/contributing/ownership.md. All instants are by the database's clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import WorkerRecord
from gnomon.storage.store.address import POSTGRESQL
from gnomon.storage.store.transaction import LEASE_TTL_S, Row, Transaction

RETENTION_S = 3600.0
"""Seconds for which services that have ended are still listed."""
API_BEAT_S = 5.0
"""Seconds between two heartbeats of an api-server."""
API_TTL_S = 12.0
"""An api-server without a heartbeat for so many seconds takes no heartbeats of workers. Less than the time to live of a worker: a worker
that is silent because of its api-server is still alive when the api-server is known to be away."""


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
    """A scheduler that ends fences itself and gives up its groups. In this order: one that takes groups over locks first the row of their owner, too."""
    tx.run("leases.fence_scheduler", id=scheduler_id)
    tx.run("leases.release_groups", id=scheduler_id)


def terminate_frozen_sessions(tx: Transaction, ttl_s: float) -> None:
    """On PostgreSQL: terminate sessions whose process has sent nothing inside a transaction for `ttl_s` seconds (TAKE_OVER)."""
    if tx.dialect == POSTGRESQL:
        tx.send("leases.terminate_frozen_sessions", ttl_s=ttl_s)


def lock_silent_schedulers(tx: Transaction, scheduler_id: str, ttl_s: float) -> Instant:
    """On PostgreSQL: lock the rows of this scheduler and of those without a heartbeat for `ttl_s` seconds, in one order. Returns the instant of the last heartbeat that is late enough.

    After a time without a database all schedulers are silent. Each would lock its own row with its heartbeat, and then wait for that of another one.
    """
    before = _subtract_seconds(tx.lease_now(), ttl_s)
    terminate_frozen_sessions(tx, ttl_s)
    if tx.dialect == POSTGRESQL:
        tx.all("leases.lock_silent_schedulers", me=scheduler_id, before=before)
    return before


def fence_silent_schedulers(
    tx: Transaction, scheduler_id: str, ttl_s: float, before: Instant | None = None
) -> list[str]:
    """Fence the other schedulers without a heartbeat for `ttl_s` seconds (TAKE_OVER); returns the ids of those that this call fenced.

    `before`: the answer of `lock_silent_schedulers`, when this transaction sends a heartbeat first.
    """
    if before is None:
        before = _subtract_seconds(tx.lease_now(), ttl_s)
    silent = [row[0] for row in tx.all("leases.silent_schedulers", before=before, me=scheduler_id)]
    return [
        scheduler_id
        for scheduler_id in silent
        if tx.run("leases.fence_silent_scheduler", id=scheduler_id, before=before)
    ]


def find_share(tx: Transaction, scheduler_id: str) -> int:
    """The most groups that this scheduler may own: as many as each other live scheduler, rounded up.

    A scheduler on a host without a worker gets none while there is one on a host with a worker, because its tasks could not run.
    """
    live = {row[0]: bool(row[2]) for row in tx.all("leases.live_schedulers")}
    sharing = [name for name, has_worker in live.items() if has_worker] or list(live)
    return -(-GROUPS // len(sharing)) if scheduler_id in sharing else 0


def claim_share(tx: Transaction, scheduler_id: str, share: int) -> dict[int, int]:
    """Take groups without a live owner (TAKE_OVER) until the scheduler owns `share`; returns all that it owns then, with their epochs."""
    owned = list_owned_groups(tx, scheduler_id)
    room = share - len(owned)
    free = [row[0] for row in tx.all("leases.free_groups")][:room] if room > 0 else []
    return owned | claim_groups(tx, scheduler_id, free) if free else owned


def give_up_groups(tx: Transaction, scheduler_id: str, groups: Iterable[int]) -> None:
    """Give groups up, so that another scheduler can claim them."""
    tx.run("leases.give_up_groups", me=scheduler_id, groups=sorted(groups))


def claim_groups(tx: Transaction, scheduler_id: str, groups: Iterable[int] | None = None) -> dict[int, int]:
    """Take those of the groups (None: all) that have no live owner (TAKE_OVER); returns the new groups with their epochs."""
    before = list_owned_groups(tx, scheduler_id)
    candidates = sorted(set(range(GROUPS) if groups is None else groups) - before.keys())
    if not candidates or not tx.run("leases.claim_groups", me=scheduler_id, groups=candidates):
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
        "leases.add_worker",
        id=worker.worker_id,
        host=worker.host,
        address=worker.address,
        slots=worker.slots,
        now=now,
        queues=None if worker.queues is None else json.dumps(worker.queues),
    )


def find_worker(tx: Transaction, worker_id: str) -> WorkerRecord | None:
    """The worker, lost or not."""
    row = tx.one("leases.worker", id=worker_id)
    return None if row is None else _decode_worker(row)


def beat_worker(tx: Transaction, worker_id: str) -> bool:
    """Write the heartbeat; False when the worker was declared lost and must register again. Also terminates frozen sessions."""
    terminate_frozen_sessions(tx, LEASE_TTL_S)
    return tx.run("leases.beat_worker", id=worker_id, now=tx.lease_now()) == 1


def retire_worker(tx: Transaction, worker_id: str) -> None:
    """A worker that ends and has no attempts declares itself lost."""
    tx.run("leases.retire_worker", id=worker_id)


def mark_silent_workers_lost(tx: Transaction, ttl_s: float) -> list[str]:
    """Declare workers without a heartbeat for `ttl_s` seconds lost (SUBMIT); returns the ids of those that this call declared lost.

    The time in which no api-server was alive does not count against workers of the execution API, whose heartbeats come through api-servers.
    """
    now = tx.lease_now()
    before, api_before = _subtract_seconds(now, ttl_s), _subtract_seconds(now, API_TTL_S)
    silent = _list_silent_workers(tx, before, api_before)
    return [
        worker_id
        for worker_id in silent
        if tx.run("leases.mark_worker_lost", id=worker_id, before=before, api_before=api_before)
    ]


def has_silent_worker(tx: Transaction, ttl_s: float) -> bool:
    """Whether `mark_silent_workers_lost` would declare a worker lost."""
    now = tx.lease_now()
    return bool(_list_silent_workers(tx, _subtract_seconds(now, ttl_s), _subtract_seconds(now, API_TTL_S)))


def _list_silent_workers(tx: Transaction, before: Instant, api_before: Instant) -> list[str]:
    return [row[0] for row in tx.all("leases.silent_workers", before=before, api_before=api_before)]


def list_workers(tx: Transaction, live_only: bool = True) -> list[WorkerRecord]:
    """The workers that are not lost, or all stored workers."""
    return [_decode_worker(row) for row in tx.all("leases.live_workers" if live_only else "leases.workers")]


def _decode_worker(row: Row) -> WorkerRecord:
    return WorkerRecord(
        row[0], row[1], row[2], row[3], row[4], bool(row[5]), None if row[6] is None else tuple(json.loads(row[6]))
    )


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


@dataclass(frozen=True, slots=True)
class ApiServerLease:
    """One api-server process. Its row is deleted when it ends normally."""

    server_id: str
    host: str
    up_since: Instant
    """Since when its heartbeats have come without a gap of API_TTL_S."""
    beat_at: Instant

    def is_alive(self, now: Instant) -> bool:
        """Whether it has sent a heartbeat lately."""
        return now - self.beat_at <= API_TTL_S * SECOND


def beat_api_server(tx: Transaction, server_id: str, host: str) -> None:
    """Write the heartbeat. Deletes api-servers without one for RETENTION_S."""
    now = tx.lease_now()
    tx.run("leases.remove_old_api_servers", before=_subtract_seconds(now, RETENTION_S))
    tx.run("leases.beat_api_server", id=server_id, host=host, now=now, before=_subtract_seconds(now, API_TTL_S))


def retire_api_server(tx: Transaction, server_id: str) -> None:
    """Delete the row of an api-server that ends."""
    tx.run("leases.retire_api_server", id=server_id)


def list_api_servers(tx: Transaction) -> list[ApiServerLease]:
    """All stored api-servers, the newest heartbeat first."""
    return [ApiServerLease(row[0], row[1], row[2], row[3]) for row in tx.all("leases.api_servers")]
