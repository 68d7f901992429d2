"""Pages of runs, of one DAG or of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.storage.store.pages.page_query import SORTED_MAX, Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.page_reader import count_rows, find_end_of_search, read_page
from gnomon.storage.store.record_codec import decode_run
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run with its DAG, the version that it uses and the user who created it."""

    dag_id: str
    run: RunRecord
    version_number: int | None
    version_created_at: Instant | None
    bundle_name: str | None
    """The DAG bundle that made the version; None: the DAG folder, or the examples."""
    created_by: str | None


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs, with the values of the sort keys of each."""

    runs: list[ListedRun]
    keys: list[tuple[object, ...]]
    has_more: bool


def read_run_page(tx: Transaction, query: PageQuery) -> RunPage:
    """The runs of the page. The fields are those of `run_pages.sql`; spans are in microseconds, states are codes."""
    page = read_page(tx, "run_pages.page_by_dag" if query.order[0].field == "dag_id" else "run_pages.page", query)
    return RunPage(
        [ListedRun(row[21], decode_run(row[:21]), *row[22:26]) for row in page.rows], page.keys, page.has_more
    )


RUNS_SEARCHED_MAX, CREATORS_SEARCHED_MAX = 50_000, 12_000
"""The most runs that are looked at for one page when no index finds them; fewer when the audit log is read for each, to find who created it."""
_WITH_INDEX = frozenset(
    {
        "id",
        "dag_pk",
        "state",
        "run_after",
        "logical_date",
        "start_date",
        "end_date",
        "updated_at",
        "partition_date",
        "partition_key",
    }
)
"""Fields by which an index finds runs."""
_TIMES = frozenset({"run_after", "logical_date", "start_date", "end_date", "updated_at"})
"""Those of them that are times of a run."""
_RANGES = (Operator.AT_LEAST, Operator.MORE, Operator.AT_MOST, Operator.LESS)
_ORDERS_OF_SEARCH = frozenset({"id", "run_after", "logical_date", "start_date", "end_date", "updated_at"})


def find_end_of_run_search(tx: Transaction, query: PageQuery) -> Condition | None:
    """The condition that ends a search for runs that no index finds, after so many runs from the beginning of the page; None: it ends by itself."""
    searched = {condition.field for condition in query.conditions} - _WITH_INDEX
    is_of_one_dag = any(
        (condition.field, condition.operator) == ("dag_pk", Operator.EQUAL) for condition in query.conditions
    )
    if (
        not searched
        or is_of_one_dag
        or query.order[0].field not in _ORDERS_OF_SEARCH
        or _is_found_by_index(tx, query.conditions)
    ):
        return None
    return find_end_of_search(
        tx, "run_pages.keys", query, CREATORS_SEARCHED_MAX if "created_by" in searched else RUNS_SEARCHED_MAX
    )


def _is_found_by_index(tx: Transaction, conditions: Sequence[Condition]) -> bool:
    """Whether the conditions for which there is an index leave few runs."""
    indexed = [condition for condition in conditions if condition.field in _WITH_INDEX]
    return bool(indexed) and count_runs(tx, indexed, SORTED_MAX + 1) <= SORTED_MAX


def count_runs(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many runs meet the conditions, at most `most`."""
    return count_rows(tx, "run_pages.count", conditions, most, _find_range(conditions))


def _find_range(conditions: Sequence[Condition]) -> SortKey | None:
    """The order of the index over the time of which a range is wanted; None: there is no such range, or the runs of some DAGs are wanted."""
    if any(condition.field == "dag_pk" for condition in conditions):
        return None
    ranges = (
        condition
        for condition in conditions
        if condition.field in _TIMES and condition.operator in _RANGES and not condition.is_dense
    )
    first = next(ranges, None)
    return None if first is None else SortKey(first.field, descends=first.operator in (Operator.AT_MOST, Operator.LESS))


def read_run_counts_of_dags(tx: Transaction, dag_pks: Sequence[int] | None) -> dict[int, dict[DagRunState, int]]:
    """By DAG, the number of its runs in each state, from `run_tally`; a DAG without runs is left out. None: of every DAG."""
    counts: dict[int, dict[DagRunState, int]] = {}
    for dag_pk, code, count in (
        tx.all("run_pages.totals_of_all")
        if dag_pks is None
        else tx.all("run_pages.totals_of_dags", dag_pks=list(dag_pks))
    ):
        counts.setdefault(dag_pk, {})[RUN_STATES_BY_CODE[code]] = int(count)
    return counts


def read_run_counts_by_state(tx: Transaction, dag_pks: Sequence[int] | None) -> dict[DagRunState, dict[int, int]]:
    """The same by state, and by DAG in it: quicker for ten thousand DAGs."""
    counts: dict[int, dict[int, int]] = {code: {} for code in RUN_STATES_BY_CODE}
    for dag_pk, code, count in (
        tx.all("run_pages.totals_of_all")
        if dag_pks is None
        else tx.all("run_pages.totals_of_dags", dag_pks=list(dag_pks))
    ):
        counts[code][dag_pk] = int(count)
    return {RUN_STATES_BY_CODE[code]: of_state for code, of_state in counts.items()}


def find_runs_with_id(tx: Transaction, run_id: str) -> list[int]:
    """The keys of the runs with this run id, of whatever DAG."""
    return [run_pk for (run_pk,) in tx.all("run_pages.of_run_id", run_id=run_id)]
