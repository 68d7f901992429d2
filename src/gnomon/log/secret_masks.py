"""The secrets of this process that its logs must not show. Formatters and the output of tasks write text through `hide`."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "***"
"""What a log shows in place of a secret."""

_secrets: set[str] = set()
_pattern: re.Pattern[str] | None = None


def add_secrets(texts: Iterable[str]) -> None:
    """From now on `hide` replaces these texts, in this process and in forks of it. Empty texts are ignored."""
    global _pattern
    new = {text for text in texts if text} - _secrets
    if new:
        _secrets.update(new)
        _pattern = re.compile("|".join(re.escape(text) for text in sorted(_secrets, key=len, reverse=True)))


def forget_secrets() -> None:
    """Remove all secrets of this process."""
    global _pattern
    _secrets.clear()
    _pattern = None


def hide(text: str, replacement: str = HIDDEN) -> str:
    """Return the text with each secret replaced; the longest one where several begin at the same place."""
    return text if _pattern is None else _pattern.sub(lambda _: replacement, text)
