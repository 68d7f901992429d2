"""`@task_group`: a function that makes tasks, as a group each time it is called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from gnomon.sdk.taskgroup import TaskGroup
from gnomon.sdk.xcom_arg import mapping_refused


class TaskGroupDecorator:
    """A decorated function. Called in a DAG file it runs inside a new group."""

    def __init__(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.kwargs = {"group_id": function.__name__, "add_suffix_on_collision": True, **kwargs}
        if function.__doc__ and not self.kwargs.get("tooltip"):
            self.kwargs["tooltip"] = function.__doc__
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns, so that edges go to that; the group when it returns nothing."""
        with TaskGroup(**self.kwargs) as group:
            value = self.function(*args, **kwargs)
        return group if value is None else value

    def override(self, **kwargs: Any) -> TaskGroupDecorator:
        """The same function with other arguments for the group."""
        return TaskGroupDecorator(self.function, {**self.kwargs, **kwargs})

    def partial(self, **kwargs: Any) -> NoReturn:
        """Refused: dynamic task mapping is not supported yet."""
        raise mapping_refused(f"partial() of @task_group {self.kwargs['group_id']!r}")

    def expand(self, **kwargs: Any) -> NoReturn:
        """Refused: dynamic task mapping is not supported yet."""
        raise mapping_refused(f"expand() of @task_group {self.kwargs['group_id']!r}")

    def expand_kwargs(self, kwargs: Any) -> NoReturn:
        """Refused: dynamic task mapping is not supported yet."""
        raise mapping_refused(f"expand_kwargs() of @task_group {self.kwargs['group_id']!r}")


def task_group(group_id: Any = None, **kwargs: Any) -> Any:
    """`@task_group`, `@task_group("name")`, `@task_group(group_id=..., ...)`: all arguments of TaskGroup."""
    if callable(group_id):
        return TaskGroupDecorator(group_id, kwargs)
    if group_id is not None:
        kwargs["group_id"] = group_id
    return lambda function: TaskGroupDecorator(function, kwargs)
