"""`StreamConnection`: the connection of a stream after its HTTP headers were sent. It is a protocol of asyncio, not a task, and costs a few kilobytes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gnomon.api.policies import Credential
from gnomon.api.streams.stream_interest import StreamInterest

BUFFER_BYTES_MAX = 256 * 1024
"""A stream whose client is so far behind is cut off; the client may continue it."""
_WRITTEN_AHEAD = 64 * 1024
"""While more bytes than this are unsent, no more of what the client missed is written."""
RECEIVED_MAX = 64 * 1024
"""A client that sends more bytes into a stream is cut off."""
_LAST_CHUNK = b"0\r\n\r\n"


class StreamData(NamedTuple):
    """A piece of a stream, which the streams of a group share: the text, and the text as a chunk of HTTP/1.1."""

    text: bytes
    chunk: bytes


def build_data(text: bytes) -> StreamData:
    """The piece with this text, which is not empty."""
    return StreamData(text, b"%x\r\n%b\r\n" % (len(text), text))


class StreamConnection(asyncio.Protocol):
    """Writes to one client. `on_lost` is called once, when the connection has ended."""

    __slots__ = (
        "_backlog",
        "_is_chunked",
        "_on_lost",
        "_queue",
        "_queued_bytes",
        "_received",
        "_transport",
        "bucket",
        "credential",
        "interest",
    )

    def __init__(
        self,
        interest: StreamInterest,
        credential: Credential,
        is_chunked: bool,
        on_lost: Callable[[StreamConnection], object],
    ) -> None:
        self.interest = interest
        self.credential = credential
        self.bucket = 0
        """When in the round of heartbeats it is its turn."""
        self._is_chunked = is_chunked
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._backlog: Iterator[StreamData] | None = None
        self._queue: deque[StreamData] | None = None
        self._queued_bytes = 0
        self._received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The HTTP protocol has handed the connection over."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=_WRITTEN_AHEAD)

    def begin(self, opening: StreamData, backlog: Iterator[StreamData]) -> None:
        """Write the opening, then what the client missed as fast as it reads, then what was put meanwhile."""
        self._backlog, self._queue = backlog, deque()
        self._write(opening)
        self._write_backlog()

    def put(self, data: StreamData) -> None:
        """Send a piece. A stream that is too far behind is cut off."""
        if self._queue is not None:
            self._queue.append(data)
            self._queued_bytes += len(data.text)
            if self._queued_bytes > BUFFER_BYTES_MAX:
                self.abort()
            return
        self._write(data)

    def abort(self) -> None:
        """End the connection at once, without the data that the client has not read."""
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """End the stream; a client that does not read is cut off."""
        if self._transport is None or self._transport.is_closing():
            return
        if self._queue is None and self._is_chunked:
            self._transport.write(_LAST_CHUNK)
        if self._transport.get_write_buffer_size():
            self._transport.abort()
        else:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        """A client has nothing to send."""
        self._received += len(data)
        if self._received > RECEIVED_MAX:
            self.abort()

    def resume_writing(self) -> None:
        """The client has read: write more of what it missed."""
        self._write_backlog()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self._backlog = self._queue = None
        self._on_lost(self)

    def _write_backlog(self) -> None:
        if self._backlog is None:
            return
        for data in self._backlog:
            self._write(data)
            if self._unsent() > _WRITTEN_AHEAD:
                return  # `resume_writing` is called when the client has read
        waiting, self._backlog, self._queue = self._queue, None, None
        for data in waiting or ():
            self._write(data)

    def _write(self, data: StreamData) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.write(data.chunk if self._is_chunked else data.text)
        if self._unsent() > BUFFER_BYTES_MAX:
            self._transport.abort()

    def _unsent(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()
