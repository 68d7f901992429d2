"""What is in quarantine, as listings, explanations and problems name it."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import iso
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Command, Sentence, quote, say
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import quarantine

_SHOWN = 5
"""The most items that an explanation names."""


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """One item as listings print it."""

    id: int
    kind: str
    group: int
    dag_id: str | None
    run_id: str | None
    task_id: str | None
    map_index: int
    attempt: str | None
    since: str
    reason: str
    error: str


@dataclass(frozen=True, slots=True)
class QuarantineDetail:
    """One item with its message."""

    item: QuarantineRow
    key: str | None
    size: int
    body: str
    """The message as text; what is encrypted stays so."""


def list_rows(tx: Transaction, limit: int) -> list[QuarantineRow]:
    """The oldest items."""
    return [build_row(item) for item in quarantine.list_items(tx, limit)]


def build_row(item: QuarantinedItem) -> QuarantineRow:
    """The row of an item that is stored."""
    assert item.quarantine_pk is not None
    return QuarantineRow(
        item.quarantine_pk,
        item.kind,
        item.group_no,
        item.dag_id,
        item.run_id,
        item.task_id,
        item.map_index,
        item.attempt,
        iso(item.at) or "",
        item.reason,
        item.error_class,
    )


def build_detail(item: QuarantinedItem) -> QuarantineDetail:
    """An item with its message."""
    return QuarantineDetail(build_row(item), item.key, len(item.body), item.body.decode("utf-8", "backslashreplace"))


def list_quarantine_sentences(
    tx: Transaction, dag: DagRecord, run_pk: int | None = None, task_id: str | None = None, map_index: int = UNMAPPED
) -> list[Sentence]:
    """Sentences on what of the DAG is in quarantine: the DAG or its group, and messages; with a run or task those of it, and those that name none."""
    items = [
        item
        for item in quarantine.list_about_dag(tx, dag.dag_pk, dag.group_no)
        if _is_about(item, run_pk, task_id, map_index)
    ]
    return [describe_item(item) for item in items[:_SHOWN]]


def _is_about(item: QuarantinedItem, run_pk: int | None, task_id: str | None, map_index: int) -> bool:
    if run_pk is None or item.run_pk is None:
        return True
    return item.run_pk == run_pk and (
        task_id is None or item.task_id is None or (item.task_id, item.map_index) == (task_id, map_index)
    )


def describe_item(item: QuarantinedItem) -> Sentence:
    """What is in quarantine, since when and why, and the command that shows it."""
    if item.is_dag:
        return say("dag_is_quarantined", since=item.at, reason=item.reason)
    if item.is_group:
        return say("group_is_quarantined", group=item.group_no, since=item.at, reason=item.reason)
    return say(
        "message_is_quarantined",
        message_kind=item.kind,
        about=None if item.task_id is None else _describe_task(item, item.task_id),
        since=item.at,
        why=quote(item.reason) if item.returns_with_dag else say("could_not_be_applied", reason=item.reason),
        command=Command("quarantine show", (str(item.quarantine_pk),)),
    )


def _describe_task(item: QuarantinedItem, task_id: str) -> Sentence:
    if item.map_index < 0:
        return say("about_task", task_id=task_id)
    return say("about_instance", task_id=task_id, map_index=item.map_index)


def describe_count(tx: Transaction) -> Sentence | None:
    """One sentence on all that is in quarantine; None when nothing is."""
    count = quarantine.count_items(tx)
    if not count:
        return None
    (oldest,) = quarantine.list_items(tx, 1)
    return say(
        "items_are_quarantined",
        count=count,
        number=f"{count:,}",
        about=None if oldest.dag_id is None else say("about_dag", dag=oldest.dag_id),
        since=oldest.at,
        reason=oldest.reason,
        command=Command("quarantine list"),
        other_command=Command("quarantine retry"),
    )
