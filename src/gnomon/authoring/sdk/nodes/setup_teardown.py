"""`with setup:` and `with teardown:` blocks: the tasks made inside run between the setup and the teardown.

The edges are those of Airflow, except for the nested blocks that docs/reference/airflow-differences.md lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.nodes.edges import iter_nodes
from gnomon.model.errors.authoring import AirflowException

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import TaskNode


class NoSetupOrTeardown(AirflowException, TypeError):
    """A `with` block was opened with a task that is neither a setup nor a teardown."""


class Scope:
    """One block. Its first tasks come after `setups` and its last tasks before `teardowns`.

    A task that was made inside and has an upstream task is not a first task; a task that has a downstream task is not a
    last task. Where no task is left, the task made first is the first task and the task made last is the last task. An
    inner block begins with its own setups, if it has any, and ends with its own teardowns.
    """

    def __init__(self, setups: list[TaskNode], teardowns: list[TaskNode]) -> None:
        self.setups = setups
        self.teardowns = teardowns
        self.tasks: list[TaskNode] = []
        self.inner: list[Scope] = []

    def add_task(self, task: Any) -> None:
        """Add a task, or a list of tasks, that was made outside the block."""
        for node in iter_nodes(task):
            self.tasks.extend(leaf for leaf in node.leaves if leaf not in self.tasks)

    def close(self) -> None:
        """Connect the setups, the tasks, the inner blocks and the teardowns of the block."""
        first = self._work(lambda scope: not scope.setups)
        _connect(self.setups, [task for task in first if not task.upstream_task_ids] or first[:1])
        _connect(self.setups, self._of_inner(lambda scope: scope.setups))
        last = self._work(lambda scope: not scope.teardowns)
        _connect([task for task in last if not task.downstream_task_ids] or last[-1:], self.teardowns)
        _connect(self._of_inner(lambda scope: scope.teardowns), self.teardowns)

    def _work(self, is_open: Callable[[Scope], bool]) -> list[TaskNode]:
        """Return the tasks of the block without setups and teardowns, and those of each inner block for which `is_open` is true."""
        work = [task for task in self.tasks if not task.is_setup and not task.is_teardown]
        for scope in self.inner:
            if is_open(scope):
                work += scope._work(is_open)
        return work

    def _of_inner(self, side: Callable[[Scope], list[TaskNode]]) -> list[TaskNode]:
        """Return the setups (or teardowns) of the inner blocks; for an inner block without any, those of its inner blocks."""
        return [task for scope in self.inner for task in side(scope) or scope._of_inner(side)]


def make_scope(task: TaskNode) -> Scope:
    """Return the block of a setup task (with its teardowns) or of a teardown task (with its setups).

    Raises TypeError when the task is neither.
    """
    if task.is_setup:
        return Scope([task], _nearest(task, lambda other: other.downstream_list, lambda other: other.is_teardown))
    elif task.is_teardown:
        return Scope(_nearest(task, lambda other: other.upstream_list, lambda other: other.is_setup), [task])
    raise NoSetupOrTeardown(
        f"Task {task.task_id!r} is neither setup nor teardown, so it cannot open a `with` block. "
        "Mark it with as_setup() or as_teardown() first."
    )


def _nearest(
    task: TaskNode, neighbours: Callable[[TaskNode], Sequence[TaskNode]], fits: Callable[[TaskNode], bool]
) -> list[TaskNode]:
    """Search outwards from `task`, level by level, and return the tasks of the first level in which a task fits."""
    level, seen_ids = neighbours(task), {task.task_id}
    while level:
        matches = [other for other in level if fits(other)]
        if matches:
            return matches
        seen_ids.update(other.task_id for other in level)
        beyond = {far.task_id: far for near in level for far in neighbours(near) if far.task_id not in seen_ids}
        level = list(beyond.values())
    return []


def _connect(before: list[TaskNode], after: list[TaskNode]) -> None:
    for upstream in before:
        for downstream in after:
            if downstream.task_id not in upstream.downstream_task_ids:
                upstream.set_downstream(downstream)
