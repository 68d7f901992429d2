"""Task groups: tasks with a common id prefix that are connected as one node."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from gnomon.authoring.sdk.arguments.code_location import CodeLocation, find_author_location, format_location
from gnomon.authoring.sdk.arguments.converters import as_named_values, as_text, check_group_id, check_place, read_doc
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.nodes.dag_copy import copy_group
from gnomon.authoring.sdk.nodes.edges import DependencyMixin, iter_nodes
from gnomon.authoring.sdk.nodes.node_relatives import NodeRelatives
from gnomon.authoring.sdk.nodes.topology import connect_tasks, sort_children
from gnomon.authoring.sdk.signatures.fields import TASK_GROUP_FIELDS, iter_without_effect
from gnomon.model.errors.authoring import DuplicateTaskIdFound, NodeNotFound, TaskAlreadyInTaskGroup
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.edges import EdgeModifier
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode


class TaskGroup(NodeRelatives, DependencyMixin):
    """A group inside a DAG or another group; `group_id=None` is the top level of a DAG."""

    is_mapped = False
    """True for a MappedTaskGroup."""

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
        try:
            self.tooltip = as_text("tooltip", tooltip)
            self.ui_color = as_text("ui_color", ui_color)
            self.ui_fgcolor = as_text("ui_fgcolor", ui_fgcolor)
            self.group_display_name = as_text("group_display_name", group_display_name)
            self.doc_md = read_doc("doc_md", doc_md)
            self.default_args: dict[str, Any] = copy.copy(as_named_values("default_args", default_args) or {})
            check_place({"dag": dag, "parent_group": parent_group})
        except (TypeError, ValueError) as error:
            raise type(error)(f"Task group {group_id!r}{format_location(self._location)}: {error}.") from None
        self.upstream_group_ids: set[str | None] = set()
        self.downstream_group_ids: set[str | None] = set()
        self.upstream_task_ids: set[str] = set()
        self.downstream_task_ids: set[str] = set()
        self._group_id: str | None = None
        if group_id is None:
            self.parent_group: TaskGroup | None = None
            self.dag: Any = dag
            return
        check_group_id(group_id, format_location(self._location))
        self._join_parent(parent_group, dag)
        self._claim_id(group_id, add_suffix_on_collision)
        for sentence in iter_without_effect(TASK_GROUP_FIELDS, vars(self) | {"doc_md": doc_md}):
            place = format_location(self._location)
            self.dag.warn(say_unchecked("warning_of_task_group", name=self.group_id, place=place, message=sentence))

    @classmethod
    def create_root(cls, dag: DagNode) -> TaskGroup:
        """Return the group that is the top level of `dag`."""
        return cls(group_id=None, dag=dag)

    def _join_parent(self, parent: TaskGroup | None, dag: DagNode | None) -> None:
        dag = dag or (parent.dag if parent is not None else None) or authoring_state.current_dag()
        if dag is None:
            raise RuntimeError(
                f"The task group{format_location(self._location)} belongs to no DAG. Make it inside `with DAG(...):`, or give it dag=."
            )
        self.dag = dag
        self.parent_group = cast("TaskGroup | None", parent or authoring_state.current_group(dag))
        parent_group = self.parent_group
        if parent_group is not None and parent_group.default_args:
            self.default_args = {**parent_group.default_args, **self.default_args}

    def _claim_id(self, group_id: str, add_suffix: bool) -> None:
        parent = self.parent_group
        assert parent is not None
        full = parent.child_id(group_id)
        if full in self.dag.node_locations:
            if not add_suffix:
                raise DuplicateTaskIdFound(
                    f"DAG {self.dag.dag_id!r} has two nodes {full!r}: {self.dag.describe_node(full)} and the task group"
                    f"{format_location(self._location)}. Give one of them another id, or give the group add_suffix_on_collision=True."
                )
            group_id = self.dag.make_unique_id(parent, group_id)
        self._group_id = group_id
        self.dag.node_locations[self.group_id] = self._location
        parent.children[str(self.group_id)] = self

    # Ids

    @property
    def group_id(self) -> str | None:
        """The id with the prefixes of the enclosing groups; None for the top level."""
        if self._group_id is None or self.parent_group is None:
            return self._group_id
        return self.parent_group.child_id(self._group_id)

    @property
    def dag_id(self) -> str:
        """The id of the DAG of the group."""
        return str(self.dag.dag_id)

    @property
    def node_id(self) -> str | None:
        """The id of this node inside its parent group: `group_id`."""
        return self.group_id

    @property
    def label(self) -> str | None:
        """The name in listings and drawings: group_display_name, or the id without prefixes."""
        return self.group_display_name or self._group_id

    @property
    def is_root(self) -> bool:
        """Whether this group is the top level of a DAG."""
        return self._group_id is None

    @property
    def upstream_join_id(self) -> str:
        """The id of the point at which the edges into the group meet in a drawing."""
        return f"{self.group_id}.upstream_join_id"

    @property
    def downstream_join_id(self) -> str:
        """The id of the point at which the edges out of the group meet in a drawing."""
        return f"{self.group_id}.downstream_join_id"

    @property
    def task_group(self) -> TaskGroup | None:
        """The group that contains this one; None for the group of the DAG."""
        return self.parent_group

    def has_dag(self) -> bool:
        """Whether the group belongs to a DAG."""
        return self.__dict__.get("dag") is not None

    def get_dag(self) -> DagNode | None:
        """Return the DAG of the group; None when there is none."""
        return self.__dict__.get("dag")

    def child_id(self, label: str) -> str:
        """Return the id of a task or group `label` inside this group; `label` itself without `prefix_group_id`, as in Airflow."""
        group_id = self.group_id if self.prefix_group_id else None
        return f"{group_id}.{label}" if group_id else label

    # Content

    def add(self, task: TaskNode | TaskGroup) -> TaskNode | TaskGroup:
        """Add a task or a group to this group and return it.

        Raises TaskAlreadyInTaskGroup when the task is in another group.
        """
        key = str(task.node_id)
        if self.children.get(key) is task:
            return task
        if not isinstance(task, TaskGroup):
            current = task.task_group
            if current is not None and current is not self:
                raise TaskAlreadyInTaskGroup(task.node_id, current.node_id, self.node_id)
            task.task_group = self
        self.children[key] = task
        return task

    def __enter__(self) -> TaskGroup:
        authoring_state.push_group(self)
        return self

    def __exit__(self, *exc: object) -> None:
        authoring_state.pop_group()

    def has_task(self, task: TaskNode) -> bool:
        """Return whether the task is in this group or in an inner group."""
        return any(member is task for member in self.iter_tasks())

    def iter_tasks(self) -> Iterator[TaskNode]:
        """Yield the tasks of this group and of its inner groups."""
        for child in self.children.values():
            if isinstance(child, TaskGroup):
                yield from child.iter_tasks()
            else:
                yield child

    def get_task_dict(self) -> dict[str, TaskNode]:
        """Return task id to task, for this group and its inner groups."""
        return {task.task_id: task for task in self.iter_tasks()}

    def iter_groups(self) -> Iterator[TaskGroup]:
        """Yield this group and its inner groups, an outer group before its inner groups."""
        yield self
        for child in self.children.values():
            if isinstance(child, TaskGroup):
                yield from child.iter_groups()

    def iter_mapped_task_groups(self) -> Iterator[TaskGroup]:
        """Yield this group and the groups around it that are mapped, innermost first."""
        group: TaskGroup | None = self
        while group is not None:
            if group.is_mapped:
                yield group
            group = group.parent_group

    def get_task_group_dict(self) -> dict[str | None, TaskGroup]:
        """Return group id to group, for this group and its inner groups."""
        return {group.group_id: group for group in self.iter_groups()}

    def get_child_by_label(self, label: str) -> TaskNode | TaskGroup:
        """Return the task or group with that label directly inside this group. Raises KeyError when there is none."""
        return self.children[self.child_id(label)]

    def __getitem__(self, label: str) -> TaskNode | TaskGroup:
        """Return the task or group with that label directly inside this group. Raises NodeNotFound when there is none."""
        try:
            return self.get_child_by_label(label)
        except KeyError:
            raise NodeNotFound(f"{self!r} of DAG {self.dag.dag_id!r} has no task and no group {label!r}.") from None

    def __iter__(self) -> Iterator[TaskNode]:
        return self.iter_tasks()

    @property
    def used_group_ids(self) -> set[str]:
        """The ids of all tasks and groups of the DAG, and those of the join points of its groups in a drawing."""
        ids = set(self.dag.node_locations) if self.dag is not None else set(self.get_task_dict())
        groups = [group for group in self._root().iter_groups() if group.group_id is not None]
        return ids | {join for group in groups for join in (group.upstream_join_id, group.downstream_join_id)}

    def _root(self) -> TaskGroup:
        return self if self.parent_group is None else self.parent_group._root()

    def topological_sort(self) -> list[TaskNode | TaskGroup]:
        """Return the tasks and groups directly inside this group; each comes after those on which its tasks depend.

        Raises AirflowDagCycleException when they depend on one another in a circle.
        """
        return sort_children(self.children, str(self.dag.dag_id))

    def hierarchical_alphabetical_sort(self) -> list[TaskNode | TaskGroup]:
        """Return the tasks and groups directly inside this group: first the tasks, then the groups, each sorted by id."""
        return sorted(self.children.values(), key=lambda child: (isinstance(child, TaskGroup), str(child.node_id)))

    # Edges

    @property
    def roots(self) -> list[TaskNode]:
        """The tasks without upstream tasks in the group."""
        return list(self.get_roots())

    @property
    def leaves(self) -> list[TaskNode]:
        """The tasks without downstream tasks in the group; see `get_leaves` for teardowns."""
        return list(self.get_leaves())

    def get_roots(self) -> Iterator[TaskNode]:
        """The tasks without upstream tasks in the group."""
        tasks = self.get_task_dict()
        yield from (task for task in tasks.values() if not any(task_id in tasks for task_id in task.upstream_task_ids))

    def get_leaves(self) -> Iterator[TaskNode]:
        """Yield the tasks without downstream tasks in the group; in place of a teardown, the tasks directly before the teardown."""
        tasks = self.get_task_dict()
        seen_ids: set[str] = set()
        todo = [task for task in tasks.values() if not any(task_id in tasks for task_id in task.downstream_task_ids)]
        while todo:
            task = todo.pop(0)
            if task.task_id in seen_ids:
                continue
            seen_ids.add(task.task_id)
            if task.is_teardown:
                before = (tasks[task_id] for task_id in sorted(task.upstream_task_ids) if task_id in tasks)
                todo.extend(other for other in before if _may_end(other, tasks))
            else:
                yield task

    def ends_before(self, after: DependencyMixin) -> list[TaskNode]:
        """Return the tasks from which an edge from this group to `after` starts.

        Those are the leaves of the group. For a group without leaves, those are the tasks before the group. Where there
        are none, those are the leaves of the enclosing group or of the DAG, unless the edge would make a cycle.
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
                for root in self.roots:
                    for task in node.leaves:
                        connect_tasks(task, root, edge_modifier)
            else:
                for leaf in self.ends_before(node):
                    if isinstance(node, TaskGroup):
                        node.upstream_task_ids.add(leaf.task_id)
                    for task in node.roots:
                        connect_tasks(leaf, task, edge_modifier)

    def update_relative(self, other: Any, upstream: bool = True, edge_modifier: EdgeModifier | None = None) -> None:
        """Record the neighbour in the id sets of the group."""
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
    """Return whether a task before a teardown is a leaf: it is not a setup, and only teardowns of the group come after it."""
    return task.is_teardown or not (
        task.is_setup
        or any(task_id in tasks and not tasks[task_id].is_teardown for task_id in task.downstream_task_ids)
    )


def _follows(tasks: Iterable[TaskNode], others: Iterable[TaskNode]) -> bool:
    """Return whether any of `others` is one of `tasks` or comes after one of them, at any distance."""
    after = {task_id for task in tasks for task_id in (task.task_id, *task.get_flat_relative_ids())}
    return any(other.task_id in after for other in others)
