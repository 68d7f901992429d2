"""Faults of the dependencies between DAGs: cycles within one period, upstreams without slots, names that do not exist.

Cycles are searched in a graph of points: the begin and the end of a run, and its tasks. A dependency of a DAG leads from
an end (of the upstream's run, or of one of its tasks) to a begin; a dependency of a task leads from such an end to the
task. So two DAGs may wait for each other's tasks, as long as the points form no cycle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from gnomon.model.errors.product import find_close_matches
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.upstream_edges import Edge
from gnomon.rules.dependencies.shape import Shape

MAX_SEARCHES = 64
"""Most cycle searches per component of DAGs; the remaining DAGs get the first cycle that was found."""
MAX_SHOWN = 12
"""Most names of a cycle in a message."""
_BEGIN, _TASK, _END = range(3)


class WaitPoint(NamedTuple):
    """The begin or the end of a run, or one of its tasks."""

    dag_id: str
    phase: int
    task_id: str = ""

    @property
    def label(self) -> str:
        """`dag_id`, or `dag_id.task_id` of a task."""
        return f"{self.dag_id}.{self.task_id}" if self.phase == _TASK else self.dag_id


Node = TypeVar("Node")
WaitGraph = dict[WaitPoint, tuple[WaitPoint, ...]]
"""Each point with the points that come directly before it."""


def find_cycles(shapes: Mapping[str, Shape]) -> dict[str, str]:
    """Each DAG that is in a cycle, with one cycle through it: `a -> b -> a`, where each DAG waits for the next."""
    return {dag_id: words for circle in find_circles(shapes) for dag_id, words in circle.items()}


def find_circles(shapes: Mapping[str, Shape]) -> Iterator[dict[str, str]]:
    """The same, by cycle: the DAGs that are in none of those before, each with the cycle from that DAG on."""
    for dag_ids in _find_components({dag_id: _upstream_ids(shape, shapes) for dag_id, shape in shapes.items()}):
        waits = _build_wait_graph({dag_id: shapes[dag_id] for dag_id in dag_ids})
        for component in _find_components(waits):
            yield from _find_circles_in(sorted(component), waits, frozenset(component))


def _upstream_ids(shape: Shape, shapes: Mapping[str, Shape]) -> tuple[str, ...]:
    """The upstream DAGs of the dependencies within the same period."""
    return tuple(
        dict.fromkeys(
            edge.dependency.dag_id
            for edge in shape.edges
            if not edge.dependency.previous and edge.dependency.dag_id in shapes
        )
    )


def _build_wait_graph(shapes: Mapping[str, Shape]) -> WaitGraph:
    """The graph of all points of these DAGs. Upstream DAGs outside of them and tasks that do not exist are left out."""
    before: dict[WaitPoint, list[WaitPoint]] = {}
    for dag_id, shape in shapes.items():
        begin, end = WaitPoint(dag_id, _BEGIN), WaitPoint(dag_id, _END)
        before[begin] = []
        before[end] = [begin]
        for task_id, upstream in shape.upstream.items():
            point = WaitPoint(dag_id, _TASK, task_id)
            before[point] = [begin, *(WaitPoint(dag_id, _TASK, upstream_id) for upstream_id in upstream)]
            before[end].append(point)
    for dag_id, shape in shapes.items():
        for edge in shape.edges:
            waiter = WaitPoint(dag_id, _BEGIN) if edge.task_id is None else WaitPoint(dag_id, _TASK, edge.task_id)
            after = edge.dependency
            target = (
                WaitPoint(after.dag_id, _END)
                if after.task_id is None
                else WaitPoint(after.dag_id, _TASK, after.task_id)
            )
            if not after.previous and target in before:
                before[waiter].append(target)
    return {point: tuple(predecessors) for point, predecessors in before.items()}


def _find_circles_in(
    points: list[WaitPoint], waits: WaitGraph, component: frozenset[WaitPoint]
) -> Iterator[dict[str, str]]:
    circles: list[dict[str, str]] = []
    known: set[str] = set()
    for point in points:
        if point.dag_id in known:
            continue
        if len(circles) == MAX_SEARCHES:
            circles[0][point.dag_id] = next(iter(circles[0].values()))
            continue
        cycle = _format_cycles(_select_named_points(_find_shortest_cycle(point, waits, component)))
        circles.append({dag_id: words for dag_id, words in cycle if dag_id not in known})
        known |= circles[-1].keys()
    yield from circles


def _find_shortest_cycle(start: WaitPoint, waits: WaitGraph, component: frozenset[WaitPoint]) -> list[WaitPoint]:
    """The points of a shortest cycle through `start`; each waits for the next."""
    came: dict[WaitPoint, WaitPoint] = {}
    queue = deque([start])
    while queue:
        point = queue.popleft()
        for before in waits[point]:
            if before == start:
                cycle = [point]
                while point != start:
                    point = came[point]
                    cycle.append(point)
                return cycle[::-1]
            if before in component and before not in came:
                came[before] = point
                queue.append(before)
    raise AssertionError("every point of a component is on a cycle")


def _select_named_points(cycle: list[WaitPoint]) -> list[WaitPoint]:
    """The points that a message names: tasks between tasks of the same DAG and repeated names are left out."""
    around = zip(cycle[-1:] + cycle[:-1], cycle, cycle[1:] + cycle[:1], strict=True)
    shown = [
        here
        for before, here, after in around
        if here.phase != _TASK or not before.dag_id == here.dag_id == after.dag_id
    ]
    shown = shown or cycle
    return [here for at, here in enumerate(shown) if here.label != shown[at - 1].label] or shown[:1]


def _format_cycles(shown: list[WaitPoint]) -> Iterator[tuple[str, str]]:
    """The text `a -> b.load -> b -> a` for each DAG, from that DAG on; the middle of a long cycle is only counted."""
    first: dict[str, int] = {}
    for at, here in enumerate(shown):
        if here.dag_id not in first or (here.phase != _TASK and shown[first[here.dag_id]].phase == _TASK):
            first[here.dag_id] = at
    count = len(shown)
    for dag_id, at in first.items():
        labels = [shown[(at + step) % count].label for step in range(min(count, MAX_SHOWN))]
        middle = [f"({count - MAX_SHOWN} more)"] if count > MAX_SHOWN else []
        yield dag_id, " -> ".join([*labels, *middle, shown[at].label])


def _find_components(before: Mapping[Node, Iterable[Node]]) -> Iterator[list[Node]]:
    """The strongly connected components with a cycle: a single node only if it leads to itself (Tarjan's algorithm)."""
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: dict[Node, None] = {}
    for root in before:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        open_nodes[root] = None
        path = [(root, iter(before[root]))]
        while path:
            node, following = path[-1]
            for other in following:
                if other not in number:
                    number[other] = low[other] = len(number)
                    open_nodes[other] = None
                    path.append((other, iter(before[other])))
                    break
                if other in open_nodes:
                    low[node] = min(low[node], number[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    component = _pop_until(node, open_nodes)
                    if len(component) > 1 or node in before[node]:
                        yield component


def _pop_until(node: Node, open_nodes: dict[Node, None]) -> list[Node]:
    """Removes the open nodes from the last down to `node`, and returns them."""
    component: list[Node] = []
    while not component or component[-1] != node:
        component.append(open_nodes.popitem()[0])
    return component


def errors_of(shapes: Mapping[str, Shape]) -> dict[str, str]:
    """The DAGs of which no run may be planned, with the error: a cycle within one period, or an upstream without slots.

    `shapes`: all DAGs in files that have dependencies, and the DAGs that they wait for.
    """
    cycles = find_cycles(shapes)
    errors: dict[str, str] = {}
    for dag_id, shape in shapes.items():
        messages = _slotless_upstreams(dag_id, shape.edges, shapes)
        if dag_id in cycles:
            messages.append(render(say("dag_is_in_cycle", dag=dag_id, names=str(cycles[dag_id]))))
        if messages:
            errors[dag_id] = "; ".join(messages)
    return errors


def doubts_of(
    dag_id: str, edges: Iterable[Edge], dag_ids: Collection[str], tasks: Mapping[str, Collection[str]]
) -> list[str]:
    """Warnings for the dependencies of a DAG whose upstream DAG or task does not exist.

    `dag_ids`: all DAGs that are in a file. `tasks`: task ids by upstream DAG; tasks of other DAGs are not checked.
    """
    messages: dict[str, None] = {}
    for edge in edges:
        after = edge.dependency
        if after.dag_id not in dag_ids:
            doubt = say(
                "upstream_is_in_no_file",
                waiting=_describe_subject(dag_id, edge),
                dag=after.dag_id,
                hint=_suggest_name(after.dag_id, dag_ids),
            )
            messages[render(doubt)] = None
        elif after.task_id is not None and after.task_id not in tasks.get(after.dag_id, (after.task_id,)):
            doubt = say(
                "upstream_has_no_such_task",
                waiting=_describe_subject(dag_id, edge),
                task_id=after.task_id,
                dag=after.dag_id,
                hint=_suggest_name(after.task_id, tasks[after.dag_id]),
            )
            messages[render(doubt)] = None
    return list(messages)


def _slotless_upstreams(dag_id: str, edges: Iterable[Edge], shapes: Mapping[str, Shape]) -> list[str]:
    messages: dict[str, None] = {}
    for edge in edges:
        upstream = edge.dependency.dag_id
        why = shapes[upstream].slotless if upstream in shapes else None
        if why is not None:
            fault = say("upstream_has_no_slots", waiting=_describe_subject(dag_id, edge), dag=upstream, reason=why)
            messages[render(fault)] = None
    return list(messages)


def _describe_subject(dag_id: str, edge: Edge) -> Sentence:
    if edge.task_id is None:
        return say("waiting_dag", dag=dag_id)
    return say("waiting_task_of_dag", task_id=edge.task_id, dag=dag_id)


def _suggest_name(name: str, names: Collection[str]) -> Sentence | None:
    matches = find_close_matches(name, names, cutoff=0.7)
    return say("name_may_be_meant", name=matches[0]) if matches else None
