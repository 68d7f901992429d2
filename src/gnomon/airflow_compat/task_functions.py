"""The variants of `@task` under their function names in the standard provider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon.sdk.tasks.task_decorators import task

Function = Callable[..., Any] | None


def python_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.python`"""
    return task.python(python_callable, **kwargs)


def branch_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.branch`"""
    return task.branch(python_callable, **kwargs)


def short_circuit_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.short_circuit`"""
    return task.short_circuit(python_callable, **kwargs)


def sensor_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.sensor`"""
    return task.sensor(python_callable, **kwargs)


def bash_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.bash`"""
    return task.bash(python_callable, **kwargs)
