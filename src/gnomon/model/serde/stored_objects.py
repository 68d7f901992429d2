"""Objects of classes in typed JSON: `{"__classname__": ..., "__version__": ..., "__data__": ...}`, as Airflow stores them.

This package only knows the form. What turns objects into it and back is given to `dumps` and `loads` (`gnomon.authoring.sdk.serialization`), in the processes of
tasks and triggers alone: other processes never make an object of a class that a stored value names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

CLASSNAME = "__classname__"
VERSION = "__version__"
DATA = "__data__"
_PLACE_MAX = 200
"""Characters of a place; the rest of a longer one is left out."""


class StoredObject(NamedTuple):
    """An object of a class: the dotted path of the class, the version of its data, and the data, which `dumps` takes."""

    classname: str
    version: int
    data: object


class NoStoredForm(Exception):
    """This object of a supported type cannot be stored; the text is what to do instead."""


DescribeObject = Callable[[object], StoredObject | None]
"""Returns what is stored of a value; None for a value that this function does not know. Raises NoStoredForm."""
MakeObject = Callable[[StoredObject], object]
"""Returns the object; its data are decoded. Raises DeserializationError."""


def is_stored_object(value: Mapping[str, Any]) -> bool:
    """Whether the JSON object is a stored object of a class."""
    return CLASSNAME in value and VERSION in value and isinstance(value[CLASSNAME], str)


def find_object_place(value: object) -> str | None:
    """The place of a stored object inside a JSON value, such as `['rows'][2]`; empty for the value itself, None without one."""
    waiting = [(value, "")]
    while waiting:
        part, place = waiting.pop()
        if isinstance(part, dict) and CLASSNAME in part:
            return place
        items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting += [(item, f"{place[:_PLACE_MAX]}[{key!r}]") for key, item in items if isinstance(item, dict | list)]
    return None
