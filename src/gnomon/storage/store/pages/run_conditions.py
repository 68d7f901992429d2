"""Conditions on the DAG and the state of runs, as the tallies of runs say that they are best read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gnomon.model.states import RUN_STATE_CODES, RUN_STATES_BY_CODE, UNFINISHED_RUN_STATES, DagRunState
from gnomon.storage.store.dag_records.dag_runs import read_total_run_counts
from gnomon.storage.store.pages.dag_pages import find_dag_keys
from gnomon.storage.store.pages.listing_clauses import ESTIMATED_VALUES_MAX
from gnomon.storage.store.pages.page_query import Condition, Operator, SortKey
from gnomon.storage.store.transaction import Transaction

FEW_RUNS = 8_000
"""Runs that are found by a condition and sorted: each is read from a place of its own in the table. Of more, the list is read in its order."""
FEW_OF_ALL = 16
"""If the runs of some DAGs are less than this part of all, most rows of a list belong to other DAGs: comparing each with the found runs costs less than looking up its run."""
_UNFINISHED = frozenset(RUN_STATE_CODES[state] for state in UNFINISHED_RUN_STATES)
_FAILED = RUN_STATE_CODES[DagRunState.FAILED]
_RANGES = (Operator.AT_LEAST, Operator.MORE, Operator.AT_MOST, Operator.LESS)


@dataclass(frozen=True, slots=True)
class RunConditions:
    """Conditions of a list of runs, and how many runs meet them."""

    conditions: list[Condition]
    total: int | None
    """None: they are about more than DAGs and states."""
    is_short: bool
    """Few runs meet those on DAGs and states."""
    order: tuple[SortKey, ...]
    """The order of the list, as an index over these runs has it."""
    is_ordered: bool = False
    """An index has only runs of the wanted state, in this order: the list is read from it, however many runs meet the conditions."""
    in_order: tuple[Condition, ...] | None = None
    """The conditions of a list that is read in its order, where they differ."""


def resolve_dags(tx: Transaction, conditions: Iterable[Condition]) -> list[Condition]:
    """The conditions, with one on the keys of DAGs instead of those on their ids."""
    all_conditions = list(conditions)
    on_ids = [condition for condition in all_conditions if condition.field == "dag_id"]
    if not on_ids:
        return all_conditions
    return [
        Condition("dag_pk", Operator.IN, find_dag_keys(tx, on_ids)),
        *(condition for condition in all_conditions if condition.field != "dag_id"),
    ]


def tally_conditions(tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey]) -> RunConditions:
    """The conditions of a list of runs with `is_dense`, and their total if the tallies have it."""
    on_dags = [condition for condition in conditions if condition.field == "dag_pk"]
    on_states = [
        condition for condition in conditions if (condition.field, condition.operator) == ("state", Operator.IN)
    ]
    counts = _read_counts(tx, on_dags)
    states = _find_states(on_states)
    of_dags = sum(counts.values())
    of_states = sum(count for code, count in counts.items() if states is None or code in states)
    is_in_order = len(on_dags) == 1 and on_dags[0].operator is Operator.EQUAL and order[0].field == "run_after"
    dags_are_dense = of_dags > FEW_RUNS and not is_in_order
    dense_conditions: list[Condition] = []
    for condition in conditions:
        if condition.field == "dag_pk":
            dense_conditions.append(replace(condition, is_dense=dags_are_dense))
        elif condition in on_states:
            dense_conditions.append(
                replace(condition, is_dense=of_states > FEW_RUNS or (bool(on_dags) and not dags_are_dense))
            )
        else:
            dense_conditions.append(condition)
    if states is not None and states <= _UNFINISHED:
        dense_conditions.append(Condition("end_date", Operator.IN, [None]))
    is_tallied = len(on_dags) <= 1 and len(on_dags) + len(on_states) == len(conditions)
    tallied = RunConditions(
        dense_conditions, of_states if is_tallied else None, of_states <= FEW_RUNS and not is_in_order, tuple(order)
    )
    if states != {_FAILED} or is_in_order or (on_dags and of_dags < _count_failed(tx, counts, on_dags)):
        return tallied
    return _read_failed(tallied)


def _count_failed(tx: Transaction, counts: Mapping[int, int], on_dags: Sequence[Condition]) -> int:
    """The number of failed runs of all DAGs."""
    return (_read_counts(tx, []) if on_dags else counts).get(_FAILED, 0)


def _read_failed(tallied: RunConditions) -> RunConditions:
    """The same for failed runs only, of many DAGs: two indexes have these, in the order of `run_after` (with the DAG and the end) and of their end.

    Failed runs are a part of all, and other conditions are compared with each of them; in an order that no index of failed runs has, a long
    list is read in its order.
    """
    failed_conditions, walked = [], []
    first = tallied.order[0]
    order = (replace(first, field="ended_at"), *tallied.order[1:]) if first.field == "end_date" else tallied.order
    is_ordered = first.field in ("run_after", "end_date")
    for condition in tallied.conditions:
        is_end = condition.field == "end_date" and condition.operator in _RANGES
        own = replace(condition, field="ended_at") if is_end else condition
        is_other = condition.field == "dag_pk"
        failed_conditions.append(replace(own, is_dense=is_other))
        if is_end and first.field == "run_after":
            own = replace(
                own, field="unindexed_end_date"
            )  # each other text lets SQLite take the index over the end, and sort
        walked.append(
            replace(
                own,
                is_dense=is_other
                or (is_end and first.field != "end_date")
                or (condition.field == "state" and not is_ordered),
            )
        )
    return replace(
        tallied,
        conditions=failed_conditions,
        is_short=tallied.is_short and not is_ordered,
        order=order,
        is_ordered=is_ordered,
        in_order=tuple(walked),
    )


def mark_dags(tx: Transaction, conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions of a list over several runs with `is_dense` and `has_few_members` for those on DAGs."""
    on_dags = [condition for condition in conditions if condition.field == "dag_pk"]
    if not on_dags:
        return list(conditions)
    count = sum(_read_counts(tx, on_dags).values())
    is_dense = count > FEW_RUNS
    has_few = is_dense and count * FEW_OF_ALL <= sum(_read_counts(tx, []).values())
    return [
        replace(condition, is_dense=is_dense, has_few_members=has_few) if condition.field == "dag_pk" else condition
        for condition in conditions
    ]


def _read_counts(tx: Transaction, on_dags: Sequence[Condition]) -> dict[int, int]:
    """By code of the state, the number of runs of the DAGs that meet all conditions."""
    if not on_dags:
        return {RUN_STATE_CODES[state]: count for state, count in read_total_run_counts(tx).items()}
    chosen = set.intersection(*(_list_keys(condition) for condition in on_dags))
    name = "run_pages.totals_of_many" if len(chosen) > ESTIMATED_VALUES_MAX else "run_pages.totals_of_several"
    return {code: int(count) for code, count in tx.all(name, dag_pks=sorted(chosen)) if code in RUN_STATES_BY_CODE}


def _list_keys(condition: Condition) -> set[int]:
    value = condition.value
    return (
        {value}
        if isinstance(value, int)
        else {key for key in value if isinstance(key, int)}
        if isinstance(value, list | tuple)
        else set()
    )


def _find_states(on_states: Sequence[Condition]) -> set[int | None] | None:
    """The codes of the states that are wanted; None: every state."""
    if not on_states:
        return None
    return set.intersection(
        *(set(condition.value) if isinstance(condition.value, list) else set() for condition in on_states)
    )
