"""The language that a browser prefers: for the pages that are made here and know nothing of what was chosen in the page."""

from __future__ import annotations

import contextlib

LANGUAGES = ("en", "zh")
_PARTS_MAX = 20


def find_language(accepted: str) -> str:
    """The one of `LANGUAGES` that a browser prefers by its header Accept-Language; English when it names neither."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.split(",")[:_PARTS_MAX]:
        tag, _, weight = part.strip().partition(";q=")
        with contextlib.suppress(ValueError):
            weighted.append((float(weight or 1), tag.partition("-")[0].lower()))
    return next(
        (language for _, language in sorted(weighted, key=lambda choice: -choice[0]) if language in LANGUAGES), "en"
    )
