"""The graph of a DAG: connecting tasks, finding the relatives of a task, sorting topologically, finding a cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.nodes.edges import iter_nodes
from gnomon.model.errors.authoring import AirflowDagCycleException, AirflowException

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.edges import EdgeModifier
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode

TaskT = TypeVar("TaskT", bound="TaskNode")

CYCLE_SHOWN_MAX = 20
"""The most tasks of a cycle that a message names."""


def connect_all(task: TaskNode, other: Any, *, upstream: bool, edge_modifier: EdgeModifier | None) -> None:
    """Connect `other`, a node or a list of nodes, directly before (`upstream`) or after `task`.

    Raises TypeError for a value that is not a node, and AirflowException when two tasks are not in one DAG.
    """
    try:
        nodes = list(iter_nodes(other))
    except TypeError as error:
        raise TypeError(f"Task {task.task_id!r}{format_location(task._location)}: {error}") from None
    for node in nodes:
        node.update_relative(task, upstream=not upstream, edge_modifier=edge_modifier)
        for neighbour in node.leaves if upstream else node.roots:
            if upstream:
                connect_tasks(neighbour, task, edge_modifier)
            else:
                connect_tasks(task, neighbour, edge_modifier)


def connect_tasks(before: TaskNode, after: TaskNode, edge_modifier: EdgeModifier | None = None) -> None:
    """Add an edge between two tasks; a task without a DAG joins the DAG of the other task.

    Raises AirflowException when the tasks belong to two DAGs, or to none.
    """
    dag = _find_common_dag(before, after)
    before.downstream_task_ids.add(after.task_id)
    after.upstream_task_ids.add(before.task_id)
    if edge_modifier is not None:
        edge_modifier.add_edge_info(dag, before.task_id, after.task_id)


def _find_common_dag(before: TaskNode, after: TaskNode) -> DagNode:
    for member, newcomer in ((before, after), (after, before)):
        if member.has_dag() and not newcomer.has_dag():
            newcomer.dag = member.dag
    if not before.has_dag():
        raise AirflowException(
            f"Tasks {before.task_id!r}{format_location(before._location)} and {after.task_id!r}{format_location(after._location)} were connected, "
            "but neither belongs to a DAG. Make them inside `with DAG(...):`, or give them dag=."
        )
    if before.dag is not after.dag:
        raise AirflowException(
            f"Task {before.task_id!r}{format_location(before._location)} of DAG {before.dag_id!r} and task "
            f"{after.task_id!r}{format_location(after._location)} of DAG {after.dag_id!r} cannot be connected: "
            "an edge joins two tasks of one DAG."
        )
    dag: DagNode = before.dag
    return dag


def find_relatives(dag: DagNode, task_id: str, *, upstream: bool, depth: int | None = None) -> set[str]:
    """Return the ids of all tasks after the task, or before it (`upstream`), at most `depth` edges away; None: at any distance.

    Raises ValueError for a negative depth.
    """
    if depth is not None and depth < 0:
        raise ValueError(f"depth must be non-negative, not {depth}")
    relatives: set[str] = set()
    level = {task_id}
    while level and depth != 0:
        tasks = [dag.get_task(each) for each in level]
        level = (
            set().union(*(task.upstream_task_ids if upstream else task.downstream_task_ids for task in tasks))
            - relatives
        )
        relatives |= level
        depth = None if depth is None else depth - 1
    return relatives


def sort_topologically(tasks: Mapping[str, TaskT], dag_id: str) -> list[TaskT]:
    """Return the tasks in topological order; tasks without an order between them stay in the order of definition.

    Raises AirflowDagCycleException when the graph has a cycle.
    """
    import heapq  # only when a DAG is built

    number = {task_id: index for index, task_id in enumerate(tasks)}
    waiting = {task_id: len(task.upstream_task_ids) for task_id, task in tasks.items()}
    ready = [number[task_id] for task_id, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    by_number = list(tasks.values())
    order: list[TaskT] = []
    while ready:
        task = by_number[heapq.heappop(ready)]
        order.append(task)
        for after in task.downstream_task_ids:
            waiting[after] -= 1
            if waiting[after] == 0:
                heapq.heappush(ready, number[after])
    if len(order) < len(tasks):
        raise _cycle_error(tasks, {task_id for task_id, count in waiting.items() if count > 0}, dag_id)
    return order


def sort_children(children: Mapping[str, Any], dag_id: str) -> list[Any]:
    """Return the children (tasks, or groups with `iter_tasks`) of a group in topological order, ties in the order of definition.

    Raises AirflowDagCycleException when they depend on one another in a circle.
    """
    tasks = {
        key: list(child.iter_tasks()) if hasattr(child, "iter_tasks") else [child] for key, child in children.items()
    }
    home = {task.task_id: key for key, members in tasks.items() for task in members}
    missing = {
        key: {home[before] for task in members for before in task.upstream_task_ids if before in home} - {key}
        for key, members in tasks.items()
    }
    after: dict[str, list[str]] = {}
    for key, needed in missing.items():
        for before in needed:
            after.setdefault(before, []).append(key)
    order: list[str] = []
    ready = [key for key, needed in missing.items() if not needed]
    while ready:
        order += ready
        following = []
        for done in ready:
            for key in after.get(done, ()):
                missing[key].discard(done)
                if not missing[key]:
                    following.append(key)
        ready = following
    if len(order) < len(children):
        stuck = [key for key in children if missing[key]]
        raise AirflowDagCycleException(
            f"In DAG {dag_id!r}, these depend on one another in a circle: {', '.join(_shortened(stuck))}."
        )
    return [children[key] for key in order]


def _cycle_error(tasks: Mapping[str, TaskNode], stuck: set[str], dag_id: str) -> AirflowDagCycleException:
    path = find_cycle(tasks, stuck)
    last = tasks[path[-2]]
    return AirflowDagCycleException(
        f"The tasks of DAG {dag_id!r} form a cycle: {' >> '.join(_shortened(path))}. "
        f"Remove one of these edges, for example {path[-2]} >> {path[-1]}{format_location(last._location)}."
    )


def _shortened(path: list[str]) -> list[str]:
    return (
        path if len(path) <= CYCLE_SHOWN_MAX else [*path[: CYCLE_SHOWN_MAX // 2], "...", *path[-CYCLE_SHOWN_MAX // 2 :]]
    )


def find_cycle(tasks: Mapping[str, TaskNode], stuck: Iterable[str]) -> list[str]:
    """Return the ids along one cycle among the tasks `stuck`; the first id is also the last."""
    among = set(stuck)
    task_id = next(task_id for task_id in tasks if task_id in among)
    seen_ids: dict[str, None] = {}
    # Every stuck task has a stuck task upstream, so walking upstream reaches a task twice.
    while task_id not in seen_ids:
        seen_ids[task_id] = None
        task_id = min(tasks[task_id].upstream_task_ids & among)
    path = list(seen_ids)
    cycle = [*path[path.index(task_id) :], task_id]
    return cycle[::-1]


def find_ends(tasks: Iterable[TaskT], *, leaves: bool) -> list[TaskT]:
    """Return the tasks without downstream tasks (`leaves`), or without upstream tasks."""
    return [task for task in tasks if not (task.downstream_task_ids if leaves else task.upstream_task_ids)]
