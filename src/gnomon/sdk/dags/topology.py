"""The graph of a DAG: how edges come about, what follows what, the order, the cycle if there is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from gnomon.errors.authoring import AirflowDagCycleException, AirflowException
from gnomon.sdk.arguments.code_location import format_location
from gnomon.sdk.dags.edges import iter_nodes

if TYPE_CHECKING:
    from gnomon.sdk.dags.edges import EdgeModifier
    from gnomon.sdk.dags.node_types import DagNode, TaskNode

TaskT = TypeVar("TaskT", bound="TaskNode")


def connect_all(task: TaskNode, other: Any, *, upstream: bool, edge_modifier: EdgeModifier | None) -> None:
    """`other`, or each of them, is directly before (`upstream`) or after the task; all are in one DAG."""
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
    """There is an edge between the two; a task without a DAG joins the other's."""
    dag = _find_common_dag(before, after)
    before.downstream_task_ids.add(after.task_id)
    after.upstream_task_ids.add(before.task_id)
    if edge_modifier is not None:
        edge_modifier.add_edge_info(dag, before.task_id, after.task_id)


def _find_common_dag(before: TaskNode, after: TaskNode) -> DagNode:
    for one, other in ((before, after), (after, before)):
        if one.has_dag() and not other.has_dag():
            other.dag = one.dag
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


def find_relatives(dag: DagNode, task_id: str, *, upstream: bool) -> set[str]:
    """The ids of all tasks after this one, at any distance, or before it."""
    found: set[str] = set()
    todo = [task_id]
    while todo:
        task = dag.get_task(todo.pop())
        new = (task.upstream_task_ids if upstream else task.downstream_task_ids) - found
        found |= new
        todo.extend(new)
    return found


def sort_topologically(tasks: Mapping[str, TaskT], dag_id: str) -> list[TaskT]:
    """Every task after all that come before it, ties by the order of definition; AirflowDagCycleException for a circle."""
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


def _cycle_error(tasks: Mapping[str, TaskNode], stuck: set[str], dag_id: str) -> AirflowDagCycleException:
    path = find_cycle(tasks, stuck)
    last = tasks[path[-2]]
    return AirflowDagCycleException(
        f"Tasks of DAG {dag_id!r} wait for one another in a circle: {' >> '.join(path)}. "
        f"Remove one of these edges, for example {path[-2]} >> {path[-1]}{format_location(last._location)}."
    )


def find_cycle(tasks: Mapping[str, TaskNode], stuck: Iterable[str]) -> list[str]:
    """The ids along one circle among `stuck`, the first one again at the end."""
    among = set(stuck)
    task_id = min(among, key=list(tasks).index)
    seen: list[str] = []
    # Every stuck task has a stuck task upstream, so walking up must come round.
    while task_id not in seen:
        seen.append(task_id)
        task_id = min(tasks[task_id].upstream_task_ids & among)
    circle = [*seen[seen.index(task_id):], task_id]
    return circle[::-1]


def find_ends(tasks: Iterable[TaskT], *, leaves: bool) -> list[TaskT]:
    """The tasks with nothing after them, or nothing before."""
    return [task for task in tasks if not (task.downstream_task_ids if leaves else task.upstream_task_ids)]
