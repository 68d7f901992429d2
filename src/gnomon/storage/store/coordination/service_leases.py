"""Leases of services of which one process may work at a time: `service_lease`. All instants are by the database's clock."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store.transaction import Transaction

MONITOR = "monitor"
"""The lease of the monitor, which raises and sends alerts and does the nightly clean."""
MONITOR_BEAT_S = 2.0
"""Seconds between two heartbeats of the monitor."""
MONITOR_TTL_S = 10.0
"""A monitor without a heartbeat for so many seconds loses its lease."""


@dataclass(frozen=True, slots=True)
class ServiceLease:
    """Which process holds a lease."""

    holder: str
    host: str
    beat_at: Instant

    def is_alive(self, now: Instant) -> bool:
        """Whether its holder has sent a heartbeat lately."""
        return now - self.beat_at <= MONITOR_TTL_S * SECOND


def claim_lease(tx: Transaction, name: str, holder: str, host: str) -> bool:
    """Take the lease, or send its heartbeat; False while another process that is alive holds it."""
    now, ttl = tx.lease_now(), round(MONITOR_TTL_S * SECOND)
    return (
        tx.run("service_leases.claim", name=name, holder=holder, host=host, now=now, before=now - ttl, after=now + ttl)
        == 1
    )


def find_lease(tx: Transaction, name: str) -> ServiceLease | None:
    """The lease; None while no process holds it."""
    row = tx.one("service_leases.find", name=name)
    return None if row is None else ServiceLease(*row)


def release_lease(tx: Transaction, name: str, holder: str) -> None:
    """Give the lease up, so that another process takes it at once."""
    tx.run("service_leases.release", name=name, holder=holder)
