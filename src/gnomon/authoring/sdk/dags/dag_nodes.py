"""The tasks and task groups of a DAG, their ids, and the edges between them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, cast

from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.arguments.code_location import CodeLocation, find_author_location, format_location
from gnomon.authoring.sdk.nodes.fail_fast import check_trigger_rule
from gnomon.authoring.sdk.nodes.topology import find_ends, sort_topologically
from gnomon.model.errors.authoring import DuplicateTaskIdFound, NodeNotFound, TaskNotFound
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.authoring.sdk.members.task_group import TaskGroup
    from gnomon.authoring.sdk.tasks.operator import BaseOperator
    from gnomon.model.sentences import Sentence

_SUFFIXED = re.compile(r"(.+)__(\d+)")


class DagNodes:
    """Base class of DAG: the methods that concern its tasks and groups."""

    dag_id: str
    fail_fast: bool
    task_group: TaskGroup
    task_dict: dict[str, BaseOperator]
    node_locations: dict[str, CodeLocation | None]
    """The line at which each task and group was made, by id."""
    edge_info: dict[str, dict[str, dict[str, str | None]]]
    _suffixes: dict[str, int]
    """The highest number `N` of the ids `prefix__N`, by prefix."""

    if TYPE_CHECKING:

        def warn(self, sentence: Sentence) -> None: ...

    def add_task(self, task: BaseOperator) -> None:
        """Add the task to this DAG.

        Raises DuplicateTaskIdFound when another node has its id, and ValueError when it belongs to another DAG.
        """
        task_id = task.task_id
        if self.task_dict.get(task_id) is task:
            return
        if task.has_dag():
            raise ValueError(
                f"Task {task_id!r}{format_location(task._location)} already belongs to DAG {task.dag_id!r}."
            )
        if task_id in self.node_locations:
            raise DuplicateTaskIdFound(
                f"DAG {self.dag_id!r} has two nodes {task_id!r}: {self.describe_node(task_id)} and the task{format_location(task._location)}. "
                "Give one of them another task_id."
            )
        if self.fail_fast:
            check_trigger_rule(cast("Any", self), cast("Any", task))
        task.__dict__["_dag"] = self
        self.task_dict[task_id] = task
        self.node_locations[task_id] = task._location
        self._record_suffix(task_id)
        self._clamp_date(task, "start_date", max)
        self._clamp_date(task, "end_date", min)

    def _clamp_date(self, task: BaseOperator, name: str, inner: Callable[[list[dt.datetime]], dt.datetime]) -> None:
        """Limit a date of the task to the dates of the DAG, as Airflow does. A run outside the dates has no instance of the task."""
        task_date, dag_date = task.__dict__[name], self.__dict__[name]
        if task_date is not None and task_date.utcoffset() is None:
            value = task_date.isoformat(sep=" ")
            sentence = say_unchecked("date_of_task_has_no_time_zone", name=name, value=value)
            place = format_location(task._location)
            self.warn(say_unchecked("warning_of_task", task_id=task.task_id, place=place, message=sentence))
            task_date = timezone.make_aware(task_date)
        dates = [date for date in (task_date, dag_date) if date is not None]
        task.__dict__[name] = inner(dates) if dates else None

    def add_tasks(self, tasks: Iterable[BaseOperator]) -> None:
        """Add each of the tasks to this DAG; see `add_task`."""
        for task in tasks:
            self.add_task(task)

    def describe_node(self, node_id: str) -> str:
        """Return the kind and the line of a node for a message, for example "the task (dags/etl.py:12)"."""
        kind = "the task" if node_id in self.task_dict else "the task group"
        return f"{kind}{format_location(self.node_locations.get(node_id))}"

    def _record_suffix(self, task_id: str) -> None:
        match = _SUFFIXED.fullmatch(task_id)
        if match:
            prefix, number = match[1], int(match[2])
            self._suffixes[prefix] = max(self._suffixes.get(prefix, 0), number)

    def make_unique_id(self, group: TaskGroup, label: str) -> str:
        """Return `label` if no node of the group has it, else `label` with the next suffix `__1`, `__2`, ..."""
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
        """The tasks, in the order of definition."""
        return list(self.task_dict.values())

    @property
    def task_ids(self) -> list[str]:
        """The ids of the tasks, in the order of definition."""
        return list(self.task_dict)

    def has_task(self, task_id: str) -> bool:
        """Return whether the DAG has a task with that id."""
        return task_id in self.task_dict

    def get_task(self, task_id: str) -> BaseOperator:
        """Return the task with that id. Raises TaskNotFound when the DAG has no such task."""
        try:
            return self.task_dict[task_id]
        except KeyError:
            raise TaskNotFound(f"DAG {self.dag_id!r} has no task {task_id!r}.") from None

    def __getitem__(self, node_id: str) -> BaseOperator | TaskGroup:
        """Return the task or the task group with that id. Raises NodeNotFound when the DAG has neither."""
        node = self.task_dict.get(node_id) or self.task_group_dict.get(node_id)
        if node is None:
            raise NodeNotFound(f"DAG {self.dag_id!r} has no task and no task group {node_id!r}.")
        return node

    def has_task_group(self, task_group_id: str) -> bool:
        """Return whether the DAG has a task group with that id."""
        return task_group_id in self.task_group_dict

    def partial_subset(
        self,
        task_ids: str | Iterable[str],
        include_downstream: bool = False,
        include_upstream: bool = True,
        include_direct_upstream: bool = False,
        depth: int | None = None,
    ) -> Self:
        """Return a copy of the DAG with the tasks of these ids (or whose ids contain the text) and their relatives.

        See `sdk.dags.dag_subset.copy_subset`. Raises ValueError for a negative depth.
        """
        from gnomon.authoring.sdk.nodes.dag_subset import copy_subset  # not needed to write a DAG

        subset: Self = copy_subset(
            cast("Any", self),
            task_ids,
            downstream=include_downstream,
            upstream=include_upstream,
            direct_upstream=include_direct_upstream,
            depth=depth,
        )
        return subset

    def add_result(self, xcom_arg: Any) -> Any:
        """Make what a task returns a result of the run, which `gnomon runs show` prints. Returns the argument.

        Raises ValueError for anything but the result of a task, such as one of several outputs.
        """
        from gnomon.authoring.sdk.members.xcom_arg import PlainXComArg  # not needed to write a DAG
        from gnomon.model.xcom_keys import XCOM_RETURN_KEY

        if not isinstance(xcom_arg, PlainXComArg) or xcom_arg.key != XCOM_RETURN_KEY:
            raise ValueError(
                f"DAG {self.dag_id!r}{format_location(find_author_location())}: add_result() got {xcom_arg!r}. Only plain return value can be "
                "used as dag result: give it what the call of a @task function returns, or `operator.output`."
            )
        cast("Any", xcom_arg.operator).returns_dag_result = True
        return xcom_arg

    @property
    def task_group_dict(self) -> dict[str | None, TaskGroup]:
        """Group id to task group, without the top level."""
        return {key: group for key, group in self.task_group.get_task_group_dict().items() if key is not None}

    @property
    def roots(self) -> list[BaseOperator]:
        """The tasks without upstream tasks."""
        return find_ends(self.tasks, leaves=False)

    @property
    def leaves(self) -> list[BaseOperator]:
        """The tasks without downstream tasks."""
        return find_ends(self.tasks, leaves=True)

    @property
    def teardowns(self) -> list[BaseOperator]:
        """The teardown tasks."""
        return [task for task in self.tasks if task.is_teardown]

    @property
    def tasks_upstream_of_teardowns(self) -> list[BaseOperator]:
        """The tasks directly before a teardown, without teardowns."""
        return [before for task in self.teardowns for before in task.upstream_list if not before.is_teardown]

    @property
    def owner(self) -> str:
        """The owners of the tasks, sorted and joined by `, `."""
        return ", ".join(sorted({str(task.owner) for task in self.tasks if task.owner}))

    def topological_sort(self) -> tuple[BaseOperator, ...]:
        """Return the tasks in topological order. Raises AirflowDagCycleException when the tasks form a cycle."""
        return tuple(sort_topologically(self.task_dict, self.dag_id))

    def check_cycle(self) -> None:
        """Raise AirflowDagCycleException when the tasks form a cycle."""
        sort_topologically(self.task_dict, self.dag_id)

    def set_dependency(self, upstream_task_id: str, downstream_task_id: str) -> None:
        """Connect two tasks by their ids. Raises TaskNotFound for an unknown id."""
        self.get_task(upstream_task_id).set_downstream(self.get_task(downstream_task_id))

    def get_edge_info(self, upstream_task_id: str, downstream_task_id: str) -> dict[str, str | None]:
        """Return the attributes of an edge (`label`); empty for an edge without attributes."""
        return self.edge_info.get(upstream_task_id, {}).get(downstream_task_id, {})

    def set_edge_info(self, upstream_task_id: str, downstream_task_id: str, info: dict[str, str | None]) -> None:
        """Store the attributes of an edge."""
        self.edge_info.setdefault(upstream_task_id, {})[downstream_task_id] = info
