"""Pages of the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.store.pages.page_query import Condition, PageQuery, count_rows, read_page
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


def read_event_page(tx: Transaction, query: PageQuery) -> list[ListedEvent]:
    """The rows of the page. The fields are those of `event_pages.sql`."""
    return [ListedEvent(*row) for row in read_page(tx, "event_pages.page", query).rows]


def count_events(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many rows meet the conditions, at most `most`."""
    return count_rows(tx, "event_pages.count", conditions, most)
