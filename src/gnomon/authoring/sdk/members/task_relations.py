"""The relations of a task: its upstream and downstream tasks, setup and teardown, inlets and outlets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, cast

from gnomon.authoring.sdk.members.xcom_arg import XComArg, iter_xcom_references
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.nodes.edges import DependencyMixin
from gnomon.authoring.sdk.nodes.node_relatives import NodeRelatives
from gnomon.authoring.sdk.nodes.setup_teardown import Scope, make_scope
from gnomon.authoring.sdk.nodes.topology import connect_all, find_relatives

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.edges import EdgeModifier
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode


class TaskRelations(NodeRelatives, DependencyMixin):
    """Base class of BaseOperator: the methods that concern other tasks."""

    inlets: list[Any]
    outlets: list[Any]
    is_setup: bool
    is_teardown: bool
    on_failure_fail_dagrun: bool

    if TYPE_CHECKING:
        task_id: str

        @property
        def dag(self) -> DagNode: ...

    @property
    def roots(self) -> Sequence[TaskNode]:
        return [cast("TaskNode", self)]

    @property
    def leaves(self) -> Sequence[TaskNode]:
        return [cast("TaskNode", self)]

    def get_flat_relative_ids(self, upstream: bool = False, depth: int | None = None) -> set[str]:
        """Return the ids of all tasks after this task, or before it (`upstream`), at most `depth` edges away; None: at any distance."""
        return find_relatives(self.dag, self.task_id, upstream=upstream, depth=depth)

    def get_flat_relatives(self, upstream: bool = False, depth: int | None = None) -> Sequence[TaskNode]:
        """Return the tasks of `get_flat_relative_ids`, sorted by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.get_flat_relative_ids(upstream, depth))]

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        connect_all(cast("TaskNode", self), other, upstream=True, edge_modifier=edge_modifier)

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        connect_all(cast("TaskNode", self), other, upstream=False, edge_modifier=edge_modifier)

    def connect_references(self, names: Iterable[str]) -> None:
        """Make each task to whose XCom one of these attributes refers come before this task."""
        for name in names:
            for task, _key in iter_xcom_references(getattr(self, name, None)):
                if task is not cast("TaskNode", self) and task.task_id not in self.upstream_task_ids:
                    self.set_upstream(task)

    @property
    def output(self) -> XComArg:
        """A reference to the value that `execute` will return."""
        return XComArg(cast("TaskNode", self))

    def add_inlets(self, inlets: Iterable[Any]) -> None:
        """Add inlets: assets that the task reads."""
        self.inlets.extend(inlets)

    def add_outlets(self, outlets: Iterable[Any]) -> None:
        """Add outlets: assets that the task writes."""
        self.outlets.extend(outlets)

    def as_setup(self) -> Self:
        """Mark the task as a setup task and return the task. Raises ValueError for a teardown task."""
        if self.is_teardown:
            raise ValueError(f"Cannot mark task {self.task_id!r} as setup: it is a teardown task already.")
        self.is_setup = True
        return self

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> Self:
        """Mark the task as a teardown task and return the task; `setups` become setup tasks directly before it."""
        if self.is_setup:
            raise ValueError(f"Cannot mark task {self.task_id!r} as teardown: it is a setup task already.")
        self.is_teardown = True
        self.trigger_rule: Any = "all_done_setup_success"
        if on_failure_fail_dagrun is not None:
            self.on_failure_fail_dagrun = on_failure_fail_dagrun
        if setups is not None:
            for setup in setups if isinstance(setups, list | tuple | set) else [setups]:
                setup.as_setup()
                setup.set_downstream(self)
        return self

    def __enter__(self) -> Scope:
        """Open the block of this setup or teardown. Raises TypeError when the task is neither."""
        scope = make_scope(cast("TaskNode", self))
        authoring_state.push_scope(scope)
        return scope

    def __exit__(self, *exc: object) -> None:
        authoring_state.pop_scope().close()
