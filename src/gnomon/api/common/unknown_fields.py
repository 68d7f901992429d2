"""Refuses fields that an argument of an operation does not have: a misspelt one would be left out without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin

from pydantic_core import PydanticCustomError

_SHOWN_MAX = 5
_TEXT_MAX = 40


def refuse_unknown_fields(annotation: Any) -> Callable[[Any], Any]:
    """A validator of the value as it was sent, for an argument of this type: objects are dataclasses, alone or in lists. Any: as `typing` describes types."""

    def check(value: Any) -> Any:
        for kind, unknown in _find_unknown(annotation, value):
            field_names = ", ".join(field.name for field in fields(kind))
            names = ", ".join(repr(name[:_TEXT_MAX]) for name in unknown[:_SHOWN_MAX])
            raise PydanticCustomError(
                "extra_forbidden",
                "it has no field {names}; its fields: {known}",
                {"names": names, "known": field_names},
            )
        return value

    return check


def _find_unknown(annotation: Any, value: Any) -> Iterator[tuple[type[Any], list[str]]]:
    if is_dataclass(annotation) and isinstance(annotation, type):
        if isinstance(value, dict):
            unknown = sorted(str(name) for name in value.keys() - {field.name for field in fields(annotation)})
            if unknown:
                yield annotation, unknown
    elif get_origin(annotation) is list and isinstance(value, list):
        for item in value:
            yield from _find_unknown(get_args(annotation)[0], item)
    else:
        for part in get_args(annotation):
            yield from _find_unknown(part, value)
