"""The audit log: what people and services did, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.instants import Instant
from gnomon.model.records import EventRecord
from gnomon.storage.store.transaction import Transaction

EVENTS_MAX = 1000


def log_event(tx: Transaction, event: EventRecord) -> None:
    """Insert a row."""
    log_events(tx, [event])


def log_events(tx: Transaction, events: Iterable[EventRecord]) -> None:
    """Insert rows. No text of a user or an author brings the password of an address into the log."""
    tx.send_many(
        "commit.events",
        [
            (
                event.at,
                event.kind,
                event.dag_pk,
                event.run_pk,
                event.task_no,
                event.map_index,
                event.by,
                hide_uri_passwords(event.body),
                event.address,
            )
            for event in events
        ],
    )


def list_skipped_slots(tx: Transaction, dag_pk: int, limit: int = EVENTS_MAX) -> list[EventRecord]:
    """The rows about slots of a DAG without a planned run, newest first: kinds `slots_passed` and `slot_held`."""
    return [EventRecord(*row) for row in tx.all("event_log.skipped_slots", dag_pk=dag_pk, limit=limit)]


def list_deleted_runs(tx: Transaction, dag_pk: int, limit: int = EVENTS_MAX) -> list[EventRecord]:
    """The rows about runs of a DAG that users deleted, newest first."""
    return [EventRecord(*row) for row in tx.all("event_log.deleted_runs", dag_pk=dag_pk, limit=limit)]


def find_creator(tx: Transaction, run_pk: int) -> str | None:
    """What made the run, for example `api:ann`; None when no row says so."""
    row = tx.one("event_log.creator", run_pk=run_pk)
    return None if row is None else row[0]


PAUSES_LOOKED_AT_MAX = 50_000
"""Rows of the audit log of a DAG among which its pauses are searched, newest first."""


@dataclass(frozen=True, slots=True)
class PauseSpan:
    """A time in which a DAG was paused; `until` is None while it is, and `since` None for a pause that began before the rows that were read."""

    since: Instant | None
    until: Instant | None
    by: str


def list_pauses(tx: Transaction, dag_pk: int, limit: int = EVENTS_MAX) -> list[PauseSpan]:
    """The pauses of a DAG, newest first, as its newest rows of the audit log tell them."""
    pauses: list[PauseSpan] = []
    until: Instant | None = None
    is_open = False
    for at, kind, by in tx.all("event_log.pauses", dag_pk=dag_pk, looked_at=PAUSES_LOOKED_AT_MAX, limit=limit):
        if kind == "dag_unpaused":
            until, is_open = at, True
        elif is_open or not pauses:
            pauses.append(PauseSpan(at, until, by))
            is_open = False
    if is_open:
        pauses.append(PauseSpan(None, until, ""))
    return pauses


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
