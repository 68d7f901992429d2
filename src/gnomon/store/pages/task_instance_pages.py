"""Pages of task instances of several runs. A task instance that never had a state has no row, and is not among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from gnomon.model.records import TaskRecord
from gnomon.model.states import NO_STATUS_CODE, TASK_STATE_CODES, TaskInstanceState
from gnomon.store.pages.page_query import Condition, Operator, PageQuery
from gnomon.store.pages.page_reader import count_rows, read_page
from gnomon.store.record_codec import decode_task
from gnomon.store.transaction import Transaction

SUCCESS_CODE = TASK_STATE_CODES[TaskInstanceState.SUCCESS]
"""Lower codes are unfinished states, which only task instances of unfinished runs have; an index has those with a higher one."""


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


def read_task_instance_page(tx: Transaction, query: PageQuery) -> TaskInstancePage:
    """The task instances of the page. The fields are those of `task_instance_pages.sql`; spans are in microseconds, states are codes."""
    plan = _choose_plan(query.conditions)
    is_by_instance = plan is _Plan.BY_INSTANCE and (query.is_short or query.order[0].field == "run_pk")
    name = "task_instance_pages.page_by_instance" if is_by_instance else "task_instance_pages.page"
    chosen = replace(query, conditions=_complete(query.conditions), is_short=query.is_short or plan is _Plan.UNFINISHED)
    found = read_page(tx, name, chosen)
    return TaskInstancePage([ListedTaskInstance(decode_task(row[:21]), row[21], row[22]) for row in found.rows], found.keys, found.has_more)


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
    _Plan.WALK: "task_instance_pages.count", _Plan.BY_RUN: "task_instance_pages.count_by_run", _Plan.UNFINISHED: "task_instance_pages.count_by_run",
    _Plan.BY_INSTANCE: "task_instance_pages.count_by_instance",
}
_OF_RUNS = frozenset({"dag_pk", "run_pk", "run_after", "logical_date"})
"""Fields by which an index finds runs."""


def _choose_plan(conditions: Sequence[Condition]) -> _Plan:
    states = _find_states(conditions)
    if states is not None and _are_unfinished(states):
        return _Plan.UNFINISHED
    if any(condition.field in _OF_RUNS and not condition.is_dense for condition in conditions):
        return _Plan.BY_RUN
    return _Plan.BY_INSTANCE if states is not None and min(states) > SUCCESS_CODE else _Plan.WALK


def _complete(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions, with what they say about the run."""
    states = _find_states(conditions)
    if states is None or not _are_unfinished(states):
        return tuple(conditions)
    return (*conditions, Condition("run_end_date", Operator.IN, [None]))


def _are_unfinished(states: set[int]) -> bool:
    return min(states) > NO_STATUS_CODE and max(states) < SUCCESS_CODE


def _find_states(conditions: Sequence[Condition]) -> set[int] | None:
    """The codes of the states that are wanted; None: every state."""
    for condition in conditions:
        if condition.field == "state" and condition.operator is Operator.IN and isinstance(condition.value, list) and condition.value:
            return {int(code) for code in condition.value}
    return None
