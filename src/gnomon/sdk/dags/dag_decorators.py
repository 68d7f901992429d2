"""`@dag` and `@task_group`: decorators of functions whose call makes a DAG or a task group."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, overload

from gnomon.sdk.arguments import fields
from gnomon.sdk.arguments.notset import NOTSET
from gnomon.sdk.arguments.params import Param
from gnomon.sdk.dags.dag import DAG
from gnomon.sdk.dags.task_group import TaskGroup
from gnomon.sdk.tasks.xcom_arg import mapping_not_supported

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


def _make_dag_factory(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., DAG]:
    @functools.wraps(function)
    def make(*call_args: Any, **call_kwargs: Any) -> DAG:
        import inspect  # only `@dag` reads the defaults of a function

        bound = inspect.signature(function).bind(*call_args, **call_kwargs)
        given = dict(bound.arguments)
        settings = {"dag_id": function.__name__, **kwargs}
        new = DAG(settings.pop("dag_id"), *args, **settings)
        if new.__dict__["doc_md"] is None and function.__doc__:
            new.__dict__["doc_md"] = function.__doc__
        with new:
            values = {}
            for parameter in inspect.signature(function).parameters.values():
                if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                    continue
                default = given.get(parameter.name, parameter.default)
                default = NOTSET if default is parameter.empty else default
                values[parameter.name] = new.param(parameter.name, Param(default) if default is NOTSET else default)
            function(**values)
        return new

    return make


class TaskGroupDecorator:
    """A function decorated with `@task_group`. Each call runs it inside a new task group."""

    def __init__(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.kwargs = {"group_id": function.__name__, "add_suffix_on_collision": True, **kwargs}
        if function.__doc__ and not self.kwargs.get("tooltip"):
            self.kwargs["tooltip"] = function.__doc__
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns, so that edges connect to that value; the group when the function returns None."""
        with TaskGroup(**self.kwargs) as group:
            value = self.function(*args, **kwargs)
        return group if value is None else value

    def override(self, **kwargs: Any) -> TaskGroupDecorator:
        """Return the same function with other arguments for the group."""
        return TaskGroupDecorator(self.function, {**self.kwargs, **kwargs})

    def partial(self, **kwargs: Any) -> NoReturn:
        """Raise MappingNotSupported: Gnomon does not support dynamic task mapping yet."""
        raise mapping_not_supported(f"partial() of @task_group {self.kwargs['group_id']!r}")

    def expand(self, **kwargs: Any) -> NoReturn:
        """Raise MappingNotSupported: Gnomon does not support dynamic task mapping yet."""
        raise mapping_not_supported(f"expand() of @task_group {self.kwargs['group_id']!r}")

    def expand_kwargs(self, kwargs: Any) -> NoReturn:
        """Raise MappingNotSupported: Gnomon does not support dynamic task mapping yet."""
        raise mapping_not_supported(f"expand_kwargs() of @task_group {self.kwargs['group_id']!r}")


def task_group(group_id: Any = None, **kwargs: Any) -> Any:
    """`@task_group`, `@task_group("name")`, `@task_group(group_id=..., ...)`: takes all arguments of TaskGroup."""
    if callable(group_id):
        return TaskGroupDecorator(group_id, kwargs)
    if group_id is not None:
        kwargs["group_id"] = group_id
    return lambda function: TaskGroupDecorator(function, kwargs)
