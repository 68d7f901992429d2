"""Whether the header Origin of a request names the host that it is sent to."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request


def is_of_own_host(origin: str, request: Request) -> bool:
    """False also for an origin that is no address: a browser sends none, other clients may send anything."""
    try:
        return urlsplit(origin).netloc == request.headers.get("host")
    except ValueError:
        return False
