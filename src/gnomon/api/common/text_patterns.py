"""`_pattern` and `_prefix_pattern` on lists that are in memory."""

from __future__ import annotations

import fnmatch

from gnomon.api.common.filters import split_pattern


def matches_pattern(value: str | None, pattern: str | None) -> bool:
    """Whether one of the texts of a `_pattern` occurs in the value, as `Operator.MATCHES` finds it in the store."""
    texts = None if pattern is None else split_pattern(pattern)
    return texts is None or (value is not None and any(_like(value.lower(), text.lower()) for text in texts))


def starts_with(value: str | None, pattern: str | None) -> bool:
    """Whether the value begins with one of the texts of a `_prefix_pattern`."""
    texts = None if pattern is None else split_pattern(pattern)
    return texts is None or (value is not None and value.startswith(tuple(texts)))


def _like(value: str, text: str) -> bool:
    quoted = text.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]").replace("%", "*").replace("_", "?")
    return fnmatch.fnmatchcase(value, f"*{quoted}*")
