"""Deep copies of DAGs, task groups and tasks: every reference inside a copied DAG refers to a part of the copy."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, TypeVar

from gnomon.authoring.sdk.arguments.resolvable import Resolvable
from gnomon.authoring.sdk.nodes.edges import DependencyMixin

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, GroupNode, TaskNode

DagT = TypeVar("DagT", bound="DagNode")
GroupT = TypeVar("GroupT", bound="GroupNode")
TaskT = TypeVar("TaskT", bound="TaskNode")

_SHALLOW = frozenset({"user_defined_macros", "user_defined_filters"})
"""Attributes of a DAG whose values may be modules and clients, which cannot be copied."""
_CACHES = frozenset({"_environments", "_pattern"})
_CONTAINERS = (dict, list, tuple, set)


def copy_dag(dag: DagT, memo: dict[int, Any]) -> DagT:
    """Return a copy that shares nothing mutable with `dag`, except the values of its macros, filters and `shallow_copy_attrs`.

    Raises the error of `copy.deepcopy` for an attribute that cannot be copied, with a note that names the attribute.
    """
    other = copy.copy(dag)
    memo[id(dag)] = other
    for task in dag.tasks:
        # Every copy is in `memo` before any copy is filled: a value that refers to another task needs no recursion.
        if getattr(type(task), "__deepcopy__", None) is copy_task:
            memo[id(task)] = copy.copy(task)
    for task in dag.tasks:
        if getattr(type(task), "__deepcopy__", None) is copy_task:
            _fill(memo[id(task)], task, memo)
    for name, value in dag.__dict__.items():
        if name in _CACHES:
            del other.__dict__[name]
        else:
            other.__dict__[name] = _copied(name, value, memo, f"DAG {dag.dag_id!r}", shallow=name in _SHALLOW)
    return other


def copy_group(group: GroupT, memo: dict[int, Any]) -> GroupT:
    """Return the group in the copy of its DAG; the DAG is copied first when `memo` does not have it."""
    if id(group.dag) not in memo:
        copy.deepcopy(group.dag, memo)
    if id(group) not in memo:
        other = copy.copy(group)
        memo[id(group)] = other
        for name, value in group.__dict__.items():
            other.__dict__[name] = _copied(name, value, memo, f"task group {group.group_id!r}")
    return memo[id(group)]  # type: ignore[no-any-return]


def copy_task(task: TaskT, memo: dict[int, Any]) -> TaskT:
    """Return a copy of the task. The copy stays in the same DAG and group, unless the DAG is copied too."""
    other = copy.copy(task)
    memo[id(task)] = other
    _fill(other, task, memo)
    return other


def copy_reference(task: TaskT, memo: dict[int, Any]) -> TaskT:
    """Return the task for a copied value: the copy of `task` if its DAG is copied, else `task` itself."""
    dag = task.get_dag()
    return task if dag is not None and id(dag) not in memo else copy.deepcopy(task, memo)


def _fill(other: TaskNode, task: TaskNode, memo: dict[int, Any]) -> None:
    dag = task.get_dag()
    keeps_dag = dag is not None and id(dag) not in memo
    for name, value in task.__dict__.items():
        if name in _CACHES:
            del other.__dict__[name]
            continue
        if keeps_dag and name in ("_dag", "task_group"):
            continue
        shallow = name in task.shallow_copy_attrs
        other.__dict__[name] = _copied(name, value, memo, f"task {task.task_id!r}", shallow=shallow)


def _copied(name: str, value: Any, memo: dict[int, Any], owner: str, *, shallow: bool = False) -> Any:
    try:
        if not shallow:
            return copy.deepcopy(value, memo)
        return _new_containers(value, memo) if type(value) in _CONTAINERS else copy.copy(value)
    except Exception as error:
        error.add_note(f"While copying the attribute {name!r} of {owner}.")
        raise


def _new_containers(value: Any, memo: dict[int, Any]) -> Any:
    """Copy containers and keep their values; a reference to a task or group becomes a reference to its copy."""
    if isinstance(value, Resolvable | DependencyMixin) or id(value) in memo:
        return copy.deepcopy(value, memo)
    if type(value) is dict:
        return {key: _new_containers(item, memo) for key, item in value.items()}
    if type(value) in _CONTAINERS:
        return type(value)(_new_containers(item, memo) for item in value)
    return value
