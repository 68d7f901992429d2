"""Facts that rules of alerts must know: an owner records them in the transaction of the fact, the monitor reads and deletes them.

The table is a transactional outbox: a fact is stored exactly if the end of the run or the try is, and deleted in the transaction that
stores the alerts which follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon.model.alerts import AlertEvent, AlertFacts
from gnomon.model.instants import Instant
from gnomon.storage.store.transaction import Transaction

_facts_decoder = msgspec.json.Decoder(AlertFacts)


def record_events(tx: Transaction, events: Iterable[AlertEvent]) -> None:
    """Insert facts."""
    tx.send_many(
        "alerts.events",
        [
            (
                event.kind,
                event.at,
                event.dag_pk,
                event.run_pk,
                event.task_no,
                event.map_index,
                msgspec.json.encode(event.facts).decode(),
            )
            for event in events
        ],
    )


def list_pending_events(tx: Transaction, limit: int) -> list[tuple[int, AlertEvent]]:
    """At most `limit` facts that were not applied, each with its key, oldest first."""
    return [
        (row[0], AlertEvent(*(*row[1:7], _facts_decoder.decode(row[7]))))
        for row in tx.all("alerts.pending_events", limit=limit)
    ]


def remove_events(tx: Transaction, event_pks: Iterable[int]) -> None:
    """Delete facts that were applied."""
    tx.send_many("alerts.remove_events", [(event_pk,) for event_pk in event_pks])


def find_oldest_event(tx: Transaction) -> Instant | None:
    """When the oldest fact that was not applied was recorded; None when there is none."""
    row = tx.one("alerts.oldest_event")
    return None if row is None else row[0]
