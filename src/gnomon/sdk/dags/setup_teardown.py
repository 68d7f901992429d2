"""`with setup:` and `with teardown:` blocks: what is made inside runs between the two.

The relations are those that Airflow makes, except where it loses track of a block (docs/reference/airflow-differences.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.sdk.dags.edges import iter_nodes

if TYPE_CHECKING:
    from gnomon.sdk.dags.node_types import TaskNode


class Scope:
    """One block. Its first tasks come after `setups` and its last ones before `teardowns`.

    A task made inside that has an upstream task of any kind is no first task, and one that has a downstream task is no
    last one; where no task is left, the task made first is the first, or the task made last the last. A block inside
    begins with its own setups, if it has any, and ends with its own teardowns.
    """

    def __init__(self, setups: list[TaskNode], teardowns: list[TaskNode]) -> None:
        self.setups = setups
        self.teardowns = teardowns
        self.tasks: list[TaskNode] = []
        self.inner: list[Scope] = []

    def add_task(self, task: Any) -> None:
        """A task made elsewhere belongs to this block too."""
        for node in iter_nodes(task):
            self.tasks.extend(one for one in node.leaves if one not in self.tasks)

    def close(self) -> None:
        """The relations of the block are made."""
        first = self._work(lambda scope: not scope.setups)
        _connect(self.setups, [task for task in first if not task.upstream_task_ids] or first[:1])
        _connect(self.setups, self._of_inner(lambda scope: scope.setups))
        last = self._work(lambda scope: not scope.teardowns)
        _connect([task for task in last if not task.downstream_task_ids] or last[-1:], self.teardowns)
        _connect(self._of_inner(lambda scope: scope.teardowns), self.teardowns)

    def _work(self, is_open: Callable[[Scope], bool]) -> list[TaskNode]:
        """Its tasks but setups and teardowns, and those of the inner blocks that are open on this side."""
        work = [task for task in self.tasks if not task.is_setup and not task.is_teardown]
        for scope in self.inner:
            if is_open(scope):
                work += scope._work(is_open)
        return work

    def _of_inner(self, side: Callable[[Scope], list[TaskNode]]) -> list[TaskNode]:
        """The setups, or the teardowns, of the inner blocks; of their inner ones where they have none."""
        return [task for scope in self.inner for task in side(scope) or scope._of_inner(side)]


def make_scope(task: TaskNode) -> Scope:
    """Return the block of a setup task (with its teardowns) or of a teardown task (with its setups).

    Raises TypeError when the task is neither.
    """
    if task.is_setup:
        return Scope([task], _nearest(task, lambda one: one.downstream_list, lambda one: one.is_teardown))
    elif task.is_teardown:
        return Scope(_nearest(task, lambda one: one.upstream_list, lambda one: one.is_setup), [task])
    raise TypeError(
        f"Task {task.task_id!r} is neither setup nor teardown, so it cannot open a `with` block. "
        "Mark it with as_setup() or as_teardown() first."
    )


def _nearest(
    task: TaskNode, neighbours: Callable[[TaskNode], Sequence[TaskNode]], fits: Callable[[TaskNode], bool]
) -> list[TaskNode]:
    """The tasks that fit among the neighbours on one side; where none does, among those behind them, and so on."""
    level, seen = neighbours(task), {task.task_id}
    while level:
        found = [one for one in level if fits(one)]
        if found:
            return found
        seen.update(one.task_id for one in level)
        behind = {other.task_id: other for one in level for other in neighbours(one) if other.task_id not in seen}
        level = list(behind.values())
    return []


def _connect(before: list[TaskNode], after: list[TaskNode]) -> None:
    for one in before:
        for other in after:
            if other.task_id not in one.downstream_task_ids:
                one.set_downstream(other)
