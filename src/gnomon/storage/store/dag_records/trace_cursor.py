"""How far traces are exported: the end of the last run whose trace a collector has taken."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.storage.store.dag_records.run_listing import NamedRun
from gnomon.storage.store.record_codec import decode_run
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True, order=True)
class TraceCursor:
    """A position in the order of the ends of all runs."""

    ended_at: Instant
    run_pk: int = 0


def read_cursor(tx: Transaction) -> TraceCursor | None:
    """The position; None when nothing was ever exported."""
    row = tx.one("trace_cursor.read")
    return None if row is None else TraceCursor(row[0], row[1])


def put_cursor(tx: Transaction, cursor: TraceCursor) -> None:
    """Store the position."""
    tx.run("trace_cursor.put", ended_at=cursor.ended_at, run_pk=cursor.run_pk)


def list_ended_after(tx: Transaction, cursor: TraceCursor, until: Instant, limit: int) -> list[NamedRun]:
    """Runs that ended after the position and until an instant, in the order of their ends."""
    rows = tx.all("trace_cursor.ended_runs", ended_at=cursor.ended_at, run_pk=cursor.run_pk, until=until, limit=limit)
    return [NamedRun(row[-1], decode_run(row[:-1])) for row in rows]
