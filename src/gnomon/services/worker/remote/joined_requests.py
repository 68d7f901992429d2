"""Connections of HTTP that write the head and the body of a request together.

Python's own write them one after the other: the server is woken twice, and begins a request whose body it does not have yet.
"""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from typing import Any

JOINED_BYTES_MAX = 65_536
"""What is longer is not copied, but written in its parts."""


class _JoinedRequests(http.client.HTTPConnection):
    _held: list[bytes] | None = None
    """The parts of the request that is being built; None: what is sent is written at once."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a request. Raises as `http.client.HTTPConnection.request`."""
        parts: list[bytes] = []
        self._held = parts
        try:
            self.request("POST", url, body, headers)
        finally:
            self._held = None
        for part in [b"".join(parts)] if sum(len(part) for part in parts) <= JOINED_BYTES_MAX else parts:
            self.send(part)

    def send(self, data: Any) -> None:
        """Write a part of a request, or keep it until the request is complete."""
        if self._held is None:
            super().send(data)
        else:
            self._held.append(data)


class PlainConnection(_JoinedRequests):
    """A connection without encryption."""


class SecureConnection(_JoinedRequests, http.client.HTTPSConnection):
    """A connection with TLS."""
