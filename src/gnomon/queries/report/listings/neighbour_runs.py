"""The runs of a DAG before and after a run, to which an act on its task instances may extend."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import say
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.run_pages import read_run_page

RUNS_MAX = 1000
"""The most runs of one act."""


def list_runs_to_change(
    tx: Transaction, dag: DagRecord, run: RunRecord, *, past: bool, future: bool
) -> list[RunRecord]:
    """The run, then those before it if `past` and those after it if `future`, the oldest first. Raises UserError for more than RUNS_MAX."""
    if not (past or future):
        return [run]
    conditions = [Condition("dag_pk", Operator.EQUAL, dag.dag_pk), *bound_runs(run, past=past, future=future)]
    return [run, *(neighbour for neighbour in list_bounded_runs(tx, conditions) if neighbour.run_pk != run.run_pk)]


def bound_runs(run: RunRecord, *, past: bool, future: bool) -> list[Condition]:
    """The conditions for the run, the runs before it if `past`, and those after it if `future`."""
    conditions = [] if past else [Condition("run_after", Operator.AT_LEAST, run.run_after)]
    return conditions if future else [*conditions, Condition("run_after", Operator.AT_MOST, run.run_after)]


def list_bounded_runs(tx: Transaction, conditions: Sequence[Condition]) -> list[RunRecord]:
    """The runs that meet the conditions, the oldest first. Raises UserError for more than RUNS_MAX."""
    page = read_run_page(tx, PageQuery(tuple(conditions), (SortKey("run_after"), SortKey("id")), RUNS_MAX))
    if page.has_more:
        raise UserError(say("request_has_many_runs", most=RUNS_MAX))
    return [listed.run for listed in page.runs]
