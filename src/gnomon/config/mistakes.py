"""What can be wrong with options, in words."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.errors.product import UserMistake


class ConfigMistake(UserMistake):
    """An option has a value that it cannot have, or does not exist; the message names it, where it was set, and the remedy."""


class NoSuchOption(ConfigMistake):
    """Nobody declared this option and nobody set it."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant, None when nothing is close."""
    from difflib import get_close_matches  # only when something is wrong already

    found = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return found[0] if found else None
