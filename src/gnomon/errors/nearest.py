"""What somebody probably meant by a name that is not there: every "did you mean" is found here."""

from __future__ import annotations

from collections.abc import Iterable

USUAL = 0.6
"""So alike are a name and its slip, between 0 and 1. Where names are alike that mean different things, callers ask for more."""


def nearest(name: str, known: Iterable[str], *, most: int = 1, cutoff: float = USUAL) -> list[str]:
    """At most so many of the known names, those that look like `name` whatever the case, best first."""
    import difflib  # only when something is wrong

    by_lower: dict[str, str] = {}
    for candidate in known:
        by_lower.setdefault(candidate.lower(), candidate)
    return [by_lower[found] for found in difflib.get_close_matches(name.lower(), by_lower, n=most, cutoff=cutoff)]
