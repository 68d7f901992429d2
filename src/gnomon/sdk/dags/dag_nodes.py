"""The nodes of a DAG, their ids, and the edges between them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from gnomon.errors.authoring import DuplicateTaskIdFound, TaskNotFound
from gnomon.sdk.arguments.code_location import CodeLocation, format_location
from gnomon.sdk.dags.topology import find_ends, sort_topologically
from gnomon.sdk.schedules import timezone

if TYPE_CHECKING:
    from gnomon.sdk.dags.task_group import TaskGroup
    from gnomon.sdk.tasks.operator import BaseOperator

_SUFFIXED = re.compile(r"(.+)__(\d+)")


class DagNodes:
    """What a DAG does with its tasks and groups."""

    dag_id: str
    task_group: TaskGroup
    task_dict: dict[str, BaseOperator]
    node_locations: dict[str, CodeLocation | None]
    """Where each task and group was made, by id."""
    edge_info: dict[str, dict[str, dict[str, str | None]]]
    _suffixes: dict[str, int]
    """The highest number `N` of the ids `prefix__N`, by prefix."""

    if TYPE_CHECKING:

        def warn(self, sentence: str) -> None: ...

    def add_task(self, task: BaseOperator) -> None:
        """The task belongs to this DAG; DuplicateTaskIdFound when its id is taken."""
        task_id = task.task_id
        if self.task_dict.get(task_id) is task:
            return
        if task.has_dag():
            raise ValueError(f"Task {task_id!r}{format_location(task._location)} belongs to DAG {task.dag_id!r} already.")
        if task_id in self.node_locations:
            raise DuplicateTaskIdFound(
                f"DAG {self.dag_id!r} has two nodes {task_id!r}: {self.describe_node(task_id)} and the task{format_location(task._location)}. "
                "Give one of them another task_id."
            )
        task.__dict__["_dag"] = self
        self.task_dict[task_id] = task
        self.node_locations[task_id] = task._location
        self._record_suffix(task_id)
        self._clamp_date(task, "start_date", max)
        self._clamp_date(task, "end_date", min)

    def _clamp_date(self, task: BaseOperator, name: str, inner: Callable[[list[dt.datetime]], dt.datetime]) -> None:
        """A task begins no earlier than its DAG and ends no later, as in Airflow: outside, a run has no instance of it."""
        own, of_dag = task.__dict__[name], self.__dict__[name]
        if own is not None and own.utcoffset() is None:
            self.warn(f"Task {task.task_id!r}{format_location(task._location)}: {name} {own.isoformat(sep=' ')} has no time zone and "
                      "is read in [core] default_timezone.")
            own = timezone.make_aware(own)
        both = [moment for moment in (own, of_dag) if moment is not None]
        task.__dict__[name] = inner(both) if both else None

    def add_tasks(self, tasks: Iterable[BaseOperator]) -> None:
        """All of them belong to this DAG."""
        for task in tasks:
            self.add_task(task)

    def describe_node(self, node_id: str) -> str:
        """What and where a node is, in words."""
        kind = "the task" if node_id in self.task_dict else "the task group"
        return f"{kind}{format_location(self.node_locations.get(node_id))}"

    def _record_suffix(self, task_id: str) -> None:
        match = _SUFFIXED.fullmatch(task_id)
        if match:
            prefix, number = match[1], int(match[2])
            self._suffixes[prefix] = max(self._suffixes.get(prefix, 0), number)

    def make_unique_id(self, group: TaskGroup, label: str) -> str:
        """The label itself when it is free in the group, else the label with the next `__1`, `__2`, ..."""
        if group.child_id(label) not in self.node_locations:
            return label
        match = _SUFFIXED.fullmatch(label)
        label = match[1] if match else label
        prefix = group.child_id(label)
        number = self._suffixes.get(prefix, 0) + 1
        while f"{prefix}__{number}" in self.node_locations:
            number += 1
        self._suffixes[prefix] = number
        return f"{label}__{number}"

    @property
    def tasks(self) -> list[BaseOperator]:
        """Its tasks, in the order of definition."""
        return list(self.task_dict.values())

    @property
    def task_ids(self) -> list[str]:
        """The ids of its tasks, in the order of definition."""
        return list(self.task_dict)

    def has_task(self, task_id: str) -> bool:
        """Whether it has a task of that id."""
        return task_id in self.task_dict

    def get_task(self, task_id: str) -> BaseOperator:
        """The task of that id; TaskNotFound when there is none."""
        try:
            return self.task_dict[task_id]
        except KeyError:
            raise TaskNotFound(f"DAG {self.dag_id!r} has no task {task_id!r}.") from None

    @property
    def task_group_dict(self) -> dict[str | None, TaskGroup]:
        """Group id to group."""
        return {key: group for key, group in self.task_group.get_task_group_dict().items() if key is not None}

    @property
    def roots(self) -> list[BaseOperator]:
        """Its tasks with nothing before them."""
        return find_ends(self.tasks, leaves=False)

    @property
    def leaves(self) -> list[BaseOperator]:
        """Its tasks with nothing after them."""
        return find_ends(self.tasks, leaves=True)

    @property
    def teardowns(self) -> list[BaseOperator]:
        """Its teardown tasks."""
        return [task for task in self.tasks if task.is_teardown]

    @property
    def owner(self) -> str:
        """The owners of its tasks, sorted, joined by `, `."""
        return ", ".join(sorted({str(task.owner) for task in self.tasks if task.owner}))

    def topological_sort(self) -> tuple[BaseOperator, ...]:
        """Every task after all that come before it."""
        return tuple(sort_topologically(self.task_dict, self.dag_id))

    def check_cycle(self) -> None:
        """Passes when no tasks wait for one another in a circle; AirflowDagCycleException otherwise."""
        sort_topologically(self.task_dict, self.dag_id)

    def set_dependency(self, upstream_task_id: str, downstream_task_id: str) -> None:
        """The second task comes directly after the first."""
        self.get_task(upstream_task_id).set_downstream(self.get_task(downstream_task_id))

    def get_edge_info(self, upstream_task_id: str, downstream_task_id: str) -> dict[str, str | None]:
        """What is noted about an edge (`label`)."""
        return self.edge_info.get(upstream_task_id, {}).get(downstream_task_id, {})

    def set_edge_info(self, upstream_task_id: str, downstream_task_id: str, info: dict[str, str | None]) -> None:
        """This is noted about an edge."""
        self.edge_info.setdefault(upstream_task_id, {})[downstream_task_id] = info
