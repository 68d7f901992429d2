"""The types of tasks, task groups and DAGs as the modules below `dags.dag` see them.

`dags.dag` imports the operator, the operator imports the relations, the relations import the graph. A module on that way
names `TaskNode`, `GroupNode` or `DagNode` where it takes a task, a group or a DAG, so that no module imports upwards.
tests/unit/authoring/sdk/test_node_types.py asserts that BaseOperator, TaskGroup and DAG have these types.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import jinja2

    from gnomon.authoring.sdk.arguments.airflow_dialects import AirflowDialect
    from gnomon.authoring.sdk.arguments.code_location import CodeLocation
    from gnomon.authoring.sdk.arguments.params import ParamsDict
    from gnomon.model.after import After
    from gnomon.model.sentences import Sentence


class TaskNode(Protocol):
    """A task: `sdk.tasks.operator.BaseOperator`."""

    task_id: str
    inlets: list[Any]
    outlets: list[Any]
    is_setup: bool
    is_teardown: bool
    on_failure_fail_dagrun: bool
    upstream_task_ids: set[str]
    downstream_task_ids: set[str]
    trigger_rule: Any
    start_date: dt.datetime | None
    _location: CodeLocation | None
    _depends_on: tuple[After, ...]
    task_group: Any
    """A GroupNode, or None before the task has joined a group."""
    dag: Any
    """A DagNode; reading the attribute of a task without a DAG raises RuntimeError."""

    @property
    def dag_id(self) -> str: ...
    @property
    def node_id(self) -> str: ...
    @property
    def owner(self) -> str: ...
    @property
    def shallow_copy_attrs(self) -> Sequence[str]: ...
    @property
    def template_fields(self) -> Collection[str]: ...
    @property
    def roots(self) -> Sequence[TaskNode]: ...
    @property
    def leaves(self) -> Sequence[TaskNode]: ...
    @property
    def upstream_list(self) -> Sequence[TaskNode]: ...
    @property
    def downstream_list(self) -> Sequence[TaskNode]: ...
    def has_dag(self) -> bool: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: object) -> None: ...
    def get_dag(self) -> DagNode | None: ...
    def get_flat_relative_ids(self, upstream: bool = False, depth: int | None = None) -> set[str]: ...
    def set_upstream(self, other: Any, edge_modifier: Any = None) -> None: ...
    def set_downstream(self, other: Any, edge_modifier: Any = None) -> None: ...
    def update_relative(self, other: Any, upstream: bool = True, edge_modifier: Any = None) -> None: ...
    def as_setup(self) -> Any: ...
    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> Any: ...


class GroupNode(Protocol):
    """A task group, or the top level of a DAG: `sdk.dags.task_group.TaskGroup`."""

    default_args: dict[str, Any]
    prefix_group_id: bool
    dag: Any
    """A DagNode; None only at a top level that was made without a DAG."""

    @property
    def group_id(self) -> str | None: ...
    @property
    def node_id(self) -> str | None: ...
    @property
    def roots(self) -> Sequence[TaskNode]: ...
    def child_id(self, label: str) -> str: ...
    def add(self, task: Any) -> Any: ...


class DagNode(Protocol):
    """A DAG: `sdk.dags.dag.DAG`."""

    dag_id: str
    airflow_dialect: AirflowDialect
    default_args: dict[str, Any]
    params: ParamsDict
    start_date: dt.datetime | None
    catchup: bool
    fail_fast: bool

    @property
    def timezone(self) -> Any: ...

    owner_links: dict[str, str]
    auto_register: bool
    timetable: Any
    depends_on: tuple[After, ...]
    node_locations: dict[str, CodeLocation | None]
    render_template_as_native_obj: bool
    template_undefined: type[jinja2.Undefined] | None
    jinja_environment_kwargs: dict[str, Any] | None
    user_defined_macros: dict[str, Any] | None
    user_defined_filters: dict[str, Any] | None
    _location: CodeLocation | None

    @property
    def task_group(self) -> GroupNode: ...
    @property
    def tasks(self) -> Sequence[TaskNode]: ...
    @property
    def task_group_dict(self) -> Mapping[str | None, GroupNode]: ...
    def add_task(self, task: Any) -> None: ...
    def get_task(self, task_id: str) -> TaskNode: ...
    def has_task(self, task_id: str) -> bool: ...
    def describe_node(self, node_id: str) -> str: ...
    def make_unique_id(self, group: Any, label: str) -> str: ...
    def set_edge_info(self, upstream_task_id: str, downstream_task_id: str, info: dict[str, str | None]) -> None: ...
    def template_folders(self) -> Iterable[str]: ...
    def warn(self, sentence: Sentence) -> None: ...
