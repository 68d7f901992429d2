"""Which tasks of a DAG a person means: by id, by pattern, with what lies upstream or downstream of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from gnomon.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import TaskInstanceState
from gnomon.report.listings.not_found import task_not_found
from gnomon.report.listings.run_list import TaskInstanceRow, list_task_instances
from gnomon.store import Transaction

_FAILED_STATES = frozenset({TaskInstanceState.FAILED.value, TaskInstanceState.UPSTREAM_FAILED.value})


def select_tasks(
    spec: DagSpec,
    task_ids: Collection[str] = (),
    pattern: re.Pattern[str] | None = None,
    *,
    upstream: bool = False,
    downstream: bool = False,
) -> list[TaskSpec]:
    """The tasks with these ids or whose id the pattern finds, plus all before or after them; in topological order.

    Neither ids nor a pattern: every task. An unknown id, or a pattern that finds nothing, is a UserMistake.
    """
    if not task_ids and pattern is None:
        return list(spec.tasks)
    chosen = _find_named(spec, task_ids) | _find_matching(spec, pattern)
    parents = {task.task_id: task.upstream for task in spec.tasks}
    wanted = set(chosen)
    if upstream:
        wanted |= _collect_reachable(chosen, parents)
    if downstream:
        wanted |= _collect_reachable(chosen, _children(spec))
    return [task for task in spec.tasks if task.task_id in wanted]


def select_instances(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    chosen: Iterable[TaskSpec] | None = None,
    *,
    map_index: int | None = None,
    only_failed: bool = False,
) -> list[TaskInstanceRow]:
    """The task instances of the run that belong to the chosen tasks (None: to any)."""
    task_ids = {task.task_id for task in chosen} if chosen is not None else None
    return [
        row
        for row in list_task_instances(tx, dag, run)
        if (task_ids is None or row.task_id in task_ids)
        and (map_index is None or row.map_index == map_index)
        and (not only_failed or row.state in _FAILED_STATES)
    ]


def _find_named(spec: DagSpec, task_ids: Collection[str]) -> set[str]:
    known = {task.task_id for task in spec.tasks}
    for task_id in task_ids:
        if task_id not in known:
            raise task_not_found(spec.dag_id, task_id, known)
    return set(task_ids)


def _find_matching(spec: DagSpec, pattern: re.Pattern[str] | None) -> set[str]:
    if pattern is None:
        return set()
    found = {task.task_id for task in spec.tasks if pattern.search(task.task_id)}
    if not found:
        raise UserError(
            f"no task of DAG {spec.dag_id!r} matches {pattern.pattern!r}; "
            f"`gnomon tasks list {spec.dag_id}` shows their ids"
        )
    return found


def _children(spec: DagSpec) -> Mapping[str, Iterable[str]]:
    children: dict[str, list[str]] = {task.task_id: [] for task in spec.tasks}
    for task in spec.tasks:
        for parent in task.upstream:
            children[parent].append(task.task_id)
    return children


def _collect_reachable(start: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    reached: set[str] = set()
    open_ends = list(start)
    while open_ends:
        for neighbour in edges[open_ends.pop()]:
            if neighbour not in reached:
                reached.add(neighbour)
                open_ends.append(neighbour)
    return reached
