"""The language of the pages that are made here: the one that was chosen in the page, or that the browser prefers."""

from __future__ import annotations

import contextlib

from starlette.requests import Request

LANGUAGES = ("en", "zh")
LANGUAGE_COOKIE = "gnomon_language"
"""The cookie in which the page keeps the chosen language for the login."""
_PARTS_MAX = 20


def read_accepted(request: Request) -> str:
    """The languages of a request, as the header Accept-Language has them: the chosen one, if there is one, before those of the browser."""
    chosen, accepted = request.cookies.get(LANGUAGE_COOKIE, ""), request.headers.get("accept-language", "")
    return f"{chosen},{accepted}" if chosen in LANGUAGES else accepted


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
