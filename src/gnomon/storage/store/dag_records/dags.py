"""DAGs as every process may read them, and pausing (REQUEST in docs/contributing/ownership.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gnomon.model.change_entries import DagChange
from gnomon.model.instants import Instant
from gnomon.model.records import EventRecord, NewMail
from gnomon.model.sentences import Command, say
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.errors import NotFound
from gnomon.storage.store.transaction import Row, Transaction, notify_on_commit


@dataclass(frozen=True, slots=True)
class StoredDag:
    """One DAG without its spec."""

    dag_pk: int
    dag_id: str
    group_no: int
    paused: bool
    active: bool
    version_pk: int
    file: str
    error: str | None


def find_dag_row(tx: Transaction, dag_id: str) -> StoredDag | None:
    """The DAG; None when it does not exist."""
    row = tx.one("dags.find", dag_id=dag_id)
    return None if row is None else _decode(row)


def list_dags(tx: Transaction) -> list[StoredDag]:
    """All DAGs by id, also those that no file defines any more."""
    return [_decode(row) for row in tx.all("dags.list")]


def set_paused(tx: Transaction, dag_id: str, paused: bool, by: str, at: Instant, address: str | None = None) -> bool:
    """Pause or unpause a DAG; a plan that was prepared before cannot be committed. Returns False when nothing changed.

    Raises NotFound for an unknown DAG.
    """
    dag = find_dag_row(tx, dag_id)
    if dag is None:
        raise NotFound(say("dag_of_name_does_not_exist", dag=dag_id, command=Command("dags list")))
    if not tx.run("dags.set_paused", dag_pk=dag.dag_pk, paused=paused, at=at):
        return False
    record_change(tx, DagChange(dag.dag_pk, "paused" if paused else "unpaused", dag_id))
    event_log.log_event(
        tx, EventRecord(at, "dag_paused" if paused else "dag_unpaused", dag_pk=dag.dag_pk, by=by, address=address)
    )
    mailbox.send_messages(tx, [dag_changed_message(dag.group_no, dag.dag_pk, at)])
    notify_on_commit(tx)
    return True


def dag_changed_message(group_no: int, dag_pk: int, at: Instant | None) -> NewMail:
    """The message after which the owner reads the DAG again."""
    return NewMail(group_no, "dag_changed", json.dumps({"dag_pk": dag_pk}), at=at)


def _decode(row: Row) -> StoredDag:
    return StoredDag(row[0], row[1], row[2], bool(row[3]), bool(row[4]), row[5], row[6], row[7])
