"""Pages of runs, of one DAG or of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.store.pages.page_query import Condition, PageQuery
from gnomon.store.pages.page_reader import count_rows, read_page
from gnomon.store.record_codec import decode_run
from gnomon.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run with its DAG, the version that it uses and the user who created it."""

    dag_id: str
    run: RunRecord
    version_number: int | None
    version_created_at: Instant | None
    created_by: str | None


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs, with the values of the sort keys of each."""

    runs: list[ListedRun]
    keys: list[tuple[object, ...]]
    has_more: bool


def read_run_page(tx: Transaction, query: PageQuery) -> RunPage:
    """The runs of the page. The fields are those of `run_pages.sql`; spans are in microseconds, states are codes."""
    found = read_page(tx, "run_pages.page_by_dag" if query.order[0].field == "dag_id" else "run_pages.page", query)
    return RunPage([ListedRun(row[20], decode_run(row[:20]), *row[21:24]) for row in found.rows], found.keys, found.has_more)


def count_runs(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many runs meet the conditions, at most `most`."""
    return count_rows(tx, "run_pages.count", conditions, most)


def read_run_counts_of_dags(tx: Transaction, dag_pks: Sequence[int]) -> dict[int, dict[DagRunState, int]]:
    """By DAG, the number of its runs in each state, from `run_tally`; a DAG without runs is left out."""
    counts: dict[int, dict[DagRunState, int]] = {}
    for dag_pk, code, count in tx.all("run_pages.totals_of_dags", dag_pks=list(dag_pks)):
        counts.setdefault(dag_pk, {})[RUN_STATES_BY_CODE[code]] = int(count)
    return counts


def find_runs_with_id(tx: Transaction, run_id: str) -> list[int]:
    """The keys of the runs with this run id, of whatever DAG."""
    return [run_pk for (run_pk,) in tx.all("run_pages.of_run_id", run_id=run_id)]
