"""Frames: a 4-byte big-endian length, then one msgpack message. Bounded, typed, and indifferent to how bytes arrive."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

FRAME_MAX = 256 * 1024 * 1024
"""A longer frame is refused: its sender is broken."""
_LENGTH = struct.Struct(">I")
_encoder = msgspec.msgpack.Encoder()


class FrameTooLarge(Exception):
    """A message of more than 256 MiB; push a path or an address instead of the value."""


def encode(message: msgspec.Struct) -> bytes:
    """The frame of a message."""
    body = _encoder.encode(message)
    if len(body) > FRAME_MAX:
        raise FrameTooLarge(f"a message of {len(body)} bytes is over the limit of {FRAME_MAX}")
    return _LENGTH.pack(len(body)) + body


class Splitter(Generic[T]):
    """Cuts a stream of bytes into messages of one union type."""

    def __init__(self, union: Any) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(union)
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[T]:
        """Every message that is complete once `data` was appended."""
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
                yield self._decoder.decode(body)
        finally:
            del self._buffer[:start]


def receive(sock: socket.socket, splitter: Splitter[T]) -> T | None:
    """The next message of a blocking socket, None at its end. One conversation partner at a time: reads exactly one frame."""
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
