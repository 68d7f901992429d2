"""Selects the keyword arguments that a function takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from gnomon.authoring.sdk.tasks.function_calls import read_signature, select_context_kwargs


def determine_kwargs(func: Callable[..., Any], args: Collection[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the items of `kwargs` that `func` takes by name, besides `args` by position; all items when it takes `**kwargs`.

    Raises ValueError when a parameter that is given by position has the name of a context key.
    """
    return dict(select_context_kwargs(func, tuple(args), kwargs))


def make_kwargs_callable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that accepts any keyword arguments and passes to `func` those that it takes."""

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **determine_kwargs(func, args, kwargs))

    return call


class KeywordParameters:
    """The keyword arguments that a function takes."""

    def __init__(self, kwargs: Mapping[str, Any], *, wildcard: bool) -> None:
        self._kwargs = kwargs
        self._wildcard = wildcard

    @classmethod
    def determine(cls, func: Callable[..., Any], args: Collection[Any], kwargs: Mapping[str, Any]) -> KeywordParameters:
        """Return the arguments for `func`, selected by `determine_kwargs`."""
        shape = read_signature(func)
        return cls(determine_kwargs(func, args, kwargs), wildcard=shape is not None and shape.accepts_var_keyword)

    def unpacking(self) -> dict[str, Any]:
        """Return the arguments, for `**kwargs`."""
        return dict(self._kwargs)
