"""Pages of task instances of several runs. A task instance that never had a state has no row, and is not among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from gnomon.model.records import TaskRecord
from gnomon.model.states import FAILED_TASK_STATES, NO_STATUS_CODE, TASK_STATE_CODES, TaskInstanceState
from gnomon.storage.store.pages.page_query import Condition, FoundRows, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.page_reader import count_rows, read_page
from gnomon.storage.store.pages.run_walk import RunWalk, WalkedCount, plan_walk, read_walked
from gnomon.storage.store.record_codec import decode_task
from gnomon.storage.store.transaction import Transaction

SUCCESS_CODE = TASK_STATE_CODES[TaskInstanceState.SUCCESS]
"""Lower codes are unfinished states, which only task instances of unfinished runs have; an index has those with a higher one."""
BEHIND_ALL_TASKS = 1 << 30
"""Larger than each task number and map index."""


@dataclass(frozen=True, slots=True)
class ListedTaskInstance:
    """The row of a task instance, with the id of its task and the version of its DAG."""

    record: TaskRecord
    task_id: str
    version_pk: int | None


@dataclass(frozen=True, slots=True)
class TaskInstancePage:
    """Task instances, with the values of the sort keys of each."""

    instances: list[ListedTaskInstance]
    keys: list[tuple[object, ...]]
    has_more: bool
    searched_to: tuple[object, ...] | None = None
    """The search ended before the page was full: the values of the sort keys behind which it goes on."""


def read_task_instance_page(tx: Transaction, query: PageQuery) -> TaskInstancePage:
    """The task instances of the page. The fields are those of `task_instance_pages.sql`; spans are in microseconds, states are codes."""
    plan = _choose_plan(query.conditions)
    is_by_instance = plan is _Plan.BY_INSTANCE and (query.is_short or query.order[0].field == "run_pk")
    name = "task_instance_pages.page_by_instance" if is_by_instance else "task_instance_pages.page"
    chosen = replace(query, conditions=_complete(query.conditions), is_short=query.is_short or plan is _Plan.UNFINISHED)
    return _decode_page(read_page(tx, name, chosen))


def plan_task_instance_walk(
    tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey]
) -> RunWalk | None:
    """How the runs of the list are walked, because no index finds its task instances; None: one does, or the list is of one DAG or run."""
    plan = _choose_plan(conditions)
    return (
        None
        if plan is _Plan.UNFINISHED or _is_in_index_of_failures(conditions, order)
        else plan_walk(tx, conditions, order, is_rare_state=_has_rare_states(conditions))
    )


def read_walked_page(
    tx: Transaction, walk: RunWalk, query: PageQuery, counted: WalkedCount | None = None
) -> TaskInstancePage:
    """The page, whose runs are walked. `counted`: as for `read_walked`.

    A list in another order than its runs is complete when its count is: all its task instances are then in runs that were walked.
    """
    if walk.is_in_order:
        page, last_run = read_walked(tx, walk, query, counted)
        if last_run is None or page.has_more:
            return _decode_page(page)
        behind = -1 if query.order[-1].descends else BEHIND_ALL_TASKS
        return replace(_decode_page(page), searched_to=(*last_run, behind, behind))
    run_conditions = tuple(replace(condition, field=_FIELDS_OF_RUNS[condition.field]) for condition in walk.conditions)
    return _decode_page(
        read_page(
            tx, "task_instance_pages.page", replace(query, conditions=(*walk.rest, *run_conditions), is_short=True)
        )
    )


def _decode_page(page: FoundRows) -> TaskInstancePage:
    return TaskInstancePage(
        [ListedTaskInstance(decode_task(row[:21]), row[21], row[22]) for row in page.rows], page.keys, page.has_more
    )


def count_task_instances(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many task instances meet the conditions, at most `most`."""
    return count_rows(tx, _COUNTS[_choose_plan(conditions)], _complete(conditions), most)


class _Plan(Enum):
    """Which table is read first."""

    WALK = "task instances in the order of their key"
    BY_RUN = "runs that a condition finds"
    UNFINISHED = "unfinished runs"
    BY_INSTANCE = "task instances in one of the states after success"


_COUNTS = {
    _Plan.WALK: "task_instance_pages.count",
    _Plan.BY_RUN: "task_instance_pages.count_by_run",
    _Plan.UNFINISHED: "task_instance_pages.count_by_run",
    _Plan.BY_INSTANCE: "task_instance_pages.count_by_instance",
}
_OF_RUNS = frozenset({"dag_pk", "run_pk", "run_after", "logical_date"})
"""Fields by which an index finds runs."""
_IN_INDEX_OF_STATES = frozenset({"state", "pool", "end_date"})
"""Fields that the index of the states after success has."""
_FAILURES = frozenset(TASK_STATE_CODES[state] for state in FAILED_TASK_STATES)
_FIELDS_OF_RUNS = {"id": "run_pk", "dag_pk": "dag_pk", "run_after": "run_after", "logical_date": "logical_date"}
"""By field of a list of runs: that of a list of task instances."""


def _choose_plan(conditions: Sequence[Condition]) -> _Plan:
    states = _find_states(conditions)
    if states is not None and _are_unfinished(states):
        return _Plan.UNFINISHED
    if any(condition.field in _OF_RUNS and not condition.is_dense for condition in conditions):
        return _Plan.BY_RUN
    return _Plan.BY_INSTANCE if _has_rare_states(conditions) else _Plan.WALK


def _complete(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions, with what they say about the run, and that they are about states of the partial index."""
    states = _find_states(conditions)
    if states is not None and _are_unfinished(states):
        return (*conditions, Condition("run_end_date", Operator.IN, [None]))
    if _choose_plan(conditions) is _Plan.BY_RUN and _has_rare_states(conditions):
        return (
            *conditions,
            Condition("is_unsuccessful", Operator.IN, [1]),
        )  # in the text: SQLite uses the partial index of these states, which has fewer rows of a run
    return tuple(conditions)


def _is_in_index_of_failures(conditions: Sequence[Condition], order: Sequence[SortKey]) -> bool:
    """Whether the index over the states after success has all that is compared, and failures, which are few, are passed over in it."""
    states = _find_states(conditions)
    is_in_index = order[0].field == "run_pk" and all(condition.field in _IN_INDEX_OF_STATES for condition in conditions)
    return is_in_index and states is not None and states <= _FAILURES


def _has_rare_states(conditions: Sequence[Condition]) -> bool:
    states = _find_states(conditions)
    return states is not None and min(states) > SUCCESS_CODE


def _are_unfinished(states: set[int]) -> bool:
    return min(states) > NO_STATUS_CODE and max(states) < SUCCESS_CODE


def _find_states(conditions: Sequence[Condition]) -> set[int] | None:
    """The codes of the states that are wanted; None: every state."""
    for condition in conditions:
        if (
            condition.field == "state"
            and condition.operator is Operator.IN
            and isinstance(condition.value, list)
            and condition.value
        ):
            return {int(code) for code in condition.value}
    return None
