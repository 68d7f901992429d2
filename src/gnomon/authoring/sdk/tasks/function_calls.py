"""Calls of author functions: a function gets the context keys that are parameters of it as keyword arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple

CONTEXT_KEYS = frozenset(
    {
        "conn",
        "dag",
        "dag_run",
        "data_interval_start",
        "data_interval_end",
        "outlet_events",
        "ds",
        "ds_nodash",
        "expanded_ti_count",
        "exception",
        "inlets",
        "inlet_events",
        "logical_date",
        "macros",
        "map_index_template",
        "outlets",
        "params",
        "partition_key",
        "partition_date",
        "prev_data_interval_start_success",
        "prev_data_interval_end_success",
        "prev_start_date_success",
        "prev_end_date_success",
        "reason",
        "run_id",
        "task",
        "task_reschedule_count",
        "task_instance",
        "ti",
        "task_instance_key_str",
        "task_state_store",
        "asset_state_store",
        "templates_dict",
        "test_mode",
        "triggering_asset_events",
        "try_number",
        "ts",
        "ts_nodash",
        "ts_nodash_with_tz",
        "var",
        "execution_date",
        "next_execution_date",
        "prev_execution_date",
        "prev_execution_date_success",
        "next_ds",
        "next_ds_nodash",
        "prev_ds",
        "prev_ds_nodash",
        "yesterday_ds",
        "yesterday_ds_nodash",
        "tomorrow_ds",
        "tomorrow_ds_nodash",
        "conf",
        "triggering_dataset_events",
    }
)
"""Every key of the task context, those of Airflow 2 included (airflow-surface.md A.6)."""


class CallSignature(NamedTuple):
    """The parameters of a function."""

    positional: tuple[str, ...]
    """The parameters that may be given by position."""
    named: frozenset[str]
    """The parameters that may be given by name."""
    required: tuple[str, ...]
    accepts_var_positional: bool
    accepts_var_keyword: bool


def read_signature(function: Callable[..., Any]) -> CallSignature | None:
    """Return the parameters of the function; None for a function without a signature, such as some built-in functions."""
    if (
        type(function) is FunctionType
        and not hasattr(function, "__wrapped__")
        and not hasattr(function, "__signature__")
    ):
        return _read_function(function, skip=0)
    if (
        type(function) is MethodType
        and type(function.__func__) is FunctionType
        and not hasattr(function, "__wrapped__")
    ):
        return _read_function(function.__func__, skip=1)
    return _read_inspected(function)


def _read_function(function: FunctionType, skip: int) -> CallSignature:
    code = function.__code__
    count = code.co_argcount
    positional = code.co_varnames[skip:count]
    only_named = code.co_varnames[count : count + code.co_kwonlyargcount]
    without_default = positional[: len(positional) - len(function.__defaults__ or ())]
    required = (*without_default, *(name for name in only_named if name not in (function.__kwdefaults__ or {})))
    named = frozenset((*positional[max(code.co_posonlyargcount - skip, 0) :], *only_named))
    return CallSignature(positional, named, required, bool(code.co_flags & 0x04), bool(code.co_flags & 0x08))


def _read_inspected(function: Callable[..., Any]) -> CallSignature | None:
    import inspect  # wrapped functions, partials, callable objects

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = inspect.Parameter
    positional = tuple(p.name for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD))
    named = frozenset(p.name for p in parameters if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY))
    plain = [p for p in parameters if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
    return CallSignature(
        positional,
        named,
        tuple(p.name for p in plain if p.default is kinds.empty),
        any(p.kind is kinds.VAR_POSITIONAL for p in parameters),
        any(p.kind is kinds.VAR_KEYWORD for p in parameters),
    )


def select_context_kwargs(
    function: Callable[..., Any], args: Sequence[Any], context: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the context keys that are parameters of the function; all context keys when it takes `**kwargs`.

    Raises ValueError when a parameter that is given by position has the name of a context key.
    """
    shape = read_signature(function)
    if shape is None:
        return {}
    taken = shape.positional[: len(args)]
    for name in taken:
        if name in CONTEXT_KEYS and name in context:
            raise ValueError(
                f"The parameter {name!r} of {_display_name(function)}() is a key of the task context, so it cannot be given by "
                "position. Give it by name, or call the parameter something else."
            )
    if shape.accepts_var_keyword:
        spread = getattr(context, "to_kwargs", None)
        everything = context if spread is None else spread()
        return {name: everything[name] for name in everything if name not in taken}
    return {name: context[name] for name in shape.named if name in context and name not in taken}


def call_with_context(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], context: Mapping[str, Any]
) -> Any:
    """Call the function with these arguments and the context keys that are parameters of it; return its result."""
    merged = {**select_context_kwargs(function, args, context), **kwargs}
    return function(*args, **merged)


def check_call(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], where: str) -> None:
    """Raise TypeError when the function cannot be called with these arguments; the error names the parameter.

    A parameter with the name of a context key may be missing: the task gets it when it runs.
    """
    shape = read_signature(function)
    if shape is None:
        return
    name = _display_name(function)
    if len(args) > len(shape.positional) and not shape.accepts_var_positional:
        raise TypeError(
            f"{name}(){where} takes {len(shape.positional)} positional argument(s) but was called with {len(args)}."
        )
    filled = set(shape.positional[: len(args)])
    for key in kwargs:
        if key in filled:
            raise TypeError(f"{name}(){where} was given {key!r} twice, by position and by name.")
        if key not in shape.named and not shape.accepts_var_keyword:
            raise TypeError(f"{name}(){where} has no parameter {key!r}. Its parameters: {', '.join(shape.positional)}.")
    missing = [key for key in shape.required if key not in filled and key not in kwargs and key not in CONTEXT_KEYS]
    if missing:
        raise TypeError(f"{name}(){where} needs a value for {', '.join(map(repr, missing))}. Give it in the call.")


def _display_name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)
