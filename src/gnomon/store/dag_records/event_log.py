"""The audit log: what people and services did, newest first."""

from __future__ import annotations

from gnomon.model.records import EventRecord
from gnomon.store.transaction import Transaction

EVENTS_MAX = 1000


def log_event(tx: Transaction, event: EventRecord) -> None:
    """Insert a row."""
    tx.send_many(
        "commit.events",
        [(event.at, event.kind, event.dag_pk, event.run_pk, event.task_no, event.map_index, event.by, event.body)],
    )


def list_skipped_slots(tx: Transaction, dag_pk: int, limit: int = EVENTS_MAX) -> list[EventRecord]:
    """The rows about slots of a DAG without a planned run, newest first: kinds `slots_passed` and `slot_held`."""
    return [EventRecord(*row) for row in tx.all("event_log.skipped_slots", dag_pk=dag_pk, limit=limit)]


def list_events(
    tx: Transaction, *, dag_pk: int | None = None, run_pk: int | None = None, limit: int = EVENTS_MAX
) -> list[EventRecord]:
    """The newest `limit` rows, newest first: of a run, of a DAG, or all."""
    if run_pk is not None:
        rows = tx.all("event_log.of_run", run_pk=run_pk, limit=limit)
    elif dag_pk is not None:
        rows = tx.all("event_log.of_dag", dag_pk=dag_pk, limit=limit)
    else:
        rows = tx.all("event_log.list", limit=limit)
    return [EventRecord(*row) for row in rows]
