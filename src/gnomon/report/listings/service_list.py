"""Every registered process of the services, with its last heartbeat."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant, iso
from gnomon.report.listings.process_health import PROCESSOR_SILENCE_S, read_health
from gnomon.store import Transaction
from gnomon.store.ownership import leases, service_leases
from gnomon.store.trigger_queue import triggerer_leases


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A process that is registered: one that ended normally is not."""

    service: str
    """The name of its command: scheduler, worker, triggerer, dag-processor or monitor."""
    id: str
    host: str
    beat_at: str | None
    alive: bool


def list_services(tx: Transaction, triggerer_beat_s: float) -> list[ServiceRow]:
    """All of them, by service; alive by the database's clock. `triggerer_beat_s`: the time between two heartbeats of a triggerer."""
    now = tx.lease_now()
    rows = [ServiceRow(row.kind, row.id, row.host, row.beat_at, row.alive) for row in read_health(tx).processes]
    rows += [
        ServiceRow("triggerer", row.triggerer_id, row.host, iso(row.beat_at), row.is_alive(now, triggerer_beat_s))
        for row in triggerer_leases.list_triggerers(tx)
        if not row.fenced
    ]
    rows += [
        ServiceRow("dag-processor", row.processor_id, row.host, iso(row.beat_at), _is_recent(row.beat_at, now))
        for row in leases.list_dag_processors(tx)
    ]
    monitor = service_leases.find_lease(tx, service_leases.MONITOR)
    if monitor is not None:
        rows.append(ServiceRow("monitor", monitor.holder, monitor.host, iso(monitor.beat_at), monitor.is_alive(now)))
    return rows


def _is_recent(beat_at: Instant, now: Instant) -> bool:
    return now - beat_at <= PROCESSOR_SILENCE_S * SECOND
