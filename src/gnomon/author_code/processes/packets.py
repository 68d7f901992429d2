"""Sockets that keep the bounds of messages: one packet is one message, with open descriptors beside it."""

from __future__ import annotations

import array
import socket

import msgspec

DESCRIPTORS_MAX = 32
"""Descriptors in one packet; the kernel takes up to 253."""
_ANCILLARY_BYTES = socket.CMSG_SPACE(DESCRIPTORS_MAX * array.array("i").itemsize)
_encoder = msgspec.msgpack.Encoder()


def create_packet_pair() -> tuple[socket.socket, socket.socket]:
    """Two connected sockets that keep the bounds of packets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def encode_packet(message: msgspec.Struct) -> bytes:
    """The bytes of the packet that `send_packet` sends."""
    return _encoder.encode(message)


def send_packet(sock: socket.socket, message: msgspec.Struct, descriptors: tuple[int, ...] = ()) -> None:
    """Send one packet. Raises OSError when the peer is gone, BlockingIOError when its buffer is full."""
    body = encode_packet(message)
    if descriptors:
        socket.send_fds(sock, [body], list(descriptors))
    else:
        sock.send(body)


def receive_packet(sock: socket.socket, bytes_max: int) -> tuple[bytes, list[int]]:
    """The next packet and its descriptors, which are closed on exec; (b"", []) when the peer is gone.

    Raises BlockingIOError for a socket that does not block and has no packet.
    """
    try:
        body, ancillary, _, _ = sock.recvmsg(bytes_max, _ANCILLARY_BYTES, socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:  # the peer was killed before it read the last packet
        return b"", []
    descriptors = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    return body, list(descriptors)
