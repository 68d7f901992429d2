"""Task groups: tasks under a common prefix, with ends that edges go to and from."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from gnomon.errors.authoring import DuplicateTaskIdFound, TaskAlreadyInTaskGroup
from gnomon.sdk.arguments.code_location import CodeLocation, find_author_location, format_location
from gnomon.sdk.arguments.converters import check_group_id
from gnomon.sdk.dags import authoring_state
from gnomon.sdk.dags.dag_copy import copy_group
from gnomon.sdk.dags.edges import DependencyMixin, iter_nodes
from gnomon.sdk.dags.topology import connect_tasks

if TYPE_CHECKING:
    from gnomon.sdk.dags.edges import EdgeModifier
    from gnomon.sdk.dags.node_types import DagNode, TaskNode


class TaskGroup(DependencyMixin):
    """A group inside a DAG or another group; `group_id=None` is the top level of a DAG. Arguments: `sdk.fields.GROUP`."""

    def __init__(
        self,
        group_id: str | None = None,
        prefix_group_id: bool = True,
        parent_group: TaskGroup | None = None,
        dag: DagNode | None = None,
        default_args: dict[str, Any] | None = None,
        tooltip: str = "",
        ui_color: str = "CornflowerBlue",
        ui_fgcolor: str = "#000",
        add_suffix_on_collision: bool = False,
        group_display_name: str = "",
        doc_md: str | None = None,
    ) -> None:
        self._location: CodeLocation | None = find_author_location()
        self.children: dict[str, TaskNode | TaskGroup] = {}
        self.prefix_group_id = prefix_group_id
        self.tooltip = tooltip
        self.ui_color = ui_color
        self.ui_fgcolor = ui_fgcolor
        self.group_display_name = group_display_name
        self.doc_md = doc_md
        self.upstream_group_ids: set[str | None] = set()
        self.downstream_group_ids: set[str | None] = set()
        self.upstream_task_ids: set[str] = set()
        self.downstream_task_ids: set[str] = set()
        self.default_args: dict[str, Any] = copy.copy(default_args or {})
        self._group_id: str | None = None
        if group_id is None:
            self.parent_group: TaskGroup | None = None
            self.dag: Any = dag
            return
        check_group_id(group_id, format_location(self._location))
        self._join_parent(parent_group, dag)
        self._claim_id(group_id, add_suffix_on_collision)

    @classmethod
    def create_root(cls, dag: DagNode) -> TaskGroup:
        """The top level of a DAG."""
        return cls(group_id=None, dag=dag)

    def _join_parent(self, parent: TaskGroup | None, dag: DagNode | None) -> None:
        dag = dag or (parent.dag if parent is not None else None) or authoring_state.current_dag()
        if dag is None:
            raise RuntimeError(
                f"The task group{format_location(self._location)} belongs to no DAG. Make it inside `with DAG(...):`, or give it dag=."
            )
        self.dag = dag
        self.parent_group = cast("TaskGroup | None", parent or authoring_state.current_group(dag))
        outer = self.parent_group
        if outer is not None and outer.default_args:
            self.default_args = {**outer.default_args, **self.default_args}

    def _claim_id(self, group_id: str, add_suffix: bool) -> None:
        parent = self.parent_group
        assert parent is not None
        full = parent.child_id(group_id)
        if full in self.dag.node_locations:
            if not add_suffix:
                raise DuplicateTaskIdFound(
                    f"DAG {self.dag.dag_id!r} has two nodes {full!r}: {self.dag.describe_node(full)} and the task group"
                    f"{format_location(self._location)}. Give one another id, or the group add_suffix_on_collision=True."
                )
            group_id = self.dag.make_unique_id(parent, group_id)
        self._group_id = group_id
        self.dag.node_locations[self.group_id] = self._location
        parent.children[str(self.group_id)] = self

    # Names

    @property
    def group_id(self) -> str | None:
        """Its id with the prefixes of the groups around it; None for the top level."""
        if self._group_id is None or self.parent_group is None:
            return self._group_id
        return self.parent_group.child_id(self._group_id)

    @property
    def node_id(self) -> str | None:
        """Its id among the nodes of a group."""
        return self.group_id

    @property
    def label(self) -> str | None:
        """Its id without prefixes."""
        return self._group_id

    @property
    def is_root(self) -> bool:
        """Whether it is the top level of a DAG."""
        return self._group_id is None

    @property
    def upstream_join_id(self) -> str:
        """The id of the point where edges into it meet."""
        return f"{self.group_id}.upstream_join_id"

    @property
    def downstream_join_id(self) -> str:
        """The id of the point where edges out of it meet."""
        return f"{self.group_id}.downstream_join_id"

    def child_id(self, label: str) -> str:
        """The id that a task or group of this name has inside; without `prefix_group_id` the name itself, as in Airflow."""
        group_id = self.group_id if self.prefix_group_id else None
        return f"{group_id}.{label}" if group_id else label

    # Content

    def add(self, task: TaskNode | TaskGroup) -> TaskNode | TaskGroup:
        """The task stands in this group; TaskAlreadyInTaskGroup when it stands in another."""
        key = str(task.node_id)
        if self.children.get(key) is task:
            return task
        if not isinstance(task, TaskGroup):
            around = task.task_group
            if around is not None and around is not self:
                raise TaskAlreadyInTaskGroup(task.node_id, around.node_id, self.node_id)
            task.task_group = self
        self.children[key] = task
        return task

    def __enter__(self) -> TaskGroup:
        authoring_state.push_group(self)
        return self

    def __exit__(self, *exc: object) -> None:
        authoring_state.pop_group()

    def has_task(self, task: TaskNode) -> bool:
        """Whether the task stands in it or in a group within."""
        return any(one is task for one in self.iter_tasks())

    def iter_tasks(self) -> Iterator[TaskNode]:
        """All its tasks, those of inner groups included."""
        for child in self.children.values():
            if isinstance(child, TaskGroup):
                yield from child.iter_tasks()
            else:
                yield child

    def get_task_dict(self) -> dict[str, TaskNode]:
        """Task id to task, those of inner groups included."""
        return {task.task_id: task for task in self.iter_tasks()}

    def iter_groups(self) -> Iterator[TaskGroup]:
        """It and all groups within, outer ones first."""
        yield self
        for child in self.children.values():
            if isinstance(child, TaskGroup):
                yield from child.iter_groups()

    def get_task_group_dict(self) -> dict[str | None, TaskGroup]:
        """Group id to group, from here downwards."""
        return {group.group_id: group for group in self.iter_groups()}

    def get_child_by_label(self, label: str) -> TaskNode | TaskGroup:
        """The task or group of that name directly inside."""
        return self.children[self.child_id(label)]

    # Edges

    @property
    def roots(self) -> list[TaskNode]:
        """Its tasks with nothing of the group before them."""
        return list(self.get_roots())

    @property
    def leaves(self) -> list[TaskNode]:
        """Its tasks with nothing of the group after them."""
        return list(self.get_leaves())

    def get_roots(self) -> Iterator[TaskNode]:
        """Its tasks with nothing of the group before them."""
        tasks = self.get_task_dict()
        yield from (task for task in tasks.values() if not any(one in tasks for one in task.upstream_task_ids))

    def get_leaves(self) -> Iterator[TaskNode]:
        """Its tasks with nothing of the group after them; what comes before a last teardown takes its place."""
        tasks = self.get_task_dict()
        seen: set[str] = set()
        todo = [task for task in tasks.values() if not any(one in tasks for one in task.downstream_task_ids)]
        while todo:
            task = todo.pop(0)
            if task.task_id in seen:
                continue
            seen.add(task.task_id)
            if task.is_teardown:
                todo.extend(tasks[one] for one in sorted(task.upstream_task_ids) if one in tasks and _may_end(tasks[one], tasks))
            else:
                yield task

    def ends_before(self, after: DependencyMixin) -> list[TaskNode]:
        """The tasks that an edge from this group to `after` starts from.

        Those are its leaves. A group without leaves passes the edge on from the tasks before it. Where there are none
        either, it stands for the end of the group around it, or of the DAG, unless the edge would close a circle.
        """
        group: TaskGroup | None = self
        while group is not None:
            leaves = group.leaves
            if leaves:
                return [] if group is not self and _follows(after.roots, leaves) else leaves
            if group.upstream_task_ids:
                return [self.dag.get_task(task_id) for task_id in sorted(group.upstream_task_ids)]
            group = group.parent_group
        return []

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        self._relate(other, upstream=True, edge_modifier=edge_modifier)

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        self._relate(other, upstream=False, edge_modifier=edge_modifier)

    def _relate(self, other: Any, *, upstream: bool, edge_modifier: EdgeModifier | None) -> None:
        for node in list(iter_nodes(other)):
            self.update_relative(node, upstream=upstream, edge_modifier=edge_modifier)
            node.update_relative(self, upstream=not upstream, edge_modifier=edge_modifier)
            if upstream:
                for mine in self.roots:
                    for task in node.leaves:
                        connect_tasks(task, mine, edge_modifier)
            else:
                for mine in self.ends_before(node):
                    if isinstance(node, TaskGroup):
                        node.upstream_task_ids.add(mine.task_id)
                    for task in node.roots:
                        connect_tasks(mine, task, edge_modifier)

    def update_relative(
        self, other: Any, upstream: bool = True, edge_modifier: EdgeModifier | None = None
    ) -> None:
        """The group remembers the neighbour."""
        if isinstance(other, TaskGroup):
            (self.upstream_group_ids if upstream else self.downstream_group_ids).add(other.group_id)
        else:
            ids = {task.task_id for task in (other.leaves if upstream else other.roots)}
            (self.upstream_task_ids if upstream else self.downstream_task_ids).update(ids)

    def as_setup(self) -> Any:
        raise NotImplementedError("A task group cannot be a setup; mark a task of it with as_setup().")

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> Any:
        raise NotImplementedError("A task group cannot be a teardown; mark a task of it with as_teardown().")

    __deepcopy__ = copy_group

    def __repr__(self) -> str:
        return f"<TaskGroup: {self.group_id}>"


def _may_end(task: TaskNode, tasks: dict[str, TaskNode]) -> bool:
    """Whether a task before a last teardown is an end: no setup, and nothing but teardowns of the group after it."""
    return task.is_teardown or not (
        task.is_setup or any(one in tasks and not tasks[one].is_teardown for one in task.downstream_task_ids)
    )


def _follows(tasks: Iterable[TaskNode], others: Iterable[TaskNode]) -> bool:
    """Whether any of the other tasks is one of the tasks or comes after one, at any distance."""
    after = {task_id for task in tasks for task_id in (task.task_id, *task.get_flat_relative_ids())}
    return any(other.task_id in after for other in others)
