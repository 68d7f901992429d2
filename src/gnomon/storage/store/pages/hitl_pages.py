"""Pages of questions of tasks to people, answered or not: the newest of each task instance."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.storage.store.dag_records.hitl_details import NamedHITLDetail, decode_named_detail
from gnomon.storage.store.pages.page_query import Condition, PageQuery
from gnomon.storage.store.pages.page_reader import count_rows, read_page
from gnomon.storage.store.transaction import Transaction


def read_hitl_page(tx: Transaction, query: PageQuery) -> tuple[list[NamedHITLDetail], bool]:
    """The questions of the page, and whether there are more behind it. The fields are those of `hitl_pages.sql`; states are codes."""
    page = read_page(tx, "hitl_pages.page", query)
    return [decode_named_detail(row) for row in page.rows], page.has_more


def count_hitl_details(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many questions meet the conditions, at most `most`."""
    return count_rows(tx, "hitl_pages.count", conditions, most)
