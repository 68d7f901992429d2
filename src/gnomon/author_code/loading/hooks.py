"""Hooks of plugins: functions that an author marks with `@hookimpl`, by the conventions of the package pluggy.

pluggy marks a function with an attribute `PROJECT_impl`; markers of pluggy itself and `HookMarker` are both found. Gnomon calls the
implementations itself, one by one, so that each is bounded and none can keep another from being called.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_OPTIONS = ("hookwrapper", "optionalhook", "tryfirst", "trylast", "specname", "wrapper")


class HookMarker:
    """A decorator that marks a function as the implementation of the hook of its name, with or without arguments.

    Options as in pluggy: `specname` (the hook, when the function has another name), `tryfirst` and `trylast` (the order). Wrappers
    are marked and not called.
    """

    def __init__(self, project_name: str) -> None:
        self.project_name = project_name

    def __call__(self, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Return the function, marked; without a function, return a decorator. Raises TypeError for an unknown option."""
        unknown = options.keys() - set(_OPTIONS)
        if unknown:
            raise TypeError(f"hookimpl has no option {min(unknown)!r}; it has {', '.join(_OPTIONS)}")

        def mark(marked: Callable[..., Any]) -> Callable[..., Any]:
            setattr(
                marked,
                f"{self.project_name}_impl",
                {name: options.get(name, False if name != "specname" else None) for name in _OPTIONS},
            )
            return marked

        return mark if function is None else mark(function)


LISTENER_MARK = HookMarker("airflow")
"""`airflow.listeners.hookimpl`."""
POLICY_MARK = HookMarker("airflow.policy")
"""`airflow.policies.hookimpl`."""


@dataclass(frozen=True, slots=True)
class HookImplementation:
    """One function that implements a hook."""

    name: str
    """The hook."""
    function: Callable[..., Any]
    place: str
    """`file, line N`, for messages."""
    order: int = 0
    """-1: before others; 1: after others."""

    def call(self, arguments: Mapping[str, Any]) -> Any:
        """Call the function with those of the arguments that it declares, by name. Raises what the function raises."""
        return self.function(**{name: arguments[name] for name in _argument_names(self.function) if name in arguments})

    def call_by_position(self, arguments: Mapping[str, Any]) -> Any:
        """Call the function with as many of the arguments, in their order, as it declares. Raises what the function raises."""
        return self.function(*list(arguments.values())[: len(_argument_names(self.function))])


def list_implementations(owner: Any, marker: HookMarker) -> Iterator[HookImplementation]:
    """The marked functions of a module or object; those of wrappers are left out.

    No property is read: what it makes, such as a pool of processes, would be shared by all processes that are forked from this one.
    """
    for attribute in dir(owner):
        if attribute.startswith("__") or isinstance(
            getattr(type(owner), attribute, None), property | functools.cached_property
        ):
            continue
        function = getattr(owner, attribute, None)
        options = getattr(function, f"{marker.project_name}_impl", None)
        if function is None or not isinstance(options, Mapping) or options.get("hookwrapper") or options.get("wrapper"):
            continue
        order = -1 if options.get("tryfirst") else 1 if options.get("trylast") else 0
        yield HookImplementation(options.get("specname") or attribute, function, describe_place(function), order)


def describe_place(function: Any) -> str:
    """`file, line N` of a function; its name when it has no source."""
    code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    if code is None:
        return str(getattr(function, "__qualname__", function))
    return f"{code.co_filename}, line {code.co_firstlineno}"


def _argument_names(function: Callable[..., Any]) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind in kinds]
