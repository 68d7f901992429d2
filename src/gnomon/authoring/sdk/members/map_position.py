"""Where a map index is in the nested expansions of its task, and which values of another task belong to it.

The expansions of a task are those of its mapped groups, outermost first, then its own. Instances are numbered in mixed radix: the last
factor of the last expansion varies fastest. So the instances of a task inside one instance of a group have consecutive numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.authoring.sdk.members.resolved_sequences import read_element

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import TaskNode

Lengths = Sequence[Sequence[int]]
"""The lengths of the factors of each expansion, outermost first."""


def list_mapped_groups(task: TaskNode) -> list[Any]:
    """Return the mapped groups of the task, outermost first."""
    groups = []
    group = task.task_group
    while group is not None:
        if getattr(group, "expand_input", None) is not None:
            groups.append(group)
        group = group.parent_group
    return groups[::-1]


def list_expansions(task: TaskNode) -> list[Any]:
    """Return the nodes whose expansions make the instances of the task: its mapped groups, outermost first, then a mapped task itself."""
    return [*list_mapped_groups(task), *([task] if getattr(task, "is_mapped", False) else [])]


def find_element_indexes(level: int, map_index: int, lengths: Lengths) -> tuple[int, ...]:
    """Return the index of the element of each factor of the expansion number `level` (0: the outermost one)."""
    if level + 1 < len(lengths):
        map_index //= prod(length for inner in lengths[level + 1 :] for length in inner)
    own = lengths[level]
    if len(own) == 1:
        return (map_index % own[0],)
    indexes = []
    for length in reversed(own):
        indexes.append(map_index % length)
        map_index //= length
    return tuple(reversed(indexes))


def find_outer_index(levels: int, map_index: int, lengths: Lengths) -> int:
    """Return the number of the instance of the `levels` outermost expansions to which the map index belongs."""
    return map_index // prod(length for inner in lengths[levels:] for length in inner)


def pull_plain(arg: Any, ti: Any) -> Any:
    """Return the value of `arg`, a PlainXComArg, that the task instance `ti` gets; NOTSET when its task pushed no such XCom.

    That is one value for a task that is not mapped, and for an instance of a task in the same mapped groups; else the values of all
    instances of the task, or of those that are in the same instance of the common groups.
    """
    expansions = list_expansions(arg.operator)
    task_id, dag_id = arg.operator.task_id, arg.operator.dag_id
    if not expansions:
        return ti.xcom_pull(task_ids=task_id, dag_id=dag_id, key=arg.key, default=NOTSET)
    lengths: Lengths = getattr(ti, "factor_lengths", None) or ()
    common = _count_common_groups(arg.operator, getattr(ti, "task", None))
    if common == 0 or len(lengths) < common:
        from gnomon.authoring.sdk.members.lazy_xcoms import LazyXComSequence  # needs msgspec, which a DAG file does not

        values = LazyXComSequence(xcom_arg=arg, ti=ti)
        return values if getattr(arg.operator, "is_mapped", False) else values.to_list()
    outer = find_outer_index(common, ti.map_index, lengths)
    if common == len(expansions):
        return ti.xcom_pull(task_ids=task_id, dag_id=dag_id, key=arg.key, default=NOTSET, map_indexes=outer)
    total = ti.get_ti_count(dag_id, task_ids=[task_id], run_ids=[ti.run_id])
    width = total // prod(length for group in lengths[:common] for length in group)
    indexes = range(outer * width, (outer + 1) * width)
    pulled = ti.xcom_pull(task_ids=task_id, dag_id=dag_id, key=arg.key, default=NOTSET, map_indexes=indexes)
    return [value for value in pulled if is_given(value)]


def pull_elements(arg: Any, context: Mapping[str, Any], check: Callable[[Any], Any], total: int | None) -> Any:
    """Return the elements of the value of `arg`, a PlainXComArg, as a sequence that reads them when they are used.

    So the cost of an instance does not grow with the number of instances. `check` returns a value over which a task can be mapped, and
    raises for another one. `total`: the number of elements if it is known.
    """
    ti = context["ti"]
    if not hasattr(ti, "pull_xcom_element"):
        return check(arg.resolve(context))
    from gnomon.authoring.sdk.members.lazy_xcoms import (  # needs msgspec, which a DAG file does not
        LazyElements,
        LazyXComSequence,
    )

    if not list_expansions(arg.operator):
        return LazyElements(xcom_arg=arg, context=context, check=check)
    if _count_common_groups(arg.operator, getattr(ti, "task", None)) == 0:
        return check(LazyXComSequence(xcom_arg=arg, ti=ti, total=total))
    return check(arg.resolve(context))


def pull_element(
    arg: Any, context: Mapping[str, Any], check: Callable[[Any], Any], number: int, total: int | None
) -> Any:
    """Return one element of `pull_elements`. For the list, tuple or dict of a task that is not mapped, this is one call of the task instance.

    Every instance of a mapped task does this in a process of its own, where each function costs most when it is called for the first time.
    """
    ti, task = context["ti"], arg.operator
    if hasattr(ti, "pull_xcom_element") and not _is_expanded(task):
        element = ti.pull_xcom_element(task.task_id, task.dag_id, arg.key, number)
        if element is not None and element.value is not NOTSET:
            if element.container is not list:  # a task can be mapped over every list
                check(element.container())
            return element.value
    return read_element(pull_elements(arg, context, check, total), number)


def _is_expanded(task: TaskNode) -> bool:
    """Return whether `list_expansions` of the task has a node."""
    if getattr(task, "is_mapped", False):
        return True
    group = task.task_group
    while group is not None:
        if getattr(group, "expand_input", None) is not None:
            return True
        group = group.parent_group
    return False


def _count_common_groups(upstream: TaskNode, task: TaskNode | None) -> int:
    if task is None or not task.has_dag() or task.dag_id != upstream.dag_id:
        return 0
    mine, theirs = list_mapped_groups(task), list_mapped_groups(upstream)
    return sum(1 for own, other in zip(mine, theirs, strict=False) if own.group_id == other.group_id)
