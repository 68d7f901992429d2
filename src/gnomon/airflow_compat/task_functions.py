"""The variants of `@task` under their function names in the standard provider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon.authoring.sdk.tasks.task_decorators import task

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


def virtualenv_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.virtualenv`"""
    return task.virtualenv(python_callable, **kwargs)


def external_python_task(python: str | None = None, python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.external_python`"""
    return task.external_python(python_callable, python=python, **kwargs)


def branch_virtualenv_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.branch_virtualenv`"""
    return task.branch_virtualenv(python_callable, **kwargs)


def branch_external_python_task(python_callable: Function = None, **kwargs: Any) -> Any:
    """`@task.branch_external_python`"""
    return task.branch_external_python(python_callable, **kwargs)


def stub(python_callable: Function = None, queue: str | None = None, executor: str | None = None, **kwargs: Any) -> Any:
    """`@task.stub`"""
    return task.stub(python_callable, queue=queue, executor=executor, **kwargs)
