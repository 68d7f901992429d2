"""XComArg: a reference to an XCom. As an argument of another task it makes a dependency, and the value is read when that task runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from gnomon.errors.authoring import MappingNotSupported, XComNotFound
from gnomon.sdk.arguments.notset import NOTSET, is_given
from gnomon.sdk.dags.dag_copy import copy_reference
from gnomon.sdk.dags.edges import DependencyMixin
from gnomon.sdk.templating.resolvable import Resolvable

if TYPE_CHECKING:
    from gnomon.sdk.dags.edges import EdgeModifier
    from gnomon.sdk.dags.node_types import TaskNode
    from gnomon.sdk.dags.setup_teardown import Scope

XCOM_RETURN_KEY = "return_value"


class XComArg(Resolvable, DependencyMixin):
    """A reference to the XCom `key` of the task `operator`."""

    def __init__(self, operator: TaskNode, key: str = XCOM_RETURN_KEY) -> None:
        self.operator = operator
        self.key = key

    def __getitem__(self, key: str) -> XComArg:
        if not isinstance(key, str):
            raise ValueError(
                f"XComArg of task {self.operator.task_id!r} takes a text key, not {key!r}: it names one of the values "
                "that the task pushed. To index into a value, do it inside the task that uses it."
            )
        return XComArg(self.operator, key)

    def __iter__(self) -> NoReturn:
        raise TypeError(
            f"The result of task {self.operator.task_id!r} is known only when it has run, so the DAG file cannot "
            "iterate over it. Hand it to a task and iterate there."
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, XComArg) and self.operator is other.operator and self.key == other.key

    def __hash__(self) -> int:
        return hash((id(self.operator), self.key))

    def __deepcopy__(self, memo: dict[int, Any]) -> XComArg:
        return type(self)(copy_reference(self.operator, memo), self.key)

    def __repr__(self) -> str:
        return f"XComArg({self.operator.task_id!r}, key={self.key!r})"

    def __str__(self) -> str:
        """Return the Jinja expression that renders to the value."""
        parts = [f"task_ids={self.operator.task_id!r}"]
        if self.operator.has_dag():
            parts.append(f"dag_id={self.operator.dag.dag_id!r}")
        if self.key != XCOM_RETURN_KEY:
            parts.append(f"key={self.key!r}")
        return "{{ task_instance.xcom_pull(" + ", ".join(parts) + ") }}"

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return the value in the run of `context`. Raises XComNotFound when the task pushed no such XCom."""
        task_id, dag_id = self.operator.task_id, self.operator.dag_id
        value = context["ti"].xcom_pull(task_ids=task_id, dag_id=dag_id, key=self.key, default=NOTSET)
        if is_given(value):
            return value
        if self.key == XCOM_RETURN_KEY or getattr(self.operator, "multiple_outputs", False):
            return None
        raise XComNotFound(dag_id, task_id, self.key)

    def iter_references(self) -> Iterable[tuple[TaskNode, str]]:
        """Yield the task and the key of this reference."""
        yield self.operator, self.key

    # An edge to or from an XComArg is an edge of its task.

    @property
    def roots(self) -> Sequence[TaskNode]:
        return [self.operator]

    @property
    def leaves(self) -> Sequence[TaskNode]:
        return [self.operator]

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other` come directly before the task."""
        self.operator.set_upstream(other, edge_modifier)

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other` come directly after the task."""
        self.operator.set_downstream(other, edge_modifier)

    @property
    def is_setup(self) -> bool:
        """Whether the task is a setup task."""
        return self.operator.is_setup

    @is_setup.setter
    def is_setup(self, value: bool) -> None:
        self.operator.is_setup = value

    @property
    def is_teardown(self) -> bool:
        """Whether the task is a teardown task."""
        return self.operator.is_teardown

    @is_teardown.setter
    def is_teardown(self, value: bool) -> None:
        self.operator.is_teardown = value

    @property
    def on_failure_fail_dagrun(self) -> bool:
        """Whether a failure of this teardown task fails the run."""
        return self.operator.on_failure_fail_dagrun

    @on_failure_fail_dagrun.setter
    def on_failure_fail_dagrun(self, value: bool) -> None:
        self.operator.on_failure_fail_dagrun = value

    def as_setup(self) -> XComArg:
        """Mark the task as a setup task and return this reference."""
        self.operator.as_setup()
        return self

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> XComArg:
        """Mark the task as a teardown task of `setups` and return this reference."""
        self.operator.as_teardown(setups=setups, on_failure_fail_dagrun=on_failure_fail_dagrun)
        return self

    def __enter__(self) -> Scope:
        scope: Scope = self.operator.__enter__()
        return scope

    def __exit__(self, *exc: object) -> None:
        self.operator.__exit__(*exc)

    # Dynamic task mapping is not supported yet.

    def map(self, f: Any) -> NoReturn:
        """Raise MappingNotSupported: Gnomon does not support dynamic task mapping yet."""
        raise mapping_not_supported(f"XComArg.map() on the result of task {self.operator.task_id!r}")

    def zip(self, *others: Any, fillvalue: Any = NOTSET) -> NoReturn:
        """Raise MappingNotSupported: Gnomon does not support dynamic task mapping yet."""
        raise mapping_not_supported(f"XComArg.zip() on the result of task {self.operator.task_id!r}")

    def concat(self, *others: Any) -> NoReturn:
        """Raise MappingNotSupported: Gnomon does not support dynamic task mapping yet."""
        raise mapping_not_supported(f"XComArg.concat() on the result of task {self.operator.task_id!r}")


def mapping_not_supported(what: str) -> MappingNotSupported:
    """Return the error for a method that belongs to dynamic task mapping."""
    return MappingNotSupported(
        f"{what}: dynamic task mapping is not supported yet. Until it is, loop inside one task, "
        "or create the tasks in a Python loop over values that the DAG file knows."
    )


def iter_xcom_references(value: object) -> Iterator[tuple[TaskNode, str]]:
    """Yield (task, key) of every XComArg in the value, in lists, tuples, sets, dicts and objects with template_fields."""
    if isinstance(value, Resolvable):
        yield from value.iter_references()
    elif isinstance(value, str | bytes | int | float | None):
        return
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from iter_xcom_references(key)
            yield from iter_xcom_references(item)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from iter_xcom_references(item)
    elif not isinstance(value, DependencyMixin) and not isinstance(value, type):
        fields = getattr(value, "template_fields", ())
        for name in fields if isinstance(fields, Sequence) else ():
            yield from iter_xcom_references(getattr(value, name, None))
