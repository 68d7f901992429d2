"""`@dag`: a function that makes a DAG each time it is called; its parameters are params of the DAG."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

from gnomon.sdk import fields
from gnomon.sdk.dag import DAG
from gnomon.sdk.notset import NOTSET
from gnomon.sdk.params import Param

_ARGUMENTS = tuple(row.name for row in fields.DAG)


@overload
def dag(dag_id_or_func: Callable[..., Any], /) -> Callable[..., DAG]: ...
@overload
def dag(
    dag_id_or_func: str | None = None, *args: Any, **kwargs: Any
) -> Callable[[Callable[..., Any]], Callable[..., DAG]]: ...
def dag(dag_id_or_func: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`@dag`, `@dag("name", ...)`, `@dag(dag_id=..., ...)`: all arguments of DAG."""
    if callable(dag_id_or_func):
        return _factory(dag_id_or_func, (), {})
    if dag_id_or_func is not None:
        kwargs["dag_id"] = dag_id_or_func
    return lambda function: _factory(function, args, kwargs)


def _factory(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., DAG]:
    @functools.wraps(function)
    def make(*call_args: Any, **call_kwargs: Any) -> DAG:
        import inspect  # the function's defaults are wanted

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
