"""Selects tasks of a DAG by id or pattern, with their upstream or downstream tasks, and their instances in a run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from gnomon.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import TaskInstanceState
from gnomon.report.listings.not_found import task_not_found
from gnomon.report.listings.run_list import TaskInstanceRow, list_task_instances
from gnomon.store import Transaction

_INSTANCE_NAME = re.compile(r"(?P<task_id>.+)\[(?P<map_index>[0-9]{1,9})\]")
_FAILED_STATES = frozenset({TaskInstanceState.FAILED.value, TaskInstanceState.UPSTREAM_FAILED.value})


def split_instance_name(name: str) -> tuple[str, int | None]:
    """The task id and the map index of a name such as `load[1]`, as listings and reasons write it; (name, None) for a task id."""
    found = _INSTANCE_NAME.fullmatch(name)
    return (name, None) if found is None else (found["task_id"], int(found["map_index"]))


def split_instance_names(names: Iterable[str]) -> dict[str, frozenset[int] | None]:
    """By task id, the map indices that the names select; None when one of them selects all instances of the task."""
    selected: dict[str, frozenset[int] | None] = {}
    for task_id, map_index in map(split_instance_name, names):
        before = selected.get(task_id, frozenset())
        selected[task_id] = None if before is None or map_index is None else before | {map_index}
    return selected


def select_tasks(
    spec: DagSpec,
    task_ids: Collection[str] = (),
    pattern: re.Pattern[str] | None = None,
    *,
    upstream: bool = False,
    downstream: bool = False,
) -> list[TaskSpec]:
    """The tasks with these ids, and those whose id the pattern matches anywhere; in topological order.

    `upstream` and `downstream` add all tasks before or after them. Without ids and pattern, all tasks are selected. Raises
    UserError for an unknown id or a pattern without a match.
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
    map_indices: Mapping[str, Collection[int] | None] = MappingProxyType({}),
    only_failed: bool = False,
) -> list[TaskInstanceRow]:
    """The task instances of the run that belong to the chosen tasks (None: to any task).

    `map_index`: only this one. `map_indices`: by task id, only these; None or no entry for all. `only_failed`: only instances in state failed or upstream_failed.
    """
    task_ids = {task.task_id for task in chosen} if chosen is not None else None
    return [
        row
        for row in list_task_instances(tx, dag, run)
        if (task_ids is None or row.task_id in task_ids)
        and (map_index is None or row.map_index == map_index)
        and ((indices := map_indices.get(row.task_id)) is None or row.map_index in indices)
        and (not only_failed or row.state in _FAILED_STATES)
    ]


def keep_failed(rows: Iterable[TaskInstanceRow]) -> list[TaskInstanceRow]:
    """The instances in state failed or upstream_failed."""
    return [row for row in rows if row.state in _FAILED_STATES]


def _find_named(spec: DagSpec, task_ids: Collection[str]) -> set[str]:
    known = {task.task_id for task in spec.tasks}
    for task_id in task_ids:
        if task_id not in known:
            raise task_not_found(spec.dag_id, task_id, known)
    return set(task_ids)


def _find_matching(spec: DagSpec, pattern: re.Pattern[str] | None) -> set[str]:
    if pattern is None:
        return set()
    matching = {task.task_id for task in spec.tasks if pattern.search(task.task_id)}
    if not matching:
        raise UserError(
            f"no task of DAG {spec.dag_id!r} matches {pattern.pattern!r}; "
            f"`gnomon tasks list {spec.dag_id}` lists all tasks"
        )
    return matching


def _children(spec: DagSpec) -> Mapping[str, Iterable[str]]:
    children: dict[str, list[str]] = {task.task_id: [] for task in spec.tasks}
    for task in spec.tasks:
        for parent in task.upstream:
            children[parent].append(task.task_id)
    return children


def _collect_reachable(start: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    reached: set[str] = set()
    unvisited = list(start)
    while unvisited:
        for neighbour in edges[unvisited.pop()]:
            if neighbour not in reached:
                reached.add(neighbour)
                unvisited.append(neighbour)
    return reached
