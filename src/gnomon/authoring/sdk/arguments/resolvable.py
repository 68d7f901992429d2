"""Placeholders in a DAG file for values that are known only when the task runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any


class Resolvable:
    """A placeholder for a value of the run; rendering replaces it by the value."""

    @abstractmethod
    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return the value for the run of `context`."""

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """Yield (task, XCom key) of every XCom that the placeholder refers to."""
        return ()


class LiteralValue(Resolvable):
    """A value that is not rendered."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return the value."""
        return self.value

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """Return nothing: a literal refers to no XCom."""
        return ()


def literal(value: Any) -> LiteralValue:
    """Return a placeholder for `value` itself: `bash_command=literal("echo {{ not a template }}")`."""
    return LiteralValue(value)
