"""Pages of the deferrals of task instances: what deferred tasks wait for."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.storage.store.pages.page_query import PageQuery
from gnomon.storage.store.pages.page_reader import read_page
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedDeferral:
    """A deferral, with the names of its task instance."""

    trigger_pk: int
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    classpath: str
    kwargs: str
    """Typed JSON, encrypted."""
    queue: str | None
    due_at: Instant | None
    """For a timer: when it fires; for a question: when its time is over."""
    timeout_at: Instant | None
    triggerer: str | None
    is_over: bool
    """True when its event was sent or applied."""
    priority: int
    created_at: Instant
    is_paused: bool
    """The DAG is paused."""
    is_question: bool
    """It waits for the answer of a person."""


def read_deferral_page(tx: Transaction, query: PageQuery) -> list[ListedDeferral]:
    """The deferrals of the page. The fields are those of `deferral_pages.sql`."""
    return [
        ListedDeferral(*(*row[:11], bool(row[11]), row[12], row[13], bool(row[14]), bool(row[15])))
        for row in read_page(tx, "deferral_pages.page", query).rows
    ]
