"""Edges between tasks: labels, and chains of several at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from gnomon.sdk.dependency import DependencyMixin, flatten


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
        self._upstream.extend(flatten(other))
        self._connect()

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """`other` comes after this label."""
        self._downstream.extend(flatten(other))
        self._connect()

    def update_relative(
        self, other: DependencyMixin, upstream: bool = True, edge_modifier: EdgeModifier | None = None
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
        elif not _is_list(before) or not _is_list(after):
            wrong = after if _is_list(before) else before
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
    lists = [list(flatten(element)) for element in elements]
    lists = [each for each in lists if each]
    if len(lists) < 2:
        raise ValueError("chain_linear() needs at least two elements that are not empty.")
    for before, after in pairwise(lists):
        for one in before:
            one.set_downstream(after)


def cross_downstream(from_tasks: Any, to_tasks: Any) -> None:
    """Every one of `to_tasks` comes after every one of `from_tasks`."""
    after = list(flatten(to_tasks))
    for task in flatten(from_tasks):
        task.set_downstream(after)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
