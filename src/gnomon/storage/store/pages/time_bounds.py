"""Lists in the order of ids that a range of times selects, of which there are too many to sort: where in that order their first row stands.

A list is read from its first id on, and rows that do not meet the conditions are passed over. Of a range of times in the other half of the history, an
index over the time has all ids, which costs less than passing over the rows before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gnomon.model.states import FINISHED_RUN_STATES, RUN_STATE_CODES
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.page_reader import read_page
from gnomon.storage.store.transaction import Transaction

NO_RUN = 0
"""No run has this key."""
_LOWER, _UPPER = frozenset({Operator.AT_LEAST, Operator.MORE}), frozenset({Operator.AT_MOST, Operator.LESS})
_TIMES = ("run_after", "logical_date", "start_date", "updated_at", "end_date")
"""Fields of a list of runs with an index that has the ids, in the order of the columns of `run_pages.middle`."""
_FINISHED = sorted(RUN_STATE_CODES[state] for state in FINISHED_RUN_STATES)


@dataclass(frozen=True, slots=True)
class BoundedRuns:
    """Conditions of a list of runs, with the place where it begins."""

    conditions: tuple[Condition, ...]
    is_short: bool
    """An index has all that the conditions compare, so runs are found by it and sorted, however many there are."""


def bound_runs(
    tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey], *, is_continued: bool = False
) -> BoundedRuns:
    """The conditions of a list of many runs, in the order of ids from its first run on. `is_continued`: the page begins or ends at a position."""
    all_conditions = tuple(conditions)
    field = _find_field(tx, all_conditions, order)
    if field is None:
        return BoundedRuns(all_conditions, is_short=False)
    on_time = _build_on_index(all_conditions, field)
    if not is_continued and all(_name_time(condition.field) == field for condition in all_conditions):
        return BoundedRuns(on_time, is_short=True)
    first = find_first_run(tx, all_conditions, order)
    if first is None or first == NO_RUN:
        return BoundedRuns(all_conditions, is_short=False)
    bound = Condition("id", Operator.AT_MOST if order[0].descends else Operator.AT_LEAST, first)
    return BoundedRuns((*(replace(condition, is_dense=True) for condition in all_conditions), bound), is_short=False)


def find_first_run(tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey]) -> int | None:
    """The first run in the order of ids that meets the conditions on one of the times; NO_RUN: there is none; None: the time is in the half that the list comes to first."""
    field = _find_field(tx, conditions, order)
    if field is None:
        return None
    page = read_page(
        tx,
        "run_pages.keys",
        PageQuery(_build_on_index(conditions, field), (SortKey("id", order[0].descends),), 1, is_short=True),
    )
    return page.rows[0][0] if page.rows else NO_RUN


def _find_field(tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey]) -> str | None:
    """The time whose range is in the half of the history that the list comes to last."""
    limiting = _UPPER if order[0].descends else _LOWER
    bounds = {
        _name_time(condition.field): condition.value
        for condition in conditions
        if _name_time(condition.field) in _TIMES and condition.operator in limiting
    }
    if order[0].field != "id" or not bounds:
        return None
    for middle in tx.all("run_pages.middle"):
        for field, at in zip(_TIMES, middle, strict=True):
            bound = bounds.get(field)
            if isinstance(bound, int) and (at is None or (bound <= at if order[0].descends else bound >= at)):
                return field
    return None


def _build_on_index(conditions: Sequence[Condition], field: str) -> tuple[Condition, ...]:
    """The conditions on one time. That of the end is read by the index over the state and the end of ended runs, without the rest of a run."""
    chosen = tuple(
        replace(condition, is_dense=False)
        for condition in conditions
        if _name_time(condition.field) == field and condition.operator in _LOWER | _UPPER
    )
    if field != "end_date":
        return chosen
    return (Condition("state", Operator.IN, _FINISHED), *(replace(condition, field="ended_at") for condition in chosen))


def _name_time(field: str) -> str:
    """`end_date` for its other name, by which the conditions of failed runs have it."""
    return "end_date" if field == "ended_at" else field
