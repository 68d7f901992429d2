"""Frames on a stream socket: a 4-byte big-endian length, then one msgpack message of at most FRAME_MAX bytes."""

from __future__ import annotations

import functools
import socket
import struct
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

FRAME_MAX = 256 * 1024 * 1024
"""A longer frame is refused."""
_LENGTH = struct.Struct(">I")
_encoder = msgspec.msgpack.Encoder()


class FrameTooLarge(Exception):
    """A message of more than 256 MiB; push a path or an address instead of the value."""


def encode_frame(message: msgspec.Struct) -> bytes:
    """The frame of a message. Raises FrameTooLarge."""
    body = _encoder.encode(message)
    if len(body) > FRAME_MAX:
        raise FrameTooLarge(f"a message of {len(body)} bytes is over the limit of {FRAME_MAX}")
    return _LENGTH.pack(len(body)) + body


@functools.cache
def _create_decoder(union: Any) -> Any:
    """A decoder has no state: connections share it, and so do forks of a process that has created it."""
    return msgspec.msgpack.Decoder(union)


def decode_message(decoder: msgspec.msgpack.Decoder[T], body: bytes) -> T:
    """The message of these bytes. Raises msgspec.DecodeError for all others, also for text that is not UTF-8 and values that are nested too deeply."""
    try:
        return decoder.decode(body)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(f"the message cannot be read: {error}") from error


class FrameDecoder(Generic[T]):
    """Decodes a stream of bytes into messages of one union type."""

    def __init__(self, union: Any) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = _create_decoder(union)
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[T]:
        """Append `data` and yield every complete message. Raises FrameTooLarge and msgspec.DecodeError."""
        self._buffer += data
        start = 0
        try:
            while len(self._buffer) - start >= _LENGTH.size:
                (length,) = _LENGTH.unpack_from(self._buffer, start)
                if length > FRAME_MAX:
                    raise FrameTooLarge(f"a frame of {length} bytes is over the limit of {FRAME_MAX}")
                end = start + _LENGTH.size + length
                if len(self._buffer) < end:
                    break
                body = bytes(memoryview(self._buffer)[start + _LENGTH.size : end])
                start = end
                yield decode_message(self._decoder, body)
        finally:
            del self._buffer[:start]


def receive_message(sock: socket.socket, splitter: FrameDecoder[T]) -> T | None:
    """The next message of a blocking socket; None at its end. Reads exactly one frame. Raises as `FrameDecoder.feed`."""
    header = _read_exactly(sock, _LENGTH.size)
    if header is None:
        return None
    (length,) = _LENGTH.unpack(header)
    if length > FRAME_MAX:
        raise FrameTooLarge(f"a frame of {length} bytes is over the limit of {FRAME_MAX}")
    body = _read_exactly(sock, length)
    if body is None:
        return None
    for message in splitter.feed(header + body):
        return message
    return None


def _read_exactly(sock: socket.socket, count: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < count:
        part = sock.recv(count - len(parts))
        if not part:
            return None
        parts += part
    return bytes(parts)


READ_BYTES = 256 * 1024
READS_MAX = 64
"""Reads in one `receive`, so that one busy peer does not starve the others."""


class MessageStream(Generic[T]):
    """A socket and its two buffers. No method blocks; none raises when the peer is gone: then `ended` is True."""

    __slots__ = ("_out", "_splitter", "ended", "failure", "sock")

    def __init__(self, sock: socket.socket, splitter: FrameDecoder[T]) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.ended = False
        self.failure: str | None = None
        """Why the stream was closed on this side: the peer sent a frame that cannot be read."""
        self._splitter = splitter
        self._out = bytearray()

    def receive(self) -> list[T]:
        """Every message that has arrived. Sets `ended` at the end of the stream."""
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
                self.ended, self.failure = True, str(error)
                break
            if len(data) < READ_BYTES:
                break
        return messages

    def put(self, message: msgspec.Struct) -> None:
        """Queue the message for the next `flush`."""
        self._out += encode_frame(message)

    def flush(self) -> bool:
        """Write what the socket takes; True when no message is left."""
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
