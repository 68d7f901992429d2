"""The DAG, the task group and the ids of a task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from gnomon.authoring.sdk.arguments.code_location import CodeLocation, format_location
from gnomon.authoring.sdk.arguments.converters import make_moment_aware
from gnomon.authoring.sdk.members.map_position import list_mapped_groups
from gnomon.authoring.sdk.nodes import authoring_state

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, GroupNode, TaskNode


class TaskMembership:
    """Base class of BaseOperator and MappedOperator: the methods that concern the DAG and the group of the task."""

    task_id: str
    task_group: GroupNode | None
    _location: CodeLocation | None

    if TYPE_CHECKING:

        @property
        def owner(self) -> str: ...

    @property
    def task_display_name(self) -> str:
        """The name that lists show: the argument, or the id of the task."""
        return self.__dict__.get("task_display_name") or self.task_id

    @task_display_name.setter
    def task_display_name(self, name: str | None) -> None:
        self.__dict__["task_display_name"] = name

    @property
    def dag(self) -> DagNode:
        """The DAG of the task. Raises RuntimeError when the task belongs to no DAG."""
        if self._dag is None:
            raise RuntimeError(
                f"Task {self.task_id!r}{format_location(self._location)} belongs to no DAG. "
                "Make it inside `with DAG(...):`, or give it dag=."
            )
        return self._dag

    @dag.setter
    def dag(self, dag: DagNode | None) -> None:
        if dag is None:
            self.__dict__["_dag"] = None
            return
        if self.task_group is None:
            self.__dict__["task_group"] = dag.task_group
            dag.add_task(self)
            dag.task_group.add(self)
        else:
            dag.add_task(self)

    _dag: DagNode | None = None

    def has_dag(self) -> bool:
        """Return whether the task belongs to a DAG."""
        return self._dag is not None

    def get_dag(self) -> DagNode | None:
        """Return the DAG of the task, or None."""
        return self._dag

    @property
    def dag_id(self) -> str:
        """The id of the DAG; `adhoc_<owner>` for a task without a DAG."""
        return self._dag.dag_id if self._dag is not None else f"adhoc_{self.owner}"

    @property
    def node_id(self) -> str:
        """The id of this node inside its group: `task_id`."""
        return self.task_id

    @property
    def label(self) -> str:
        """The id without the prefixes of the task groups."""
        group = self.task_group
        if group is not None and group.node_id and group.prefix_group_id:
            return self.task_id[len(group.node_id) + 1 :]
        return self.task_id

    def iter_mapped_task_groups(self) -> Iterator[Any]:
        """Yield the mapped groups of the task, innermost first."""
        yield from reversed(list_mapped_groups(cast("TaskNode", self)))

    def get_closest_mapped_task_group(self) -> Any:
        """Return the innermost mapped group of the task, or None."""
        return next(self.iter_mapped_task_groups(), None)

    def iter_mapped_dependants(self) -> Iterator[Any]:
        """Yield the mapped tasks and mapped task groups that have an instance for each element that this task returns."""
        nodes = [*self.dag.tasks, *self.dag.task_group_dict.values()]
        for node in nodes:
            mapped: Any = getattr(node, "mapped_input", None)
            if mapped is not None and any(task.task_id == self.task_id for task, _ in iter_lengths(mapped)):
                yield node

    def get_needs_expansion(self) -> bool:
        """Return whether the task has map indexes: it is mapped, or in a mapped group."""
        return bool(getattr(self, "is_mapped", False)) or self.get_closest_mapped_task_group() is not None


def iter_lengths(mapped_input: Any) -> Iterator[tuple[TaskNode, str]]:
    """Yield the (task, XCom key) whose values give the number of instances: not those inside literal lists and dicts."""
    for value in mapped_input.factors:
        if hasattr(value, "iter_references"):
            yield from value.iter_references()


def join_dag(task: Any, dag: DagNode | None, group: GroupNode | None) -> None:
    """Add the task to the DAG, to the group, and to the open setup or teardown block."""
    if dag is not None:
        dag.add_task(task)
    else:
        for name in ("start_date", "end_date"):
            date = task.__dict__.get(name)
            if date is not None:
                task.__dict__[name] = make_moment_aware(date)
    if group is not None:
        group.add(task)
    scope = authoring_state.current_scope()
    if scope is not None:
        scope.tasks.append(task)
