"""The address of the client of a request."""

from __future__ import annotations

from fastapi import Request


def find_address(request: Request) -> str:
    """The address of the client as the server sees it."""
    return "" if request.client is None else request.client.host
