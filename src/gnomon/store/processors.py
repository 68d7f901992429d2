"""Which dag-processors are alive, by the beats that they leave. By the database's clock, as all leases."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant
from gnomon.store.leases import REMEMBER_S
from gnomon.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ProcessorRow:
    """One dag-processor that did not end in good order."""

    processor_id: str
    host: str
    beat_at: Instant


def beat(tx: Transaction, processor_id: str, host: str) -> None:
    """The dag-processor is alive. Those that have been silent for an hour are forgotten."""
    now = tx.lease_now()
    tx.run("processors.forget", before=now - round(REMEMBER_S * SECOND))
    tx.run("processors.beat", id=processor_id, host=host, now=now)


def retire(tx: Transaction, processor_id: str) -> None:
    """The dag-processor ended in good order."""
    tx.run("processors.retire", id=processor_id)


def known(tx: Transaction) -> list[ProcessorRow]:
    """All that are known, the last heard of first."""
    return [ProcessorRow(row[0], row[1], row[2]) for row in tx.all("processors.all")]
