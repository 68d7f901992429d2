"""The operands of `>>` and `<<` (tasks, task groups, XComArgs, labels), and the functions that connect lists of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import TaskNode


class DependencyMixin:
    """An operand of `>>` and `<<`. An edge into it ends at its `roots`; an edge out of it starts at its `leaves`."""

    @property
    @abstractmethod
    def roots(self) -> Sequence[TaskNode]:
        """The tasks at which an edge into this node ends."""

    @property
    @abstractmethod
    def leaves(self) -> Sequence[TaskNode]:
        """The tasks from which an edge out of this node starts."""

    @abstractmethod
    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other`, a node or a list of nodes, come directly before this node."""

    @abstractmethod
    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other`, a node or a list of nodes, come directly after this node."""

    def update_relative(self, other: Any, upstream: bool = True, edge_modifier: EdgeModifier | None = None) -> None:
        """Record that `other` was connected to this node; EdgeModifier and TaskGroup override it."""

    def as_setup(self) -> DependencyMixin:
        """Mark the leaves as setup tasks and return this node."""
        for task in self.leaves:
            task.is_setup = True
        return self

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> DependencyMixin:
        """Mark the leaves as teardown tasks of `setups` and return this node."""
        for task in self.leaves:
            task.as_teardown(setups=setups, on_failure_fail_dagrun=on_failure_fail_dagrun)
        return self

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """Yield (task, XCom key) of every XCom that this node refers to."""
        return ()

    def __lshift__(self, other: Any) -> Any:
        self.set_upstream(other)
        return other

    def __rshift__(self, other: Any) -> Any:
        self.set_downstream(other)
        return other

    def __rrshift__(self, other: Any) -> Any:
        self.__lshift__(other)
        return self

    def __rlshift__(self, other: Any) -> Any:
        self.__rshift__(other)
        return self


def iter_nodes(other: Any) -> Iterator[DependencyMixin]:
    """Yield `other`, or each node in a nested list of nodes. Raises TypeError for any other value."""
    if isinstance(other, DependencyMixin):
        yield other
    elif isinstance(other, Iterable) and not isinstance(other, str | bytes | dict):
        for item in other:
            yield from iter_nodes(item)
    else:
        raise TypeError(
            f"Only tasks, task groups, XComArgs, labels and lists of them can be connected, not {other!r} "
            f"({type(other).__name__}). Call a @task function to make its task."
        )


class EdgeModifier(DependencyMixin):
    """A label between the two sides of an edge. The edge is made when both sides are known."""

    def __init__(self, label: str | None = None) -> None:
        self.label = label
        self._upstream: list[DependencyMixin] = []
        self._downstream: list[DependencyMixin] = []

    @property
    def roots(self) -> Sequence[Any]:
        return [task for node in self._downstream for task in node.roots]

    @property
    def leaves(self) -> Sequence[Any]:
        return [task for node in self._upstream for task in node.leaves]

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other` the upstream side."""
        self._upstream.extend(iter_nodes(other))
        self._connect()

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other` the downstream side."""
        self._downstream.extend(iter_nodes(other))
        self._connect()

    def update_relative(self, other: Any, upstream: bool = True, edge_modifier: EdgeModifier | None = None) -> None:
        """Add `other`, which was connected to this label by its own `set_upstream` or `set_downstream`."""
        (self._upstream if upstream else self._downstream).append(other)
        self._connect()

    def _connect(self) -> None:
        for before in self._upstream:
            for after in self._downstream:
                before.set_downstream(after, edge_modifier=self)

    def add_edge_info(self, dag: Any, upstream_id: str, downstream_id: str) -> None:
        """Store the label of this edge in the DAG."""
        dag.set_edge_info(upstream_id, downstream_id, {"label": self.label})


def Label(label: str) -> EdgeModifier:  # noqa: N802 (the dialect's name)
    """Return a label for an edge: `a >> Label("why") >> b`."""
    return EdgeModifier(label=label)


def chain(*tasks: Any) -> None:
    """Connect each element to the next element. Two neighbouring lists are connected pair by pair.

    Raises TypeError for an element that cannot be connected, and ValueError for neighbouring lists of different length.
    """
    for before, after in pairwise(tasks):
        if isinstance(before, DependencyMixin):
            before.set_downstream(after)
        elif isinstance(after, DependencyMixin):
            after.set_upstream(before)
        elif not _is_node_list(before) or not _is_node_list(after):
            invalid = after if _is_node_list(before) else before
            raise TypeError(f"chain() takes tasks, task groups, XComArgs, labels and lists of them, not {invalid!r}.")
        elif len(before) != len(after):
            raise ValueError(
                f"chain() joins neighbouring lists one to one, and these have {len(before)} and {len(after)} elements. "
                "Make them equally long, or use cross_downstream() or chain_linear()."
            )
        else:
            for first, second in zip(before, after, strict=True):
                first.set_downstream(second)


def chain_linear(*elements: Any) -> None:
    """Connect every task of an element to every task of the next element.

    Raises ValueError when fewer than two elements hold tasks.
    """
    if not elements:
        raise ValueError("chain_linear() needs at least two elements; none were given.")
    lists = [list(iter_nodes(element)) for element in elements]
    lists = [nodes for nodes in lists if nodes]
    if len(lists) < 2:
        raise ValueError("chain_linear() needs at least two elements that are not empty.")
    for before, after in pairwise(lists):
        for node in before:
            node.set_downstream(after)


def cross_downstream(from_tasks: Any, to_tasks: Any) -> None:
    """Connect every task of `from_tasks` to every task of `to_tasks`."""
    after = list(iter_nodes(to_tasks))
    for task in iter_nodes(from_tasks):
        task.set_downstream(after)


def _is_node_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
