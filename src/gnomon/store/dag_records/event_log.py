"""The audit log."""

from __future__ import annotations

from gnomon.model.records import EventRecord
from gnomon.store.transaction import Transaction

EVENTS_MAX = 1000


def log_event(tx: Transaction, event: EventRecord) -> None:
    """The line is in the log."""
    tx.send_many(
        "commit.event",
        [(event.at, event.kind, event.dag_pk, event.run_pk, event.task_no, event.map_index, event.by, event.body)],
    )


def list_skipped_slots(tx: Transaction, dag_pk: int, limit: int = EVENTS_MAX) -> list[EventRecord]:
    """Slots of a DAG that no run was made for, the newest decision first: kinds `slots_passed` and `slot_held`."""
    return [EventRecord(*row) for row in tx.all("events.passed", dag_pk=dag_pk, most=limit)]


def list_events(
    tx: Transaction, *, dag_pk: int | None = None, run_pk: int | None = None, limit: int = EVENTS_MAX
) -> list[EventRecord]:
    """The newest lines first: of a run, of a DAG, or all."""
    if run_pk is not None:
        rows = tx.all("events.of_run", run_pk=run_pk, most=limit)
    elif dag_pk is not None:
        rows = tx.all("events.of_dag", dag_pk=dag_pk, most=limit)
    else:
        rows = tx.all("events.list", most=limit)
    return [EventRecord(*row) for row in rows]
