"""Which keyword arguments a function gets: the names that it takes, of all that there are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from gnomon.sdk.tasks.function_calls import read_signature, select_context_kwargs


def determine_kwargs(func: Callable[..., Any], args: Collection[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `kwargs` that `func` takes by name, beside `args` by position; all of them when it takes `**kwargs`.

    ValueError when a positional argument would meet a context key of the same name.
    """
    return dict(select_context_kwargs(func, tuple(args), kwargs))


def make_kwargs_callable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes any keyword arguments and hands on those that `func` takes."""

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **determine_kwargs(func, args, kwargs))

    return call


class KeywordParameters:
    """The keyword arguments that a function gets, once determined."""

    def __init__(self, kwargs: Mapping[str, Any], *, wildcard: bool) -> None:
        self._kwargs = kwargs
        self._wildcard = wildcard

    @classmethod
    def determine(
        cls, func: Callable[..., Any], args: Collection[Any], kwargs: Mapping[str, Any]
    ) -> KeywordParameters:
        """The arguments for `func`, found as `determine_kwargs` does."""
        shape = read_signature(func)
        return cls(determine_kwargs(func, args, kwargs), wildcard=shape is not None and shape.accepts_var_keyword)

    def unpacking(self) -> dict[str, Any]:
        """The arguments, to be handed on as `**kwargs`."""
        return dict(self._kwargs)
