"""What service and parse server say to each other: one datagram a message, a parse order with its child's socket."""

from __future__ import annotations

import socket
import struct

import msgspec

DATAGRAM_MAX = 128 * 1024


class ParseOrder(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Fork a child for this file; the socket that comes along is its end of the conversation."""

    number: int
    path: str


class ChildEnded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The child of order `number` is gone and reaped."""

    number: int
    exit_code: int
    """Negative: the signal that ended it."""
    killed_for: str | None = None
    """time | memory, when the server ended it for that."""
    output: str = ""
    """The end of what it wrote to stdout and stderr."""


_encoder = msgspec.msgpack.Encoder()
_orders = msgspec.msgpack.Decoder(ParseOrder)
_ends = msgspec.msgpack.Decoder(ChildEnded)


def send_order(control: socket.socket, order: ParseOrder, child: socket.socket) -> None:
    """The server has the order and the child's socket."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", child.fileno()))]
    control.sendmsg([_encoder.encode(order)], rights)


def receive_order(control: socket.socket) -> tuple[ParseOrder, int] | None:
    """The next order and the descriptor of the child's socket; None when the service is gone."""
    try:
        data, descriptors, _, _ = socket.recv_fds(control, DATAGRAM_MAX, 1)
    except ConnectionResetError:  # it was killed before it read what we sent
        return None
    if not data:
        return None
    return _orders.decode(data), descriptors[0]


def send_end(control: socket.socket, end: ChildEnded) -> None:
    """The service will read it."""
    control.send(_encoder.encode(end))


def receive_end(control: socket.socket) -> ChildEnded | None:
    """The next message of the server; None when it is gone. Raises BlockingIOError when there is none yet."""
    data = control.recv(DATAGRAM_MAX)
    return _ends.decode(data) if data else None
