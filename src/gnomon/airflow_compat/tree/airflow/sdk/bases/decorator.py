"""`airflow.sdk.bases.decorator`."""

import functools as _functools
import inspect as _inspect

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.function_keywords import KeywordParameters, determine_kwargs
from gnomon.authoring.sdk import DecoratedOperator, task_decorator_factory
from gnomon.authoring.sdk.mapping.mapped_operator import DecoratedMappedOperator
from gnomon.authoring.sdk.tasks.decorated_operators import make_unique_task_id as get_unique_task_id
from gnomon.authoring.sdk.tasks.function_calls import CONTEXT_KEYS as KNOWN_CONTEXT_KEYS
from gnomon.authoring.sdk.tasks.task_decorators import TaskDecorator

__all__ = [
    "DecoratedMappedOperator",
    "KNOWN_CONTEXT_KEYS",
    "DecoratedOperator",
    "KeywordParameters",
    "TaskDecorator",
    "determine_kwargs",
    "get_unique_task_id",
    "is_async_callable",
    "task_decorator_factory",
]


def is_async_callable(func):
    """Whether a call gives a coroutine: of an `async def`, also behind partials, decorators, and `__call__`."""
    while isinstance(func, _functools.partial):
        func = func.func
    inner = _inspect.unwrap(func)
    return _inspect.iscoroutinefunction(inner) or _inspect.iscoroutinefunction(getattr(type(inner), "__call__", None))  # noqa: B004 - what it is counts


__getattr__ = make_getattr(__name__)
