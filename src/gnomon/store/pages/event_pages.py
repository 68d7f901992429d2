"""Pages of the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.store.pages.page_query import Condition, PageQuery
from gnomon.store.pages.page_reader import count_rows, read_page
from gnomon.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedEvent:
    """A row of the audit log, with the names of what it is about."""

    event_pk: int
    at: Instant
    kind: str
    map_index: int
    by: str
    body: str
    dag_id: str | None
    version_pk: int | None
    """The newest version of the DAG."""
    run_id: str | None
    logical_at: Instant | None
    task_id: str | None


def read_event_page(tx: Transaction, query: PageQuery, dag_pk: int | None = None) -> list[ListedEvent]:
    """The rows of the page; with `dag_pk` only those about this DAG or its runs. The fields are those of `event_pages.sql`."""
    if dag_pk is None:
        return [ListedEvent(*row) for row in read_page(tx, "event_pages.page", query).rows]
    return [ListedEvent(*row) for row in read_page(tx, "event_pages.page_of_dag", query, dag_pk=dag_pk).rows]


def count_events(tx: Transaction, conditions: Sequence[Condition], most: int, dag_pk: int | None = None) -> int:
    """How many rows meet the conditions, at most `most`."""
    if dag_pk is None:
        return count_rows(tx, "event_pages.count", conditions, most)
    return count_rows(tx, "event_pages.count_of_dag", conditions, most, dag_pk=dag_pk)
