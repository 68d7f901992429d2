"""Objects of classes in typed JSON: `{"__classname__": ..., "__version__": ..., "__data__": ...}`, as Airflow stores them.

This package only knows the form. What turns objects into it and back is given to `dumps` and `loads` (`gnomon.sdk.serialization`), in the processes of
tasks and triggers alone: other processes never make an object of a class that a stored value names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

CLASSNAME = "__classname__"
VERSION = "__version__"
DATA = "__data__"


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


def find_object_place(value: object, place: str = "") -> str | None:
    """The place of the first stored object inside a JSON value, such as `['rows'][2]`; empty for the value itself, None without one."""
    if isinstance(value, dict):
        if CLASSNAME in value:
            return place
        parts = [(f"{place}[{key!r}]", item) for key, item in value.items()]
    elif isinstance(value, list):
        parts = [(f"{place}[{number}]", item) for number, item in enumerate(value)]
    else:
        return None
    return next((found for at, item in parts if (found := find_object_place(item, at)) is not None), None)
