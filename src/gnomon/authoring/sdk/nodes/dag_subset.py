"""`DAG.partial_subset`: a copy of a DAG with some of its tasks."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from gnomon.authoring.sdk.nodes.topology import find_relatives

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode

DagT = TypeVar("DagT", bound="DagNode")


def copy_subset(
    dag: DagT,
    task_ids: str | Iterable[str],
    *,
    downstream: bool,
    upstream: bool,
    direct_upstream: bool,
    depth: int | None,
) -> DagT:
    """Return a copy of the DAG with the matching tasks and those of their relatives that the flags name.

    A text matches every task whose id contains it. `depth`: the number of edges that are followed; None: all. Setups that a
    task of the copy needs, and the teardowns of these setups, are always in the copy.
    """
    if isinstance(task_ids, str):
        matched = [task for task in dag.tasks if task_ids in task.task_id]
    else:
        chosen_ids = set(task_ids)
        matched = [task for task in dag.tasks if task.task_id in chosen_ids]
    kept_ids = {task.task_id for task in matched}
    also: set[str] = set()
    for task in matched:
        also |= _relatives(dag, task, kept_ids, downstream=downstream, upstream=upstream, depth=depth)
    kept_ids |= also
    if direct_upstream:
        kept_ids |= {before for task_id in tuple(kept_ids) for before in dag.get_task(task_id).upstream_task_ids}
    return _pruned_copy(dag, kept_ids)


def _relatives(
    dag: DagNode, task: TaskNode, matched: set[str], *, downstream: bool, upstream: bool, depth: int | None
) -> set[str]:
    relatives: set[str] = set()
    if downstream:
        for task_id in find_relatives(dag, task.task_id, upstream=False, depth=depth):
            relatives.add(task_id)
            after = dag.get_task(task_id)
            if task_id not in matched and not after.is_setup and not after.is_teardown:
                relatives.update(needed_setups(dag, after))
    if upstream:
        for task_id in find_relatives(dag, task.task_id, upstream=True, depth=depth):
            relatives |= {task_id, *_teardowns(dag.get_task(task_id))}
    elif not task.is_setup and not task.is_teardown:
        relatives.update(needed_setups(dag, task))
    if task.is_setup and not downstream:
        relatives |= _teardowns(task)
    return relatives


def needed_setups(dag: DagNode, task: TaskNode) -> Iterator[str]:
    """Yield the ids of the setups before the task in whose scope it is, or that have no teardown, and of their teardowns."""
    after = find_relatives(dag, task.task_id, upstream=False)
    for task_id in find_relatives(dag, task.task_id, upstream=True):
        teardowns = _teardowns(dag.get_task(task_id))
        if dag.get_task(task_id).is_setup and (not teardowns or teardowns & after):
            yield task_id
            yield from teardowns - {task.task_id}


def _teardowns(setup: TaskNode) -> set[str]:
    return {task.task_id for task in setup.downstream_list if task.is_teardown} if setup.is_setup else set()


def _pruned_copy(dag: DagT, kept_ids: set[str]) -> DagT:
    other = copy.deepcopy(dag)
    state: dict[str, Any] = other.__dict__
    state["task_dict"] = {task_id: task for task_id, task in state["task_dict"].items() if task_id in kept_ids}
    _prune_group(state["task_group"], kept_ids)
    groups = set(state["task_group"].get_task_group_dict())
    state["node_locations"] = {
        key: line for key, line in state["node_locations"].items() if key in kept_ids or key in groups
    }
    for node in (*other.tasks, *state["task_group"].iter_groups()):
        node.upstream_task_ids &= kept_ids
        node.downstream_task_ids &= kept_ids
    for group in state["task_group"].iter_groups():
        group.upstream_group_ids &= groups
        group.downstream_group_ids &= groups
    state["partial"] = len(other.tasks) < len(dag.tasks)
    return other


def _prune_group(group: Any, kept_ids: set[str]) -> bool:
    """Remove the tasks that are not kept, and the groups that have none left. Return whether the group has children."""
    for key, child in tuple(group.children.items()):
        if not (_prune_group(child, kept_ids) if hasattr(child, "children") else key in kept_ids):
            del group.children[key]
    return bool(group.children)
