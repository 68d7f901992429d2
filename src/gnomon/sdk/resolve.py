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
