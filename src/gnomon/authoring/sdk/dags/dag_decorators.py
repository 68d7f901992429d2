"""`@dag` and `@task_group`: decorators of functions whose call makes a DAG or a task group."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, overload

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.mapping.expand_input import (
    DictOfListsExpandInput,
    ExpandInput,
    ListOfDictsExpandInput,
    MappedArgument,
)
from gnomon.authoring.sdk.mapping.map_kwargs import check_dicts, check_mapped_values, check_names, prevent_duplicates
from gnomon.authoring.sdk.mapping.mapped_task_group import MappedTaskGroup
from gnomon.authoring.sdk.mapping.operator_partial import UnexpandedPartial
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.members.xcom_arg import PlainXComArg, XComArg
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.tasks.function_calls import read_signature
from gnomon.model.xcom_keys import XCOM_RETURN_KEY

_ARGUMENTS = tuple(row.name for row in fields.DAG_FIELDS)


@overload
def dag(dag_id_or_func: Callable[..., Any], /) -> Callable[..., DAG]: ...
@overload
def dag(
    dag_id_or_func: str | None = None, *args: Any, **kwargs: Any
) -> Callable[[Callable[..., Any]], Callable[..., DAG]]: ...
def dag(dag_id_or_func: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`@dag`, `@dag("name", ...)`, `@dag(dag_id=..., ...)`: each call of the function makes a DAG.

    Takes all arguments of DAG. The parameters of the function become params of the DAG.
    """
    if callable(dag_id_or_func):
        return _make_dag_factory(dag_id_or_func, (), {})
    if dag_id_or_func is not None:
        kwargs["dag_id"] = dag_id_or_func
    return lambda function: _make_dag_factory(function, args, kwargs)


def _make_dag_factory(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., DAG]:
    @functools.wraps(function)
    def make(*call_args: Any, **call_kwargs: Any) -> DAG:
        import inspect  # only decorators read signatures

        bound = inspect.signature(function).bind(*call_args, **call_kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        settings = {"dag_id": function.__name__, **kwargs}
        new = DAG(settings.pop("dag_id"), *args, **settings)
        if new.__dict__["doc_md"] is None and function.__doc__:
            new.__dict__["doc_md"] = function.__doc__
        with new:
            values = {name: new.param(name, value) for name, value in arguments.items()}
            shape = inspect.signature(function).parameters.values()
            if not any(
                parameter.kind is parameter.VAR_KEYWORD for parameter in shape
            ):  # in Airflow, the call below fails for *arguments then
                values = {
                    parameter.name: values[parameter.name]
                    for parameter in shape
                    if parameter.kind is not parameter.VAR_POSITIONAL
                }
            _keep_result(new, function(**values))
        return new

    return make


def _keep_result(dag: DAG, value: Any) -> None:
    """What the function of a DAG returns is a result of the run if it is the result of a task."""
    if isinstance(value, PlainXComArg) and value.key == XCOM_RETURN_KEY:
        dag.add_result(value)


class TaskGroupDecorator:
    """A function decorated with `@task_group`. Each call runs it inside a new task group."""

    def __init__(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> None:
        import inspect  # only decorators read signatures

        inspect.signature(TaskGroup).bind_partial(**kwargs)
        self.function = function
        self.kwargs = {"group_id": function.__name__, "add_suffix_on_collision": True, **kwargs}
        self.partial_kwargs: dict[str, Any] = {}
        self._watch: UnexpandedPartial | None = None
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns, so that edges connect to that value; the group when the function returns None."""
        self._mark_expanded()
        with TaskGroup(**self.kwargs) as group:
            self._describe_group(group)
            value = self.function(*args, **{**self.partial_kwargs, **kwargs})
        return group if value is None else value

    def override(self, **kwargs: Any) -> TaskGroupDecorator:
        """Return the same function with other arguments for the group."""
        return self._copy({**self.kwargs, **kwargs}, self.partial_kwargs)

    def partial(self, **kwargs: Any) -> TaskGroupDecorator:
        """Return the same function with these arguments, which all instances of the mapped group share.

        Raises TypeError for an argument that the function does not have.
        """
        self._mark_expanded()  # what is waiting for its expand() is the new one
        where = self._check_names("partial", kwargs)
        prevent_duplicates(self.partial_kwargs, kwargs, "duplicate partial", where)
        return self._copy(self.kwargs, {**self.partial_kwargs, **kwargs})

    def expand(self, **kwargs: Any) -> Any:
        """Make a group with an instance for each combination of the elements of the arguments: lists, dicts, results of tasks.

        Raises TypeError for an argument that the function does not have or that `partial` has too, and ValueError for a value that
        cannot be mapped over.
        """
        self._mark_expanded()
        if not kwargs:
            raise TypeError(
                f"no arguments to expand against: expand(){self._describe()} needs a list or a dict for an argument"
            )
        where = self._check_names("expand", kwargs)
        check_mapped_values(kwargs, "expand", where)
        prevent_duplicates(self.partial_kwargs, kwargs, "mapping already partial", where)
        return self._expand(DictOfListsExpandInput(kwargs), kwargs)

    def expand_kwargs(self, kwargs: Any) -> Any:
        """Make a group with an instance for each dict of arguments in a list, or in the result of a task."""
        self._mark_expanded()
        where = self._describe()
        check_dicts(kwargs, "expand_kwargs", where)
        shape = read_signature(self.function)
        if shape is None or shape.accepts_var_keyword or shape.accepts_var_positional:
            raise TypeError(
                f"calling expand_kwargs() on task group function with * or ** is not supported{where}: name its parameters"
            )
        for item in kwargs if not isinstance(kwargs, XComArg) else ():
            if not isinstance(item, XComArg):
                self._check_names("expand_kwargs", item)
                prevent_duplicates(self.partial_kwargs, item, "mapping already partial", where)
        return self._expand(
            ListOfDictsExpandInput(kwargs),
            [name for name in (*shape.positional, *sorted(shape.named)) if name not in self.partial_kwargs],
        )

    def _expand(self, expand_input: ExpandInput, names: Iterable[str]) -> Any:
        arguments = {name: MappedArgument(input=expand_input, key=name) for name in names}
        with MappedTaskGroup(expand_input=expand_input, **self.kwargs) as group:
            self._describe_group(group)
            value = self.function(**self.partial_kwargs, **arguments)
        return group if value is None else value

    def _describe_group(self, group: TaskGroup) -> None:
        """Let the docstring of the function describe the group, unless arguments do."""
        group.tooltip = group.tooltip or self.function.__doc__ or ""
        group.doc_md = group.doc_md or self.function.__doc__

    def _copy(self, kwargs: dict[str, Any], partial_kwargs: dict[str, Any]) -> TaskGroupDecorator:
        self._mark_expanded()
        new = TaskGroupDecorator(self.function, kwargs)
        new.partial_kwargs = partial_kwargs
        if partial_kwargs:
            new._watch = UnexpandedPartial(
                f"Partial task group {kwargs['group_id']!r}{self._where()}", authoring_state.current_dag()
            )
        return new

    def _mark_expanded(self) -> None:
        if self._watch is not None:
            self._watch.is_expanded = True

    def _check_names(self, method: str, kwargs: Mapping[str, Any]) -> str:
        """Check the names of arguments of the function; return where the group is, for a message."""
        shape = read_signature(self.function)
        if shape is not None and not shape.accepts_var_keyword:
            check_names(kwargs, sorted(shape.named), method, self._describe())
        return self._describe()

    def _describe(self) -> str:
        return f" of @task_group {self.kwargs['group_id']!r}{self._where()}"

    def _where(self) -> str:
        return format_location(find_author_location())


def task_group(group_id: Any = None, **kwargs: Any) -> Any:
    """`@task_group`, `@task_group("name")`, `@task_group(group_id=..., ...)`: takes all arguments of TaskGroup."""
    if callable(group_id):
        return TaskGroupDecorator(group_id, kwargs)
    if group_id is not None:
        kwargs["group_id"] = group_id
    return lambda function: TaskGroupDecorator(function, kwargs)
