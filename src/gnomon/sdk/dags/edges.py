"""What `>>` and `<<` connect: anything with ends (tasks, groups, XComArgs, labels)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.sdk.dags.node_types import TaskNode

class DependencyMixin:
    """One side of an edge. `roots` start it, `leaves` end it."""

    @property
    @abstractmethod
    def roots(self) -> Sequence[TaskNode]:
        """The tasks that an edge into this ends at."""

    @property
    @abstractmethod
    def leaves(self) -> Sequence[TaskNode]:
        """The tasks that an edge out of this starts from."""

    @abstractmethod
    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """`other`, or each of them, comes directly before this."""

    @abstractmethod
    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """`other`, or each of them, comes directly after this."""

    def update_relative(
        self, other: Any, upstream: bool = True, edge_modifier: EdgeModifier | None = None
    ) -> None:
        """This was made a neighbour of `other`; an edge modifier notes it."""

    def as_setup(self) -> DependencyMixin:
        """Its leaves are setup tasks."""
        for task in self.leaves:
            task.is_setup = True
        return self

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> DependencyMixin:
        """Its leaves are teardown tasks of these setups."""
        for task in self.leaves:
            task.as_teardown(setups=setups, on_failure_fail_dagrun=on_failure_fail_dagrun)
        return self

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """(task, XCom key) of every value this refers to."""
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
    """Each neighbour in a neighbour or a (nested) list of them; TypeError for anything else."""
    if isinstance(other, DependencyMixin):
        yield other
    elif isinstance(other, Iterable) and not isinstance(other, str | bytes | dict):
        for item in other:
            yield from iter_nodes(item)
    else:
        raise TypeError(
            f"Only tasks, task groups, XComArgs, labels and lists of them can be connected, not {other!r} "
            f"({type(other).__name__}). Was a @task function named without calling it?"
        )


class EdgeModifier(DependencyMixin):
    """Stands between the two sides of an edge and notes its label, whichever side comes first."""

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
        """`other` comes before this label."""
        self._upstream.extend(iter_nodes(other))
        self._connect()

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """`other` comes after this label."""
        self._downstream.extend(iter_nodes(other))
        self._connect()

    def update_relative(
        self, other: Any, upstream: bool = True, edge_modifier: EdgeModifier | None = None
    ) -> None:
        """`other` was connected to this label from its own side."""
        (self._upstream if upstream else self._downstream).append(other)
        self._connect()

    def _connect(self) -> None:
        for before in self._upstream:
            for after in self._downstream:
                before.set_downstream(after, edge_modifier=self)

    def add_edge_info(self, dag: Any, upstream_id: str, downstream_id: str) -> None:
        """The DAG knows the label of this edge."""
        dag.set_edge_info(upstream_id, downstream_id, {"label": self.label})


def Label(label: str) -> EdgeModifier:  # noqa: N802 (the dialect's name)
    """A label to put on an edge: `a >> Label("why") >> b`."""
    return EdgeModifier(label=label)


def chain(*tasks: Any) -> None:
    """Each element comes after the one before; two neighbouring lists are joined one to one and must be equally long."""
    for before, after in pairwise(tasks):
        if isinstance(before, DependencyMixin):
            before.set_downstream(after)
        elif isinstance(after, DependencyMixin):
            after.set_upstream(before)
        elif not _is_node_list(before) or not _is_node_list(after):
            wrong = after if _is_node_list(before) else before
            raise TypeError(f"chain() takes tasks, task groups, XComArgs, labels and lists of them, not {wrong!r}.")
        elif len(before) != len(after):
            raise ValueError(
                f"chain() joins neighbouring lists one to one, and these have {len(before)} and {len(after)} elements. "
                "Make them equally long, or use cross_downstream() or chain_linear()."
            )
        else:
            for one, other in zip(before, after, strict=True):
                one.set_downstream(other)


def chain_linear(*elements: Any) -> None:
    """Every task of an element comes after every task of the element before."""
    if not elements:
        raise ValueError("chain_linear() needs at least two elements; none were given.")
    lists = [list(iter_nodes(element)) for element in elements]
    lists = [each for each in lists if each]
    if len(lists) < 2:
        raise ValueError("chain_linear() needs at least two elements that are not empty.")
    for before, after in pairwise(lists):
        for one in before:
            one.set_downstream(after)


def cross_downstream(from_tasks: Any, to_tasks: Any) -> None:
    """Every one of `to_tasks` comes after every one of `from_tasks`."""
    after = list(iter_nodes(to_tasks))
    for task in iter_nodes(from_tasks):
        task.set_downstream(after)


def _is_node_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
