"""The stored form of mappers, windows and wait policies: `{"type": class, "data": what its `serialize` returns}`.

A class of Gnomon is stored by its name, a class of an author by module and name; only processes that run author code decode those.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Self, TypeAlias, TypeVar

ClassFinder: TypeAlias = Callable[[str], type[Any] | None]
"""Finds the class of an author by its path; None or an exception when there is none."""
_BUILTINS: dict[str, type[PartitionPart]] = {}
_current_finder: ContextVar[ClassFinder | None] = ContextVar("partition_class_finder", default=None)
"""The finder of the outermost `decode_part`, for the parts that a `deserialize` decodes."""


class PartitionPart:
    """Base class of mappers, windows and wait policies: parts that are equal when their types and arguments are."""

    def serialize(self) -> dict[str, Any]:
        """JSON data from which `deserialize` makes an equal part."""
        return {}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:  # noqa: ARG003
        """The part whose `serialize` returned `data`."""
        return cls()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        arguments = ", ".join(
            f"{name.lstrip('_')}={value!r}" for name, value in vars(self).items() if value is not None
        )
        return f"{type(self).__name__}({arguments})"


class UnknownPart(ValueError):
    """A stored mapper, window or wait policy cannot be decoded here; the text says which, and what to do."""


Part = TypeVar("Part", bound=type[PartitionPart])


def builtin_part(cls: Part) -> Part:
    """Mark a class of Gnomon: it is stored by its name."""
    _BUILTINS[cls.__name__] = cls
    return cls


def encode_part(part: PartitionPart) -> dict[str, Any]:
    """The stored form. Raises TypeError when an author's `serialize` returns no dict."""
    cls = type(part)
    data = part.serialize()
    if not isinstance(data, dict):
        raise TypeError(f"{cls.__name__}.serialize() returned {type(data).__name__}; return a dict of JSON values")
    return {"type": cls.__name__ if is_builtin(part) else f"{cls.__module__}.{cls.__qualname__}", "data": data}


def is_builtin(part: object) -> bool:
    """True for a part of a class of Gnomon, which no author has subclassed."""
    return _BUILTINS.get(type(part).__name__) is type(part)


def decode_part(stored: dict[str, Any], find_class: ClassFinder | None = None) -> Any:
    """The part of a stored form. `find_class` finds the classes of authors, also those of nested parts. Raises UnknownPart.

    An exception of an author's `deserialize` propagates.
    """
    finder = find_class or _current_finder.get()
    path = str(stored["type"])
    cls: type[Any] | None = _BUILTINS.get(path)
    if cls is None and finder is not None:
        cls = finder(path)
    if cls is None:
        raise UnknownPart(
            f"{path} is none of Gnomon's partition mappers, windows and wait policies; a class of an author is only used in processes that run author code"
        )
    token = _current_finder.set(finder)
    try:
        return cls.deserialize(stored["data"])
    finally:
        _current_finder.reset(token)


def list_author_classes(stored: Any) -> list[str]:
    """The paths of the classes of authors in a stored form, in order, those of nested parts too."""
    if isinstance(stored, dict):
        path = stored.get("type")
        own = [path] if isinstance(path, str) and "data" in stored and path not in _BUILTINS else []
        return [*own, *(name for value in stored.values() for name in list_author_classes(value))]
    return [name for value in stored for name in list_author_classes(value)] if isinstance(stored, list) else []
