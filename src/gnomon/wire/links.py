"""One non-blocking stream of messages: what could not be written yet waits, what arrived is cut into messages."""

from __future__ import annotations

import socket
from typing import Generic, TypeVar

import msgspec

from gnomon.wire.frames import FrameTooLarge, Splitter, encode

T = TypeVar("T")

READ_BYTES = 256 * 1024
READS_MAX = 64
"""Reads in one turn; a partner that never stops talking does not starve the others."""


class Link(Generic[T]):
    """A socket and its two buffers. No method blocks or raises for a partner that is gone: `ended` says so."""

    __slots__ = ("_out", "_splitter", "ended", "fault", "sock")

    def __init__(self, sock: socket.socket, splitter: Splitter[T]) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.ended = False
        self.fault: str | None = None
        """Why the stream was given up, when it was not the partner's own end."""
        self._splitter = splitter
        self._out = bytearray()

    def receive(self) -> list[T]:
        """Every message that has arrived; sets `ended` when no more will."""
        messages: list[T] = []
        for _ in range(READS_MAX):
            try:
                data = self.sock.recv(READ_BYTES)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                data = b""
            if not data:
                self.ended = True
                break
            try:
                messages.extend(self._splitter.feed(data))
            except (FrameTooLarge, msgspec.DecodeError) as error:
                self.ended, self.fault = True, str(error)
                break
            if len(data) < READ_BYTES:
                break
        return messages

    def put(self, message: msgspec.Struct) -> None:
        """The message waits for the next `flush`."""
        self._out += encode(message)

    def flush(self) -> bool:
        """Writes what the socket takes; True when nothing waits any more."""
        while self._out and not self.ended:
            try:
                sent = self.sock.send(self._out)
            except (BlockingIOError, InterruptedError):
                return False
            except OSError:
                self.ended = True
                break
            del self._out[:sent]
        return True

    def close(self) -> None:
        self.ended = True
        self.sock.close()
