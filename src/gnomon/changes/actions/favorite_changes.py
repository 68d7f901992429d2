"""Marking DAGs as favourites of an account."""

from __future__ import annotations

from gnomon.changes.actions.actor import Actor
from gnomon.model.records import EventRecord
from gnomon.storage.store import Database
from gnomon.storage.store.accounts import favorite_dags
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.dag_records.dags import StoredDag


def mark_favorite(actor: Actor, db: Database, account: str, dag: StoredDag) -> None:
    """Mark the DAG as a favourite of the account with that name."""
    with db.write() as tx:
        if favorite_dags.add_favorite(tx, account, dag.dag_pk, actor.clock.now()):
            event_log.log_event(
                tx,
                EventRecord(actor.clock.now(), "favorite_added", dag_pk=dag.dag_pk, by=actor.by, address=actor.address),
            )


def unmark_favorite(actor: Actor, db: Database, account: str, dag: StoredDag) -> bool:
    """Undo the mark; False when there is none."""
    with db.write() as tx:
        if not favorite_dags.remove_favorite(tx, account, dag.dag_pk):
            return False
        event_log.log_event(
            tx,
            EventRecord(actor.clock.now(), "favorite_removed", dag_pk=dag.dag_pk, by=actor.by, address=actor.address),
        )
    return True
