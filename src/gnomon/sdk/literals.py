"""A value that rendering leaves alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gnomon.sdk.resolve import Resolvable


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
