"""A connection of uvicorn that is closed when a request does not arrive in time, or when others need its place, so that slow senders cannot hold all."""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from gnomon.api.streams.event_stream import HAND_OVER

REQUEST_TIMEOUT_S = 30.0
"""From its first byte, or from the start of the connection, until a request with its body must have arrived."""
CONNECTIONS_MAX = 3_000
"""The most connections of one server besides its streams of events: together they need fewer descriptors than the process has."""
_open: WeakKeyDictionary[Config, dict[DeadlineProtocol, None]] = WeakKeyDictionary()
"""By server, its connections, the oldest first."""


class DeadlineProtocol(H11Protocol):
    """HTTP/1.1 with a deadline for each request. Between two requests uvicorn's own `timeout_keep_alive` applies."""

    _deadline: asyncio.TimerHandle | None = None

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
        super().data_received(data)
        if self.is_idle:
            self._start_deadline()
        else:
            self._cancel_deadline()

    def handle_events(self) -> None:
        """Offer the application to hand the connection over, as an extension of the request."""
        super().handle_events()
        if self.scope is not None:
            extensions: dict[str, Any] = self.scope.setdefault("extensions", {})
            extensions[HAND_OVER] = self._hand_over

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
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._cancel_deadline()
        self._leave()
        super().connection_lost(exc)

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
