"""Changes of DAGs that any process may make: pausing and unpausing."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.changes.actions.actor import Actor
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.storage.store import Database, notify_on_commit
from gnomon.storage.store.dag_records import dags


def set_dags_paused(actor: Actor, db: Database, dag_ids: Sequence[str], paused: bool) -> None:
    """Pause or unpause these DAGs in one transaction, and wake the services. Raises NameNotFound before any change."""
    with db.read() as tx:
        existing_ids = [row.dag_id for row in dags.list_dags(tx)]
    for dag_id in dag_ids:
        if dag_id not in existing_ids:
            raise dag_not_found(dag_id, existing_ids)
    with db.write() as tx:
        for dag_id in dag_ids:
            dags.set_paused(tx, dag_id, paused, by=actor.by, at=actor.clock.now(), address=actor.address)
        notify_on_commit(tx)
    actor.wake_services()
