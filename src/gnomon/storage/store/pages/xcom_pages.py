"""Pages of XComs, without their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gnomon.model.instants import Instant
from gnomon.storage.store.pages.page_query import SORTED_MAX, Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.page_reader import count_rows, find_end_of_search, read_page
from gnomon.storage.store.pages.time_bounds import NO_RUN, find_first_run
from gnomon.storage.store.transaction import Transaction


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


XCOMS_SEARCHED_MAX = 5_000
"""The most XComs that are looked at for one page when no index finds them."""
_TIMES_OF_RUNS = frozenset({"run_after", "logical_date"})
_WITH_INDEX = frozenset({"id", "run_pk", "dag_pk", "run_after", "logical_date"})


def find_end_of_xcom_search(tx: Transaction, query: PageQuery) -> Condition | None:
    """The condition that ends a search for XComs of all DAGs that no index finds, after so many of them; None: it ends by itself."""
    indexed = [condition for condition in query.conditions if condition.field in _WITH_INDEX]
    is_of_one = any(
        condition.field == "run_pk" or (condition.field, condition.operator) == ("dag_pk", Operator.EQUAL)
        for condition in indexed
    )
    if len(indexed) == len(query.conditions) or is_of_one or query.order[0].field != "id":
        return None
    if indexed and count_xcoms(tx, indexed, SORTED_MAX + 1) <= SORTED_MAX:
        return None
    return find_end_of_search(tx, "xcom_pages.keys", query, XCOMS_SEARCHED_MAX)


def bound_xcoms(
    tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey], *, is_long: bool
) -> list[Condition]:
    """The conditions of a list of many XComs, in the order of their ids from the first one of the first run of its range of times on. `is_long`: it has so many that some are near its begin."""
    is_of_run = any(
        condition.field == "run_pk" or (condition.field, condition.operator) == ("dag_pk", Operator.EQUAL)
        for condition in conditions
    )
    run_pk = None if is_of_run else find_first_run(tx, conditions, order)
    if run_pk is None:
        return list(conditions)
    if run_pk == NO_RUN:
        return [*conditions, Condition("run_pk", Operator.EQUAL, NO_RUN)]
    descends = order[0].descends
    bound = next(
        row[0]
        for row in tx.all("xcom_pages.last_up_to_run" if descends else "xcom_pages.first_from_run", run_pk=run_pk)
    )
    if bound is None:
        return list(conditions)
    of_times = [
        replace(condition, is_dense=True, is_passed_over=is_long and condition.field in _TIMES_OF_RUNS)
        for condition in conditions
    ]
    return [*of_times, Condition("id", Operator.AT_MOST if descends else Operator.AT_LEAST, bound)]


def count_xcoms(tx: Transaction, conditions: Sequence[Condition], most: int, *, is_searched: bool = False) -> int:
    """How many XComs meet the conditions, at most `most`. `is_searched`: one of the conditions is the end of a search, so that few XComs are looked at."""
    return count_rows(tx, "xcom_pages.count_searched" if is_searched else "xcom_pages.count", conditions, most)
