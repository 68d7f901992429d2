"""DAGs that wait for one another in a circle within one period, found among runs and tasks.

A run begins, its tasks follow one another, it ends. A dependency of a DAG lies between an end (of the upstream's run, or
of one task of it) and a beginning; a dependency of a task between such an end and the task. Whoever comes back to where
he started waits for ever. So two DAGs may wait for each other's tasks, as long as the tasks form no circle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from gnomon.dependencies.shape import Shape

MOST_SEARCHES = 64
"""A circle of its own is looked for so often in each knot of DAGs; the others are told the first one."""
SHOWN_MOST = 12
"""So many names of a circle are told."""
_BEGIN, _TASK, _END = range(3)


class Point(NamedTuple):
    """The beginning or the end of a run, or one task of it."""

    dag_id: str
    phase: int
    task_id: str = ""

    @property
    def label(self) -> str:
        return f"{self.dag_id}.{self.task_id}" if self.phase == _TASK else self.dag_id


Node = TypeVar("Node")
Waits = dict[Point, tuple[Point, ...]]
"""Point to what comes directly before it."""


def circles(shapes: Mapping[str, Shape]) -> dict[str, str]:
    """Each DAG that is in a circle, to one circle through it: `a -> b -> a`, where each waits for the next."""
    found: dict[str, str] = {}
    for several in _knots({dag_id: _ups(shape, shapes) for dag_id, shape in shapes.items()}):
        waits = _waits({dag_id: shapes[dag_id] for dag_id in several})
        for knot in _knots(waits):
            found.update(_told(sorted(knot), waits, frozenset(knot)))
    return found


def _ups(shape: Shape, shapes: Mapping[str, Shape]) -> tuple[str, ...]:
    """The DAGs that one waits for within the period."""
    return tuple(dict.fromkeys(
        edge.after.dag_id for edge in shape.edges if not edge.after.previous and edge.after.dag_id in shapes
    ))  # fmt: skip


def _waits(shapes: Mapping[str, Shape]) -> Waits:
    """All points of these DAGs. What is upstream outside of them is left out, and so is a task that is not there."""
    before: dict[Point, list[Point]] = {}
    for dag_id, shape in shapes.items():
        begin, end = Point(dag_id, _BEGIN), Point(dag_id, _END)
        before[begin] = []
        before[end] = [begin]
        for task_id, upstream in shape.upstream.items():
            point = Point(dag_id, _TASK, task_id)
            before[point] = [begin, *(Point(dag_id, _TASK, one) for one in upstream)]
            before[end].append(point)
    for dag_id, shape in shapes.items():
        for edge in shape.edges:
            here = Point(dag_id, _BEGIN) if edge.task_id is None else Point(dag_id, _TASK, edge.task_id)
            after = edge.after
            there = Point(after.dag_id, _END) if after.task_id is None else Point(after.dag_id, _TASK, after.task_id)
            if not after.previous and there in before:
                before[here].append(there)
    return {point: tuple(several) for point, several in before.items()}


def _told(points: list[Point], waits: Waits, knot: frozenset[Point]) -> dict[str, str]:
    """The DAGs of one knot, each with a circle through it."""
    found: dict[str, str] = {}
    searches = 0
    for point in points:
        if point.dag_id in found:
            continue
        if searches == MOST_SEARCHES:
            found[point.dag_id] = next(iter(found.values()))
            continue
        searches += 1
        for dag_id, words in _words(_shown(_shortest(point, waits, knot))):
            found.setdefault(dag_id, words)
    return found


def _shortest(start: Point, waits: Waits, knot: frozenset[Point]) -> list[Point]:
    """The points of a shortest circle through `start`, each before the one that it waits for."""
    came: dict[Point, Point] = {}
    queue = deque([start])
    while queue:
        point = queue.popleft()
        for before in waits[point]:
            if before == start:
                circle = [point]
                while point != start:
                    point = came[point]
                    circle.append(point)
                return circle[::-1]
            if before in knot and before not in came:
                came[before] = point
                queue.append(before)
    raise AssertionError("every point of a knot lies on a circle")


def _shown(circle: list[Point]) -> list[Point]:
    """The points that are named: no task that only tasks of its own DAG come before and after, and each name once in a row."""
    around = zip(circle[-1:] + circle[:-1], circle, circle[1:] + circle[:1], strict=True)
    shown = [here for before, here, after in around if here.phase != _TASK or not before.dag_id == here.dag_id == after.dag_id]
    shown = shown or circle
    return [here for at, here in enumerate(shown) if here.label != shown[at - 1].label] or shown[:1]


def _words(shown: list[Point]) -> Iterator[tuple[str, str]]:
    """`a -> b.load -> b -> a`, for each DAG from itself on; the middle of a long one is only counted."""
    first: dict[str, int] = {}
    for at, here in enumerate(shown):
        if here.dag_id not in first or (here.phase != _TASK and shown[first[here.dag_id]].phase == _TASK):
            first[here.dag_id] = at
    count = len(shown)
    for dag_id, at in first.items():
        labels = [shown[(at + step) % count].label for step in range(min(count, SHOWN_MOST))]
        middle = [f"({count - SHOWN_MOST} more)"] if count > SHOWN_MOST else []
        yield dag_id, " -> ".join([*labels, *middle, shown[at].label])


def _knots(before: Mapping[Node, Iterable[Node]]) -> Iterator[list[Node]]:
    """Nodes that all lead to one another; single ones only if they lead to themselves (Tarjan's algorithm)."""
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
                    knot = _taken_until(node, open_nodes)
                    if len(knot) > 1 or node in before[node]:
                        yield knot


def _taken_until(node: Node, open_nodes: dict[Node, None]) -> list[Node]:
    """The nodes that were opened last, down to `node`; they are open no more."""
    knot: list[Node] = []
    while not knot or knot[-1] != node:
        knot.append(open_nodes.popitem()[0])
    return knot
