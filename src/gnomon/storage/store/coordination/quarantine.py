"""Messages that could not be read or applied, and DAGs and groups that are set aside: the table `quarantine`."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.quarantine import REASON_MAX, QuarantinedItem, dag_key, group_key
from gnomon.model.records import NewMail
from gnomon.model.sentences import Command, say
from gnomon.model.storable_text import escape_unstorable
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.errors import NotFound
from gnomon.storage.store.transaction import Row, Transaction, notify_on_commit

SHOWN_MAX = 20
"""Rows about one DAG that `list_about_dag` returns."""
RETURNED_MAX = 10_000
"""Messages that return to the mailbox with their DAG in one transaction."""


def add_items(tx: Transaction, items: Iterable[QuarantinedItem]) -> None:
    """Insert the items; one whose key is stored already replaces the reason of that one."""
    by_key = {
        item.key or number: item for number, item in enumerate(items)
    }  # PostgreSQL refuses two rows of one key in one statement
    tx.send_many("quarantine.add", [_encode(item) for item in by_key.values()])


def count_items(tx: Transaction) -> int:
    """The number of rows."""
    row = tx.one("quarantine.count")
    return 0 if row is None else int(row[0])


def list_items(tx: Transaction, limit: int, after: int = 0) -> list[QuarantinedItem]:
    """The oldest items with a key above `after`, at most `limit`."""
    return [_decode(row) for row in tx.all("quarantine.oldest", after=after, limit=limit)]


def find_item(tx: Transaction, quarantine_pk: int) -> QuarantinedItem:
    """The item. Raises NotFound."""
    row = tx.one("quarantine.find", quarantine_pk=quarantine_pk)
    if row is None:
        raise NotFound(say("quarantined_item_does_not_exist", number=quarantine_pk, command=Command("quarantine list")))
    return _decode(row)


def list_about_dag(tx: Transaction, dag_pk: int, group_no: int) -> list[QuarantinedItem]:
    """The newest items about the DAG, and that of its group if the group is set aside; at most SHOWN_MAX."""
    return [
        _decode(row)
        for row in tx.all("quarantine.of_dag", dag_pk=dag_pk, group_key=group_key(group_no), limit=SHOWN_MAX)
    ]


def put_back(tx: Transaction, item: QuarantinedItem) -> None:
    """Delete the item and send its message to the mailbox again; for a DAG, let its owner load it again."""
    tx.run("quarantine.remove", quarantine_pk=item.quarantine_pk)
    if item.is_message:
        mailbox.send_messages(
            tx, [NewMail(item.group_no, item.kind, item.body.decode("utf-8", "replace"), item.key, item.at)]
        )
    else:
        mailbox.send_messages(tx, [NewMail(item.group_no, "dag_changed", f'{{"dag_pk": {item.dag_pk}}}')])
    notify_on_commit(tx)


def discard(tx: Transaction, item: QuarantinedItem) -> None:
    """Delete the item."""
    tx.run("quarantine.remove", quarantine_pk=item.quarantine_pk)


def list_set_aside(tx: Transaction, groups: Iterable[int]) -> list[QuarantinedItem]:
    """The DAGs and groups that the owners of these groups have set aside."""
    return [_decode(row) for row in tx.all("quarantine.set_aside", groups=list(groups))]


def release_dag(tx: Transaction, dag_pk: int) -> bool:
    """The DAG is no longer set aside: delete its row, and send the oldest messages that waited for it. Returns whether more may wait."""
    tx.send("quarantine.remove_key", key=dag_key(dag_pk))
    items = [_decode(row) for row in tx.all("quarantine.waiting_for_dag", dag_pk=dag_pk, limit=RETURNED_MAX)]
    for item in items:
        put_back(tx, item)
    return len(items) >= RETURNED_MAX


def release_group(tx: Transaction, group_no: int) -> None:
    """The group is no longer set aside: delete its row."""
    tx.send("quarantine.remove_key", key=group_key(group_no))


def set_dag_error(tx: Transaction, dag_pk: int, error: str) -> None:
    """Show the error on the DAG."""
    tx.send("commit.set_dag_error", dag_pk=dag_pk, error=error)


def clear_dag_error(tx: Transaction, dag_pk: int, error: str) -> None:
    """Delete this error from the DAG, unless it shows another one by now."""
    tx.send("quarantine.clear_dag_error", dag_pk=dag_pk, error=error)


def _encode(item: QuarantinedItem) -> Row:
    reason = escape_unstorable(item.reason)[:REASON_MAX]
    return (
        item.kind,
        item.group_no,
        item.key,
        item.body,
        item.dag_pk,
        item.dag_id,
        item.run_pk,
        item.run_id,
        item.task_id,
        item.task_no,
        item.map_index,
        item.attempt,
        item.at,
        reason,
        item.error_class,
        item.returns_with_dag,
    )


def _decode(row: Row) -> QuarantinedItem:
    (
        quarantine_pk,
        kind,
        group_no,
        key,
        body,
        dag_pk,
        dag_id,
        run_pk,
        run_id,
        task_id,
        task_no,
        map_index,
        attempt,
        at,
        reason,
        error_class,
        returns,
    ) = row
    return QuarantinedItem(
        quarantine_pk=quarantine_pk,
        kind=kind,
        group_no=group_no,
        key=key,
        body=bytes(body),
        dag_pk=dag_pk,
        dag_id=dag_id,
        run_pk=run_pk,
        run_id=run_id,
        task_id=task_id,
        task_no=task_no,
        map_index=map_index,
        attempt=attempt,
        at=at,
        reason=reason,
        error_class=error_class,
        returns_with_dag=bool(returns),
    )
