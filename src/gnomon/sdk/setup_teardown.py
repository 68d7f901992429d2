"""`with setup:` and `with teardown:` blocks: what is made inside runs between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.sdk import current
from gnomon.sdk.dependency import flatten

if TYPE_CHECKING:
    from gnomon.sdk.operator import BaseOperator


class Scope:
    """One block. Every task made inside runs after `setups` and before `teardowns`."""

    def __init__(self, setups: list[BaseOperator], teardowns: list[BaseOperator]) -> None:
        self.setups = setups
        self.teardowns = teardowns
        self.tasks: list[BaseOperator] = []

    def add_task(self, task: Any) -> None:
        """A task made elsewhere belongs to this block too."""
        for node in flatten(task):
            self.tasks.extend(one for one in node.leaves if one not in self.tasks)


def open_scope(task: BaseOperator) -> Scope:
    """The block of a setup task (with its teardowns) or of a teardown task (with its setups) is open."""
    if task.is_setup:
        scope = Scope([task], [one for one in task.downstream_list if one.is_teardown])
    elif task.is_teardown:
        scope = Scope([one for one in task.upstream_list if one.is_setup], [task])
    else:
        raise TypeError(
            f"Task {task.task_id!r} is neither setup nor teardown, so it cannot open a `with` block. "
            "Mark it with as_setup() or as_teardown() first."
        )
    current.scopes().append(scope)
    return scope


def close_scope() -> None:
    """The innermost block is done: its first tasks come after the setups, its last ones before the teardowns."""
    scope = current.scopes().pop()
    inside = [task for task in scope.tasks if task not in scope.setups and task not in scope.teardowns]
    ids = {task.task_id for task in inside}
    for task in inside:
        if not (task.upstream_task_ids & ids):
            _connect_unless_known(scope.setups, [task])
        if not ({one.task_id for one in task.downstream_list if not one.is_teardown} & ids) and not task.is_teardown:
            _connect_unless_known([task], scope.teardowns)
    if current.scopes():
        outer = current.scopes()[-1]
        outer.tasks.extend(task for task in [*scope.setups, *inside, *scope.teardowns] if task not in outer.tasks)


def _connect_unless_known(before: list[BaseOperator], after: list[BaseOperator]) -> None:
    for one in before:
        for other in after:
            if other.task_id not in one.downstream_task_ids:
                one.set_downstream(other)
