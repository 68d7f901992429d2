"""Conditions on the DAG and the state of runs, as the tallies of runs say that they are best read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gnomon.model.states import RUN_STATE_CODES, RUN_STATES_BY_CODE, DagRunState
from gnomon.store.dag_records.dag_runs import read_total_run_counts
from gnomon.store.drivers.address import POSTGRESQL
from gnomon.store.pages.listing_clauses import ListingClauses
from gnomon.store.pages.page_query import Condition, Operator, SortKey
from gnomon.store.statements import Statement
from gnomon.store.transaction import Transaction

FEW_RUNS = 8_000
"""Runs that are found by a condition and sorted: each is read from a place of its own in the table. Of more, the list is read in its order."""
_UNFINISHED = frozenset({RUN_STATE_CODES[DagRunState.QUEUED], RUN_STATE_CODES[DagRunState.RUNNING]})


@dataclass(frozen=True, slots=True)
class RunConditions:
    """Conditions of a list of runs, and how many runs meet them."""

    conditions: list[Condition]
    total: int | None
    """None: they are about more than DAGs and states."""
    is_short: bool
    """Few runs meet those on DAGs and states."""


def resolve_dags(tx: Transaction, conditions: Iterable[Condition]) -> list[Condition]:
    """The conditions, with one on the keys of DAGs instead of those on their ids."""
    given = list(conditions)
    on_ids = [condition for condition in given if condition.field == "dag_id"]
    if not on_ids:
        return given
    statement = tx.listing("dag_pages.keys")
    clauses = ListingClauses(statement, on_ids, is_postgresql=tx.dialect == POSTGRESQL)
    rows = tx.all_of(Statement(statement.name, clauses.complete(statement.text), is_prepared=False), clauses.values)
    return [Condition("dag_pk", Operator.IN, [dag_pk for (dag_pk,) in rows]), *(condition for condition in given if condition.field != "dag_id")]


def tally_conditions(tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey]) -> RunConditions:
    """The conditions of a list of runs with `is_dense`, and their total if the tallies have it."""
    on_dags = [condition for condition in conditions if condition.field == "dag_pk"]
    on_states = [condition for condition in conditions if (condition.field, condition.operator) == ("state", Operator.IN)]
    counts = _read_counts(tx, on_dags)
    states = _find_states(on_states)
    of_dags = sum(counts.values())
    of_states = sum(count for code, count in counts.items() if states is None or code in states)
    is_in_order = len(on_dags) == 1 and on_dags[0].operator is Operator.EQUAL and order[0].field == "run_after"
    dags_are_dense = of_dags > FEW_RUNS and not is_in_order
    made: list[Condition] = []
    for condition in conditions:
        if condition.field == "dag_pk":
            made.append(replace(condition, is_dense=dags_are_dense))
        elif condition in on_states:
            made.append(replace(condition, is_dense=of_states > FEW_RUNS or (bool(on_dags) and not dags_are_dense)))
        else:
            made.append(condition)
    if states is not None and states <= _UNFINISHED:
        made.append(Condition("end_date", Operator.IN, [None]))
    is_tallied = len(on_dags) <= 1 and len(on_dags) + len(on_states) == len(conditions)
    return RunConditions(made, of_states if is_tallied else None, of_states <= FEW_RUNS and not is_in_order)


def mark_dags(tx: Transaction, conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions of a list over several runs with `is_dense` for those on DAGs."""
    on_dags = [condition for condition in conditions if condition.field == "dag_pk"]
    if not on_dags:
        return list(conditions)
    is_dense = sum(_read_counts(tx, on_dags).values()) > FEW_RUNS
    return [replace(condition, is_dense=is_dense) if condition.field == "dag_pk" else condition for condition in conditions]


def _read_counts(tx: Transaction, on_dags: Sequence[Condition]) -> dict[int, int]:
    """By code of the state, the number of runs of the DAGs that meet all conditions."""
    if not on_dags:
        return {RUN_STATE_CODES[state]: count for state, count in read_total_run_counts(tx).items()}
    chosen = set.intersection(*(_list_keys(condition) for condition in on_dags))
    return {code: int(count) for code, count in tx.all("run_pages.totals_of_several", dag_pks=sorted(chosen)) if code in RUN_STATES_BY_CODE}


def _list_keys(condition: Condition) -> set[int]:
    value = condition.value
    return {value} if isinstance(value, int) else {key for key in value if isinstance(key, int)} if isinstance(value, list | tuple) else set()


def _find_states(on_states: Sequence[Condition]) -> set[int | None] | None:
    """The codes of the states that are wanted; None: every state."""
    if not on_states:
        return None
    return set.intersection(*(set(condition.value) if isinstance(condition.value, list) else set() for condition in on_states))
