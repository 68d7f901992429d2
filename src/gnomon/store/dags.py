"""DAGs as everybody may see them, and pausing."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.records import EventRecord, NewMail
from gnomon.store import events, mail
from gnomon.store.errors import NotFound
from gnomon.store.transaction import Row, Transaction, wake


@dataclass(frozen=True, slots=True)
class DagRow:
    """One DAG without its spec."""

    dag_pk: int
    dag_id: str
    group_no: int
    paused: bool
    active: bool
    version_pk: int
    file: str
    error: str | None


def find(tx: Transaction, dag_id: str) -> DagRow | None:
    """The DAG, None when there is none."""
    row = tx.one("dags.find", dag_id=dag_id)
    return None if row is None else _row(row)


def list_dags(tx: Transaction) -> list[DagRow]:
    """All DAGs by id, those that are in no file any more too."""
    return [_row(row) for row in tx.all("dags.list")]


def set_paused(tx: Transaction, dag_id: str, paused: bool, by: str, at: Instant) -> bool:
    """The DAG is paused, or not; nothing is planned for a paused one once this is stored. False: it was so already.

    NotFound when there is no such DAG.
    """
    dag = find(tx, dag_id)
    if dag is None:
        raise NotFound(f"there is no DAG {dag_id!r}; `gnomon dags list` shows what there is")
    if not tx.run("dags.set_paused", dag_pk=dag.dag_pk, paused=paused, at=at):
        return False
    events.log(tx, EventRecord(at, "dag_paused" if paused else "dag_unpaused", dag_pk=dag.dag_pk, by=by))
    mail.send(tx, [changed(dag.group_no, dag.dag_pk, at)])
    wake(tx)
    return True


def changed(group_no: int, dag_pk: int, at: Instant | None) -> NewMail:
    """The letter that lets the owner read a DAG again."""
    return NewMail(group_no, "dag_changed", json.dumps({"dag_pk": dag_pk}), at=at)


def _row(row: Row) -> DagRow:
    return DagRow(row[0], row[1], row[2], bool(row[3]), bool(row[4]), row[5], row[6], row[7])
