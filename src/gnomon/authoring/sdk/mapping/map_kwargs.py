"""Checks of the names and values that `partial`, `expand` and `expand_kwargs` get."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.authoring.sdk.arguments.annotated_arguments import check_annotated_partial
from gnomon.authoring.sdk.arguments.params import merge_params
from gnomon.authoring.sdk.mapping.expand_input import is_mappable
from gnomon.authoring.sdk.members.operator_meta import OperatorMeta, read_init_parameters
from gnomon.authoring.sdk.members.xcom_arg import XComArg
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.signatures.old_arguments import suggest_argument
from gnomon.model.errors.authoring import ParamValidationError

MAPPABLE_NAMES = "_BaseOperatorMeta__param_names"
"""The attribute of an `__init__` with the names of its parameters, which Airflow sets and reads; authors set it on classes that operators share."""
_CHECKS = {row.name: row.check for row in fields.OPERATOR_FIELDS}
SHOWN_MAX = 12
"""A message lists the parameters of a function or class that has at most so many."""


def list_parameters(operator_class: type[Any]) -> list[str]:
    """Return the names that `partial` and `expand` take: the parameters of the `__init__` of the class and its bases, and old names of BaseOperator's.

    A base class that is no operator adds its parameters by the attribute MAPPABLE_NAMES of its `__init__`, as in Airflow.
    """
    names: dict[str, None] = {}
    for base in operator_class.__mro__:
        function = getattr(base.__dict__.get("__init__"), "__wrapped__", None)
        if function is not None and isinstance(base, OperatorMeta):
            names.update(dict.fromkeys(read_init_parameters(function).named))
        names.update(dict.fromkeys(sorted(getattr(vars(base).get("__init__"), MAPPABLE_NAMES, ()))))
    names.update(dict.fromkeys(name for row in fields.OPERATOR_FIELDS for name in row.old_names))
    names.update(dict.fromkeys(fields.IGNORED_BY_OPERATOR))
    return list(names)


def check_names(given_names: Iterable[str], known_names: Sequence[str], call: str, where: str) -> None:
    """Raise TypeError for a name that is not known. `call`: the method, for the message."""
    unknown = [name for name in given_names if name not in known_names]
    if not unknown:
        return
    what = "an unexpected keyword argument" if len(unknown) == 1 else "unexpected keyword arguments"
    hint = suggest_argument(unknown[0], known_names) if len(unknown) == 1 else ""
    if not hint:
        hint = (
            f"; it takes {', '.join(known_names)}"
            if 0 < len(known_names) <= SHOWN_MAX
            else "; correct the name, or leave it out"
        )
    raise TypeError(f"{call}() got {what} {', '.join(map(repr, unknown))}{where}{hint}")


def check_mapped_values(mapped: Mapping[str, Any], call: str, where: str) -> None:
    """Raise ValueError for a value that `expand` cannot map over, or that has more elements than `[core] max_map_length`."""
    for name, value in mapped.items():
        if not is_mappable(value):
            raise ValueError(
                f"{call}() got an unexpected type {type(value).__name__!r} for keyword argument {name}{where}: it takes a list, a dict or the "
                f"result of a task. {_suggest_value(name, value)}"
            )
        check_length(value, f"{call}({name}=...)", where)


def check_arguments(operator_class: type[Any], kwargs: Mapping[str, Any], task_id: str, where: str) -> None:
    """Check the arguments that one instance of a mapped task gets, but for results of tasks, before there is an operator.

    Raises TypeError, ValueError or ParamValidationError, with the task and the argument.
    """
    try:
        for name, value in kwargs.items():
            if value is None or isinstance(value, XComArg):
                continue
            if (check := _CHECKS.get(name)) is not None:
                check(name, value)
            if name == "params":
                merge_params(value)
        check_annotated_partial(operator_class, kwargs)
    except (TypeError, ValueError, ParamValidationError) as error:
        raise type(error)(f"Task {task_id!r}{where}: {error}.") from None


_DICTS_REMEDY = "Give it a list with a dict of arguments for each instance, or the result of a task that returns one."


def check_dicts(value: Any, call: str, where: str) -> None:
    """Raise TypeError unless `expand_kwargs` can map over the value, ValueError for too many elements."""
    if isinstance(value, XComArg):
        return
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TypeError(f"{call}() expected XComArg or list[dict], not {type(value).__name__}{where}. {_DICTS_REMEDY}")
    check_length(value, f"{call}([...])", where)
    for item in value:
        if not isinstance(item, XComArg | Mapping):
            raise TypeError(
                f"{call}() expected XComArg or list[dict], not list[{type(item).__name__}]{where}. {_DICTS_REMEDY}"
            )


def check_length(value: Any, what: str, where: str) -> None:
    """Raise ValueError for a literal with more elements than `[core] max_map_length`."""
    if not isinstance(value, Sequence | Mapping):
        return
    limit = option_defaults.read_integer("core", "max_map_length")
    if len(value) > limit:
        raise ValueError(
            f"{what}{where} maps over {len(value)} elements, and [core] max_map_length is {limit}. Give each instance a part of them, for "
            "example a list of lists, or set a higher limit."
        )


_DUPLICATE_REMEDIES = {
    "duplicate partial": "Give each argument to partial() once.",
    "mapping already partial": "Give each argument either to partial(), for the same value in all instances, or to expand() or expand_kwargs().",
    "unmappable or already specified": "Give such an argument to partial() alone, with the same value for all instances.",
}
"""The last sentence of the message of `prevent_duplicates`, by its first words."""


def prevent_duplicates(first: Mapping[str, Any], second: Mapping[str, Any], reason: str, where: str = "") -> None:
    """Raise TypeError when both have a key. `reason`: the beginning of the message."""
    both = sorted(set(first).intersection(second))
    if both:
        raise TypeError(
            f"{reason} argument{'s' if len(both) > 1 else ''}: {', '.join(both)}{where}. {_DUPLICATE_REMEDIES[reason]}"
        )


def _suggest_value(name: str, value: Any) -> str:
    if value is None:
        return f"Leave {name}= out, or give a list with one None."
    if isinstance(value, str | bytes | bytearray):
        return (
            f"For one element write {name}=[{value!r}]."
            if len(value) < 40
            else f"For one element put it into a list: {name}=[...]."
        )
    if isinstance(value, set | frozenset):
        return f"A set has no order; write {name}=sorted(...)."
    if isinstance(value, Iterable):
        return f"Write {name}=list(...)."
    if callable(value):
        return "Call the function, and if it is a @task hand over its result."
    return f"For the same value in each instance write partial({name}={value!r})."
