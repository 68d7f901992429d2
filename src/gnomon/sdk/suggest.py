"""The nearest known name, for messages about unknown ones."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` without the end mark, or nothing when no name is near."""
    import difflib  # only when something is wrong

    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f"; did you mean {found[0]}=" if found else ""
