"""A connection of uvicorn that is closed when a request does not arrive in time, has too long headers, or when others need its place, so that no sender can hold all."""

from __future__ import annotations

import asyncio
import sys
from typing import Any
from weakref import WeakKeyDictionary

from starlette.types import Message
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from gnomon.api.streams.event_stream import HAND_OVER

REQUEST_TIMEOUT_S = 30.0
"""From its first byte, or from the start of the connection, until a request with its body must have arrived."""
CONNECTIONS_MAX = 3_000
"""The most connections of one server besides its streams of events: together they need fewer descriptors than the process has."""
HEAD_BYTES_MAX = 64 * 1024
"""The most bytes of a request line with its headers, or of what stands between two pieces of a body: the parser keeps them until they are complete."""
PIPELINED_MAX = 32
"""The most requests of a connection that wait for the answer of the one before."""
_REFUSAL = b"The headers of a request have at most 64 KiB."
_HEADERS_TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_REFUSAL), _REFUSAL)
)
_open: WeakKeyDictionary[Config, dict[HttpProtocol, None]] = WeakKeyDictionary()
"""By server, its connections, the oldest first."""


class _UnframedCycle(RequestResponseCycle):
    """A request of HTTP/1.0, which knows no chunks: an answer of unknown length ends with its connection (RFC 9112, section 6.1). uvicorn would send chunks."""

    async def send(self, message: Message) -> None:  # type: ignore[override]
        """Send a part of the answer."""
        is_start = message["type"] == "http.response.start"
        if is_start and not any(name.lower() == b"content-length" for name, _value in message.get("headers", ())):
            self.chunked_encoding = False
            self.expected_content_length = sys.maxsize
        elif message["type"] == "http.response.body" and not message.get("more_body", False) and self.expected_content_length > sys.maxsize // 2:
            self.expected_content_length = len(message.get("body", b""))
        await super().send(message)  # type: ignore[arg-type]


class HttpProtocol(HttpToolsProtocol):
    """HTTP/1.1 with a deadline for each request. Between two requests uvicorn's own `timeout_keep_alive` applies."""

    _deadline: asyncio.TimerHandle | None = None
    _kept_bytes = 0
    """Received since the headers or a piece of the body were complete."""
    _is_refused = False
    """The headers are complete and too long; the connection ends with the answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._start_deadline()
        others = _open.setdefault(self.config, {})
        others[self] = None
        if len(others) > CONNECTIONS_MAX:
            oldest = next((one for one in others if one.is_idle and one is not self), self)
            del others[oldest]
            oldest.transport.abort()

    @property
    def is_idle(self) -> bool:
        """Whether no request of the connection is being answered: none has arrived yet, or not as a whole."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request, or no longer."""
        self._kept_bytes += len(data)
        super().data_received(data)
        is_too_long = self._is_refused or (self._kept_bytes > HEAD_BYTES_MAX and self.is_idle)
        if is_too_long and not self.transport.is_closing():
            self.transport.write(_HEADERS_TOO_LONG)
            self.transport.close()
        if self.is_idle:
            self._start_deadline()
        else:
            self._cancel_deadline()

    def on_message_begin(self) -> None:
        """Offer the application to hand the connection over, as an extension of the request."""
        super().on_message_begin()
        extensions: dict[str, Any] = {HAND_OVER: self._hand_over}
        self.scope["extensions"] = extensions

    def on_headers_complete(self) -> None:
        """Begin the request. An error ends the connection with 400."""
        self._kept_bytes = 0
        if len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > HEAD_BYTES_MAX:
            self._is_refused = True
        if self._is_refused:
            return
        if len(self.pipeline) >= PIPELINED_MAX:
            raise OverflowError(f"more than {PIPELINED_MAX} requests wait for their answers")
        super().on_headers_complete()
        self.headers = []  # of trailers, which are no headers (RFC 9110, section 6.5.1): a proxy that replaces X-Forwarded-For in headers passes them on
        if self.scope["http_version"] == "1.0":
            self.cycle.__class__ = _UnframedCycle

    def on_body(self, body: bytes) -> None:
        """Pass a piece of the body on."""
        self._kept_bytes = 0
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request has arrived."""
        self._kept_bytes = 0
        if not self._is_refused:
            super().on_message_complete()

    def _hand_over(self, successor: asyncio.Protocol) -> bool:
        """Give the connection to another protocol, after the headers of the answer; False when the client has left.

        As when uvicorn changes to a WebSocket: for the request it is as if the client had left.
        """
        if self.transport.is_closing():
            return False
        self._cancel_deadline()
        self.connections.discard(self)
        self._leave()
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self.flow.resume_reading()
        self.transport.set_protocol(successor)
        successor.connection_made(self.transport)
        self._forget_request()
        self.parser = None  # type: ignore[assignment]
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._cancel_deadline()
        self._leave()
        super().connection_lost(exc)
        self._forget_request()

    def _forget_request(self) -> None:
        """The request refers to this object and this object to the request: without this, both stay in memory until the garbage collector runs, which it does rarely here."""
        self.scope = self.cycle = None  # type: ignore[assignment]

    def _leave(self) -> None:
        _open.get(self.config, {}).pop(self, None)

    def _start_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_TIMEOUT_S, self._give_up)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()
