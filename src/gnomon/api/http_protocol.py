"""A connection of uvicorn that is closed when a request does not arrive in time, has too long headers, or when others need its place, so that no client can hold all."""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any, cast
from weakref import WeakKeyDictionary

from starlette.types import Message
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from gnomon.api.streams.event_stream import HAND_OVER

REQUEST_TIMEOUT_S = 30.0
"""From its first byte, or from the start of the connection, until a request with its body must have arrived."""
CONNECTIONS_MAX = 3_000
"""The most connections of one server besides its streams of events: together they need fewer descriptors than the process has."""
FIRST_REQUEST_S = 0.5
"""A server that ends waits so long for the request of a connection that has not sent one: it may be on its way, and its client cannot know that the server ends."""
HEAD_BYTES_MAX = 64 * 1024
"""The most bytes of a request line with its headers, or of what stands between two pieces of a body: the parser keeps them until they are complete."""
PIPELINED_MAX = 32
"""The most requests of a connection that wait for the answer of the one before."""
PIECE_BYTES = 64 * 1024
"""An answer is given to its connection in pieces of so many bytes, each when the client has read most of what was written before: the connection copies what is unsent."""
STALLED_MAX = 256
"""The most connections whose client does not read its answer now. Each keeps the part of the answer that is made: one more ends the one that was not read for the longest time."""
_REFUSAL = b"The headers of a request have at most 64 KiB."
_HEADERS_TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_REFUSAL), _REFUSAL)
)


class _Connections:
    """The connections of a server."""

    def __init__(self) -> None:
        self.open: dict[HttpProtocol, None] = {}
        """The oldest first."""
        self.stalled: dict[HttpProtocol, None] = {}
        """Those whose client does not read its answer; first the one that was not read for the longest time."""

    def leave(self, connection: HttpProtocol) -> None:
        self.open.pop(connection, None)
        self.stalled.pop(connection, None)

    def end(self, connection: HttpProtocol) -> None:
        """End a connection at once. What is unsent would keep it open until the client reads."""
        self.leave(connection)
        connection.transport.abort()

    def make_room(self, newest: HttpProtocol) -> None:
        """End a connection if there are too many: the oldest without a request that is being answered, then one that is not read, then the newest."""
        if len(self.open) > CONNECTIONS_MAX:
            idle = next(
                (connection for connection in self.open if connection.is_idle and connection is not newest), None
            )
            self.end(idle or next(iter(self.stalled), newest))


_servers: WeakKeyDictionary[Config, _Connections] = WeakKeyDictionary()


class _PacedCycle(RequestResponseCycle):
    """A request whose answer is written as fast as the client reads it. uvicorn would write a part of an answer as a whole, however long it is."""

    async def send(self, message: Message) -> None:  # type: ignore[override]
        """Send a part of the answer."""
        body = message.get("body", b"")
        while len(body) > PIECE_BYTES and not self.transport.is_closing():
            await super().send(cast(Any, {"type": message["type"], "body": body[:PIECE_BYTES], "more_body": True}))
            body = memoryview(body)[PIECE_BYTES:]
        await super().send(cast(Any, {**message, "body": body} if "body" in message else message))


class _UnframedCycle(_PacedCycle):
    """A request of HTTP/1.0, which knows no chunks: an answer of unknown length ends with its connection (RFC 9112, section 6.1). uvicorn would send chunks."""

    async def send(self, message: Message) -> None:  # type: ignore[override]
        """Send a part of the answer."""
        is_start = message["type"] == "http.response.start"
        if is_start and not any(name.lower() == b"content-length" for name, _value in message.get("headers", ())):
            self.chunked_encoding = False
            self.expected_content_length = sys.maxsize
        elif (
            message["type"] == "http.response.body"
            and not message.get("more_body", False)
            and self.expected_content_length > sys.maxsize // 2
        ):
            self.expected_content_length = len(message.get("body", b""))
        await super().send(message)


class HttpProtocol(HttpToolsProtocol):
    """HTTP/1.1 with a deadline for each request. Between two requests uvicorn's own `timeout_keep_alive` applies."""

    _deadline: asyncio.TimerHandle | None = None
    _kept_bytes = 0
    """Received since the headers or a piece of the body were complete."""
    _server: _Connections
    _is_refused = False
    """The headers are complete and too long; the connection ends with the answer."""
    _is_used = False
    """A request has arrived with its headers."""
    _is_last = False
    """The server ends: the request that the connection waits for is its only one."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        _bound_unsent(transport)
        self._start_deadline()
        self._server = _servers.setdefault(self.config, _Connections())
        self._server.open[self] = None
        self._server.make_room(self)

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
        self._is_used = True
        if self._is_last:
            self.cycle.keep_alive = False
        self.headers = []  # of trailers, which are no headers (RFC 9110, section 6.5.1): a proxy that replaces X-Forwarded-For in headers passes them on
        self.cycle.__class__ = _UnframedCycle if self.scope["http_version"] == "1.0" else _PacedCycle

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

    def shutdown(self) -> None:
        """The server ends: end the connection after the answer to its request, and one without a request when none arrives soon."""
        if self._is_used:
            super().shutdown()
        else:
            self._is_last = True
            self.loop.call_later(FIRST_REQUEST_S, self._end_unused)

    def _end_unused(self) -> None:
        if not self._is_used:
            self.transport.close()

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

    def pause_writing(self) -> None:
        """The client does not read its answer: make no more of it, and end another connection when many are like this."""
        super().pause_writing()
        self._server.stalled[self] = None
        if len(self._server.stalled) > STALLED_MAX:
            self._server.end(next(iter(self._server.stalled)))

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        self._server.stalled.pop(self, None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._cancel_deadline()
        self._leave()
        super().connection_lost(exc)
        vars(self.transport)["_read_ready_cb"] = None  # a method of its own, which asyncio lets it keep
        self._forget_request()

    def _forget_request(self) -> None:
        """Requests refer to this object and this object to its requests: without this, all stay in memory until the garbage collector runs, which it does rarely here.

        Small objects that stay keep the free memory between them from being used for a large one.
        """
        self.pipeline.clear()
        self.scope = self.cycle = None  # type: ignore[assignment]

    def _leave(self) -> None:
        self._server.leave(self)

    def _start_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_TIMEOUT_S, self._give_up)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self._server.end(self)


def _bound_unsent(transport: asyncio.Transport) -> None:
    """Let the kernel keep no more than a piece that it cannot send yet: all connections share its memory, and without a bound each may take megabytes of it."""
    connection = transport.get_extra_info("socket")
    if connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, PIECE_BYTES)
