"""Values that are known only when the task runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any


class Resolvable:
    """Stands in a DAG file for a value of the run; rendering replaces it."""

    @abstractmethod
    def resolve(self, context: Mapping[str, Any]) -> Any:
        """The value, for the run of `context`."""

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """(task, XCom key) of every value this refers to."""
        return ()


class LiteralValue(Resolvable):
    """Rendering gives `value` as it is."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """The value."""
        return self.value

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """None: it refers to nothing."""
        return ()


def literal(value: Any) -> LiteralValue:
    """The value, not rendered: `bash_command=literal("echo {{ not a template }}")`."""
    return LiteralValue(value)
