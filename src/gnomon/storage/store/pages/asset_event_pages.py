"""Pages of events of assets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.storage.store.pages.page_query import Condition, PageQuery
from gnomon.storage.store.pages.page_reader import count_rows, read_page
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedAssetEvent:
    """An event with its asset. The source is None for an event from outside."""

    event_pk: int
    asset_pk: int
    name: str
    uri: str
    group: str
    at: Instant
    extra: str
    """JSON."""
    source_dag_id: str | None
    source_task_id: str | None
    source_run_id: str | None
    source_map_index: int
    partition_key: str | None


def read_asset_event_page(tx: Transaction, query: PageQuery) -> list[ListedAssetEvent]:
    """The events of the page. The fields are those of `asset_event_pages.sql`."""
    return [ListedAssetEvent(*row) for row in read_page(tx, "asset_event_pages.page", query).rows]


def count_asset_events(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many events meet the conditions, at most `most`."""
    return count_rows(tx, "asset_event_pages.count", conditions, most)


def read_consumed_page(tx: Transaction, run_pk: int, query: PageQuery) -> list[ListedAssetEvent]:
    """The events of the page that a run consumed."""
    return [ListedAssetEvent(*row) for row in read_page(tx, "asset_event_pages.consumed", query, run_pk=run_pk).rows]
