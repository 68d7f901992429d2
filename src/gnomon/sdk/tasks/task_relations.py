"""A task among others: what comes before and after it, what it sets up or tears down, what it reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from gnomon.sdk.dags.edges import DependencyMixin
from gnomon.sdk.dags.setup_teardown import Scope, close_scope, open_scope
from gnomon.sdk.dags.topology import connect_all, find_relatives
from gnomon.sdk.tasks.xcom_arg import XComArg, iter_xcom_references

if TYPE_CHECKING:
    from gnomon.sdk.dags.dag import DAG
    from gnomon.sdk.dags.edges import EdgeModifier
    from gnomon.sdk.tasks.operator import BaseOperator


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
        def dag(self) -> DAG: ...

    @property
    def roots(self) -> Sequence[BaseOperator]:
        return [cast("BaseOperator", self)]

    @property
    def leaves(self) -> Sequence[BaseOperator]:
        return [cast("BaseOperator", self)]

    @property
    def upstream_list(self) -> list[BaseOperator]:
        """The tasks directly before it, by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.upstream_task_ids)]

    @property
    def downstream_list(self) -> list[BaseOperator]:
        """The tasks directly after it, by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.downstream_task_ids)]

    def get_direct_relative_ids(self, upstream: bool = False) -> set[str]:
        """The ids of the tasks directly after it, or before."""
        return self.upstream_task_ids if upstream else self.downstream_task_ids

    def get_direct_relatives(self, upstream: bool = False) -> list[BaseOperator]:
        """The tasks directly after it, or before."""
        return self.upstream_list if upstream else self.downstream_list

    def get_flat_relative_ids(self, upstream: bool = False) -> set[str]:
        """The ids of all tasks after it, at any distance, or before."""
        return find_relatives(self.dag, self.task_id, upstream=upstream)

    def get_flat_relatives(self, upstream: bool = False) -> list[BaseOperator]:
        """All tasks after it, at any distance, or before; by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.get_flat_relative_ids(upstream))]

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        connect_all(cast("BaseOperator", self), other, upstream=True, edge_modifier=edge_modifier)

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        connect_all(cast("BaseOperator", self), other, upstream=False, edge_modifier=edge_modifier)

    def connect_references(self, names: Iterable[str]) -> None:
        """The tasks whose values stand in these attributes come before this one."""
        for name in names:
            for task, _key in iter_xcom_references(getattr(self, name, None)):
                if task is not self and task.task_id not in self.upstream_task_ids:
                    self.set_upstream(task)

    @property
    def output(self) -> XComArg:
        """What `execute` will return."""
        return XComArg(cast("BaseOperator", self))

    def add_inlets(self, inlets: Iterable[Any]) -> None:
        """It reads these as well."""
        self.inlets.extend(inlets)

    def add_outlets(self, outlets: Iterable[Any]) -> None:
        """It writes these as well."""
        self.outlets.extend(outlets)

    def as_setup(self) -> BaseOperator:
        """It is a setup task."""
        self.is_setup = True
        return cast("BaseOperator", self)

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> BaseOperator:
        """It is a teardown task; these setups (marked as such) come directly before it."""
        self.is_teardown = True
        self.trigger_rule: Any = "all_done_setup_success"
        if on_failure_fail_dagrun is not None:
            self.on_failure_fail_dagrun = on_failure_fail_dagrun
        if setups is not None:
            for setup in setups if isinstance(setups, list | tuple | set) else [setups]:
                setup.as_setup()
                setup.set_downstream(self)
        return cast("BaseOperator", self)

    def __enter__(self) -> Scope:
        """Tasks made inside run within this setup or before this teardown."""
        return open_scope(cast("BaseOperator", self))

    def __exit__(self, *exc: object) -> None:
        close_scope()
