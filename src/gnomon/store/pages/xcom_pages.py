"""Pages of XComs, without their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.store.pages.page_query import Condition, PageQuery
from gnomon.store.pages.page_reader import count_rows, read_page
from gnomon.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedXCom:
    """Where a value is, and when its task instance ended."""

    xcom_pk: int
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    key: str
    run_after: Instant
    logical_at: Instant | None
    at: Instant
    version_pk: int | None
    """The version of the DAG that the run uses."""


def read_xcom_page(tx: Transaction, query: PageQuery) -> list[ListedXCom]:
    """The XComs of the page. The fields are those of `xcom_pages.sql`."""
    return [ListedXCom(*row) for row in read_page(tx, "xcom_pages.page", query).rows]


def count_xcoms(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many XComs meet the conditions, at most `most`."""
    return count_rows(tx, "xcom_pages.count", conditions, most)
