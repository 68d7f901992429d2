"""`_pattern` and `_prefix_pattern` on lists that are in memory."""

from __future__ import annotations

from gnomon.api.common.filters import split_pattern
from gnomon.storage.store.pages.memory_pages import is_like


def matches_pattern(value: str | None, pattern: str | None) -> bool:
    """Whether one of the texts of a `_pattern` occurs in the value."""
    texts = None if pattern is None else split_pattern(pattern)
    return texts is None or (value is not None and any(is_like(value, text) for text in texts))


def starts_with(value: str | None, pattern: str | None) -> bool:
    """Whether the value begins with one of the texts of a `_prefix_pattern`."""
    texts = None if pattern is None else split_pattern(pattern)
    return texts is None or (value is not None and value.startswith(tuple(texts)))
