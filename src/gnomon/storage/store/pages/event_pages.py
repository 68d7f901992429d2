"""Pages of the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.storage.store.pages.dag_pages import find_dag_keys
from gnomon.storage.store.pages.page_query import SORTED_MAX, Condition, Operator, PageQuery
from gnomon.storage.store.pages.page_reader import count_rows, find_end_of_search, read_page
from gnomon.storage.store.pages.run_pages import find_runs_with_id
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedEvent:
    """A row of the audit log, with the names of what it is about."""

    event_pk: int
    at: Instant
    kind: str
    map_index: int
    by: str
    body: str
    address: str | None
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


def resolve_names(tx: Transaction, conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions, with the keys of DAGs and runs instead of conditions on their ids that only some have: rows are compared with keys before a name is read."""
    on_dags = [condition for condition in conditions if condition.field == "dag_id" and not _fits_none(condition)]
    on_runs = [
        condition for condition in conditions if (condition.field, condition.operator) == ("run_id", Operator.EQUAL)
    ]
    resolved = [Condition("dag_pk", Operator.IN, find_dag_keys(tx, on_dags))] if on_dags else []
    resolved += [Condition("run_pk", Operator.IN, find_runs_with_id(tx, str(condition.value))) for condition in on_runs]
    return [
        *resolved,
        *(condition for condition in conditions if condition not in on_dags and condition not in on_runs),
    ]


def _fits_none(condition: Condition) -> bool:
    """Whether a row without a DAG may meet the condition."""
    if condition.operator in (Operator.NOT_IN, Operator.MATCHES_NOT):
        return True
    return isinstance(condition.value, list | tuple) and None in condition.value


EVENTS_SEARCHED_MAX = 10_000
"""The most rows that are looked at for one page when no index finds them."""
RUNS_FOUND_MAX = 500
"""Of at most so many runs the rows are found by their index; of more, rows are searched in the order of the list."""
_TIMES = frozenset({"when", "event_log_id"})


def find_end_of_event_search(tx: Transaction, query: PageQuery) -> Condition | None:
    """The condition that ends a search for rows that no index finds, after so many of them; None: it ends by itself."""
    times = [condition for condition in query.conditions if condition.field in _TIMES]
    if (
        len(times) == len(query.conditions)
        or query.order[0].field not in _TIMES
        or any(_finds_few_runs(condition) for condition in query.conditions)
    ):
        return None
    if times and count_events(tx, times, SORTED_MAX + 1) <= SORTED_MAX:
        return None
    return find_end_of_search(tx, "event_pages.keys", query, EVENTS_SEARCHED_MAX, tuple(times))


def _finds_few_runs(condition: Condition) -> bool:
    return condition.field == "run_pk" and isinstance(condition.value, list) and len(condition.value) <= RUNS_FOUND_MAX


def count_events(tx: Transaction, conditions: Sequence[Condition], most: int, dag_pk: int | None = None) -> int:
    """How many rows meet the conditions, at most `most`."""
    if dag_pk is None:
        return count_rows(tx, "event_pages.count", conditions, most)
    return count_rows(tx, "event_pages.count_of_dag", conditions, most, dag_pk=dag_pk)
