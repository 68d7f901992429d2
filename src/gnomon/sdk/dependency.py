"""What `>>` and `<<` connect: anything with ends (tasks, groups, XComArgs, labels)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.sdk.edges import EdgeModifier
    from gnomon.sdk.operator import BaseOperator


class DependencyMixin:
    """One side of an edge. `roots` start it, `leaves` end it."""

    @property
    @abstractmethod
    def roots(self) -> Sequence[BaseOperator]:
        """The tasks that an edge into this ends at."""

    @property
    @abstractmethod
    def leaves(self) -> Sequence[BaseOperator]:
        """The tasks that an edge out of this starts from."""

    @abstractmethod
    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """`other`, or each of them, comes directly before this."""

    @abstractmethod
    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """`other`, or each of them, comes directly after this."""

    def update_relative(
        self, other: DependencyMixin, upstream: bool = True, edge_modifier: EdgeModifier | None = None
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


def flatten(other: Any) -> Iterator[DependencyMixin]:
    """Each neighbour in a neighbour or a (nested) list of them; TypeError for anything else."""
    if isinstance(other, DependencyMixin):
        yield other
    elif isinstance(other, Iterable) and not isinstance(other, str | bytes | dict):
        for item in other:
            yield from flatten(item)
    else:
        raise TypeError(
            f"Only tasks, task groups, XComArgs, labels and lists of them can be connected, not {other!r} "
            f"({type(other).__name__}). Was a @task function named without calling it?"
        )
