"""XComArg: a reference to an XCom. As an argument of another task it makes a dependency, and the value is read when that task runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.authoring.sdk.arguments.resolvable import Resolvable
from gnomon.authoring.sdk.members.map_position import pull_element, pull_elements, pull_plain
from gnomon.authoring.sdk.members.resolved_sequences import ConcatenatedValues, MappedValues, ZippedValues, read_element
from gnomon.authoring.sdk.nodes.dag_copy import copy_reference
from gnomon.authoring.sdk.nodes.edges import DependencyMixin
from gnomon.model.errors.authoring import XComNotFound
from gnomon.model.xcom_keys import XCOM_RETURN_KEY

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.edges import EdgeModifier
    from gnomon.authoring.sdk.nodes.node_types import TaskNode
    from gnomon.authoring.sdk.nodes.setup_teardown import Scope


class XComArg(Resolvable, DependencyMixin):
    """A reference to XComs. `XComArg(operator, key)` is a PlainXComArg: a reference to the XCom `key` of the task `operator`."""

    if TYPE_CHECKING:
        operator: TaskNode
        """Only a PlainXComArg has it, and `key`."""
        key: str

        def __init__(self, operator: TaskNode, key: str = XCOM_RETURN_KEY) -> None: ...

    def __new__(cls, *args: Any, **kwargs: Any) -> XComArg:  # noqa: ARG004 - __init__ gets them
        return super().__new__(PlainXComArg if cls is XComArg else cls)

    def map(self, f: Callable[[Any], Any]) -> MapXComArg:
        """Return a reference to the elements of the value after `f`, for `expand`. AirflowSkipException in `f` skips the instance.

        Raises ValueError for a `@task` and TypeError for a value that cannot be called.
        """
        return MapXComArg(self, [f])

    def zip(self, *others: XComArg, fillvalue: Any = NOTSET) -> ZipXComArg:
        """Return a reference to tuples of the elements, as many as the shortest value has; with `fillvalue` as many as the longest."""
        return ZipXComArg([self, *others], fillvalue=fillvalue)

    def concat(self, *others: XComArg) -> ConcatXComArg:
        """Return a reference to the elements of this value and then those of the others."""
        return ConcatXComArg([self, *others])

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return the value in the run of `context`."""
        raise NotImplementedError(f"{type(self).__name__} has no resolve().")

    def resolve_elements(
        self, context: Mapping[str, Any], check: Callable[[Any], Any], total: int | None = None
    ) -> Any:
        """Return the value as a sequence or dict for an instance of a mapped task, which needs one element: an element is read when it is used.

        `check` returns a value over which a task can be mapped, and raises for another one. `total`: the number of elements if it is known.
        """
        raise NotImplementedError(f"{type(self).__name__} has no resolve_elements().")

    def resolve_element(
        self, context: Mapping[str, Any], check: Callable[[Any], Any], number: int, total: int | None
    ) -> Any:
        """Return the element at this place of `resolve_elements`, the (key, value) of a dict. Raises IndexError behind the end."""
        return read_element(self.resolve_elements(context, check, total), number)

    # An edge to or from an XComArg is an edge of its tasks.

    def _tasks(self) -> list[TaskNode]:
        return [task for task, _ in self.iter_references()]

    @property
    def roots(self) -> Sequence[TaskNode]:
        return self._tasks()

    @property
    def leaves(self) -> Sequence[TaskNode]:
        return self._tasks()

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other` come directly before the task."""
        for task in self._tasks():
            task.set_upstream(other, edge_modifier)

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        """Make `other` come directly after the task."""
        for task in self._tasks():
            task.set_downstream(other, edge_modifier)

    if TYPE_CHECKING:
        is_setup: bool
        is_teardown: bool
        on_failure_fail_dagrun: bool

        def __getitem__(self, key: str) -> XComArg: ...
        def __enter__(self) -> Scope: ...
        def __exit__(self, *exc: object) -> None: ...
        def as_setup(self) -> XComArg: ...
        def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> XComArg: ...


class PlainXComArg(XComArg):
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
        return PlainXComArg(self.operator, key)

    def __iter__(self) -> NoReturn:
        raise TypeError(
            f"The result of task {self.operator.task_id!r} is known only when it has run, so the DAG file cannot "
            "iterate over it. Hand it to a task and iterate there."
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlainXComArg) and self.operator is other.operator and self.key == other.key

    def __hash__(self) -> int:
        return hash((id(self.operator), self.key))

    def __deepcopy__(self, memo: dict[int, Any]) -> PlainXComArg:
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
        value = pull_plain(self, context["ti"])
        if is_given(value):
            return value
        if self.key == XCOM_RETURN_KEY or getattr(self.operator, "multiple_outputs", False):
            return None
        raise XComNotFound(dag_id, task_id, self.key)

    def resolve_elements(
        self, context: Mapping[str, Any], check: Callable[[Any], Any], total: int | None = None
    ) -> Any:
        return pull_elements(self, context, check, total)

    resolve_element = pull_element

    def iter_references(self) -> Iterable[tuple[TaskNode, str]]:
        """Yield the task and the key of this reference."""
        yield self.operator, self.key

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

    def _check_key(self) -> None:
        if self.key != XCOM_RETURN_KEY:
            raise ValueError(
                f"map(), zip() and concat() cannot map against non-return XCom {self.key!r} of task {self.operator.task_id!r}: only "
                "the value that a task returns can be mapped over. Return it from a task of its own."
            )

    def map(self, f: Callable[[Any], Any]) -> MapXComArg:
        self._check_key()
        return super().map(f)

    def zip(self, *others: XComArg, fillvalue: Any = NOTSET) -> ZipXComArg:
        self._check_key()
        return super().zip(*others, fillvalue=fillvalue)

    def concat(self, *others: XComArg) -> ConcatXComArg:
        self._check_key()
        return super().concat(*others)


class MapXComArg(XComArg):
    """The elements of `arg` after the functions `callables`: `XComArg.map()`."""

    def __init__(self, arg: XComArg, callables: Sequence[Callable[[Any], Any]]) -> None:
        for function in callables:
            if hasattr(function, "operator_class") and hasattr(function, "function"):
                raise ValueError(
                    "map() argument must be a plain function, not a @task operator; expand the @task over the value instead."
                )
            if not callable(function):
                raise TypeError(f"map() takes a function of one element, not {function!r} ({type(function).__name__}).")
        self.arg = arg
        self.callables = list(callables)

    def map(self, f: Callable[[Any], Any]) -> MapXComArg:
        return MapXComArg(self.arg, [*self.callables, f])

    def iter_references(self) -> Iterable[tuple[TaskNode, str]]:
        return self.arg.iter_references()

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return a sequence that calls the functions when an element is read."""
        return MappedValues(_check_map(self.arg.resolve(context)), self.callables)

    def resolve_elements(
        self, context: Mapping[str, Any], check: Callable[[Any], Any], total: int | None = None
    ) -> Any:
        return check(MappedValues(self.arg.resolve_elements(context, _check_map, total), self.callables))

    def __repr__(self) -> str:
        return repr(self.arg) + "".join(
            f".map({getattr(function, '__name__', '<function>')})" for function in self.callables
        )


class ZipXComArg(XComArg):
    """Tuples of the elements of `args`: `XComArg.zip()`."""

    def __init__(self, args: Sequence[XComArg], *, fillvalue: Any = NOTSET) -> None:
        self.args = _check_parts("zip", args)
        self.fillvalue = fillvalue

    def iter_references(self) -> Iterable[tuple[TaskNode, str]]:
        for arg in self.args:
            yield from arg.iter_references()

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return a sequence of tuples."""
        return ZippedValues([_check_zip(arg.resolve(context)) for arg in self.args], self.fillvalue)

    def resolve_elements(
        self, context: Mapping[str, Any], check: Callable[[Any], Any], total: int | None = None
    ) -> Any:
        return check(ZippedValues([arg.resolve_elements(context, _check_zip) for arg in self.args], self.fillvalue))

    def __repr__(self) -> str:
        first, *others = map(repr, self.args)
        fill = [f"fillvalue={self.fillvalue!r}"] if is_given(self.fillvalue) else []
        return f"{first}.zip({', '.join([*others, *fill])})"


class ConcatXComArg(XComArg):
    """The elements of `args`, one after the other: `XComArg.concat()`."""

    def __init__(self, args: Sequence[XComArg]) -> None:
        self.args = _check_parts("concat", args)

    def concat(self, *others: XComArg) -> ConcatXComArg:
        return ConcatXComArg([*self.args, *others])

    def iter_references(self) -> Iterable[tuple[TaskNode, str]]:
        for arg in self.args:
            yield from arg.iter_references()

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return a sequence of all elements."""
        return ConcatenatedValues([_check_concat(arg.resolve(context)) for arg in self.args])

    def resolve_elements(
        self, context: Mapping[str, Any], check: Callable[[Any], Any], total: int | None = None
    ) -> Any:
        return check(ConcatenatedValues([arg.resolve_elements(context, _check_concat) for arg in self.args]))

    def __repr__(self) -> str:
        first, *others = map(repr, self.args)
        return f"{first}.concat({', '.join(others)})"


def _check_parts(method: str, parts: Sequence[XComArg]) -> list[XComArg]:
    for part in parts:
        if not isinstance(part, XComArg):
            raise TypeError(
                f"{method}() takes results of tasks (XComArg), not {part!r} ({type(part).__name__}). Return the value from a task and use that."
            )
    return list(parts)


def _check_value(method: str, value: Any) -> Any:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | dict):
        raise ValueError(f"XCom {method} expects sequence or dict, not {type(value).__name__}")
    return value


_check_map, _check_zip, _check_concat = (partial(_check_value, method) for method in ("map", "zip", "concat"))


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
