"""A task among others: what comes before and after it, what it sets up or tears down, what it reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, cast

from gnomon.sdk.dags import authoring_state
from gnomon.sdk.dags.edges import DependencyMixin
from gnomon.sdk.dags.setup_teardown import Scope, make_scope
from gnomon.sdk.dags.topology import connect_all, find_relatives
from gnomon.sdk.tasks.xcom_arg import XComArg, iter_xcom_references

if TYPE_CHECKING:
    from gnomon.sdk.dags.edges import EdgeModifier
    from gnomon.sdk.dags.node_types import DagNode, TaskNode


class TaskRelations(DependencyMixin):
    """BaseOperator's neighbours."""

    upstream_task_ids: set[str]
    downstream_task_ids: set[str]
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

    @property
    def upstream_list(self) -> Sequence[TaskNode]:
        """The tasks directly before it, by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.upstream_task_ids)]

    @property
    def downstream_list(self) -> Sequence[TaskNode]:
        """The tasks directly after it, by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.downstream_task_ids)]

    def get_direct_relative_ids(self, upstream: bool = False) -> set[str]:
        """The ids of the tasks directly after it, or before."""
        return self.upstream_task_ids if upstream else self.downstream_task_ids

    def get_direct_relatives(self, upstream: bool = False) -> Sequence[TaskNode]:
        """The tasks directly after it, or before."""
        return self.upstream_list if upstream else self.downstream_list

    def get_flat_relative_ids(self, upstream: bool = False) -> set[str]:
        """The ids of all tasks after it, at any distance, or before."""
        return find_relatives(self.dag, self.task_id, upstream=upstream)

    def get_flat_relatives(self, upstream: bool = False) -> Sequence[TaskNode]:
        """All tasks after it, at any distance, or before; by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.get_flat_relative_ids(upstream))]

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        connect_all(cast("TaskNode", self), other, upstream=True, edge_modifier=edge_modifier)

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        connect_all(cast("TaskNode", self), other, upstream=False, edge_modifier=edge_modifier)

    def connect_references(self, names: Iterable[str]) -> None:
        """The tasks whose values stand in these attributes come before this one."""
        for name in names:
            for task, _key in iter_xcom_references(getattr(self, name, None)):
                if task is not cast("TaskNode", self) and task.task_id not in self.upstream_task_ids:
                    self.set_upstream(task)

    @property
    def output(self) -> XComArg:
        """What `execute` will return."""
        return XComArg(cast("TaskNode", self))

    def add_inlets(self, inlets: Iterable[Any]) -> None:
        """It reads these as well."""
        self.inlets.extend(inlets)

    def add_outlets(self, outlets: Iterable[Any]) -> None:
        """It writes these as well."""
        self.outlets.extend(outlets)

    def as_setup(self) -> Self:
        """It is a setup task."""
        self.is_setup = True
        return self

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> Self:
        """It is a teardown task; these setups (marked as such) come directly before it."""
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
        """Tasks made inside run within this setup or before this teardown."""
        scope = make_scope(cast("TaskNode", self))
        authoring_state.push_scope(scope)
        return scope

    def __exit__(self, *exc: object) -> None:
        authoring_state.pop_scope().close()
