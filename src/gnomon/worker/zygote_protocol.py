"""What the service and its zygotes say to each other: one packet a message, descriptors beside it."""

from __future__ import annotations

import array
import socket
from typing import Any

import msgspec

from gnomon.errors.authoring import AirflowRuntimeError
from gnomon.model.task_api_requests import AnyTaskApiRequest, TaskApiRequest

PACKET_MAX = 64 * 1024
FORKS_MAX = 32
"""Children in one order: each brings a descriptor, and the kernel takes 253 of them with one packet."""


class ZygoteMessage(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Base of the messages; the class name is the tag."""


# ---- service -> base zygote ------------------------------------------------------------------------------------------
class OpenFileZygote(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """Fork a file zygote that loads `file`; its socket is the descriptor of this packet."""

    file: str


# ---- service -> file zygote ------------------------------------------------------------------------------------------
class ForkChildren(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """Fork one child per number; the descriptors of this packet are their sockets, in the same order."""

    numbers: tuple[int, ...]


class ImportApiResponse(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """The answer to `ImportApiRequest`, or why there is none."""

    value: Any = None
    error: str | None = None


# ---- base zygote -> service, over the socket of the zygote that it did not fork ----------------------------------------
class ZygoteRefused(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """The machine refused the fork of this zygote; `error` says why. Its file may be opened again later."""

    error: str


# ---- file zygote -> service ------------------------------------------------------------------------------------------
class ImportStarted(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """The zygote exists and begins to import its file."""

    pid: int


class ImportApiRequest(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """The file asks while it is imported; nothing else is said until it is told."""

    request: AnyTaskApiRequest


class ImportFinished(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """The file was imported. With a reason in `fresh` or `error`, the zygote ends and the file is not forked."""

    fresh: str | None = None
    """Why a process that imported this file must not fork."""
    error: str | None = None
    """The import failed: one line."""


class ChildrenForked(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """(number, pid) of forked children."""

    children: tuple[tuple[int, int], ...]


class ForksRefused(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """The machine refused to fork the children with these numbers; `error` says why. They may be ordered again later."""

    numbers: tuple[int, ...]
    error: str


class ChildrenExited(ZygoteMessage, frozen=True, kw_only=True, tag=True):
    """(number, exit code; negative: the signal) of children that ended; their process groups were killed."""

    children: tuple[tuple[int, int], ...]


ToBaseZygote = OpenFileZygote
ToFileZygote = ForkChildren
FromFileZygote = ZygoteRefused | ImportStarted | ImportApiRequest | ImportFinished | ChildrenForked | ForksRefused | ChildrenExited

_ANCILLARY_BYTES = socket.CMSG_SPACE(FORKS_MAX * array.array("i").itemsize)
_encoder = msgspec.msgpack.Encoder()


def create_socket_pair() -> tuple[socket.socket, socket.socket]:
    """Two ends that keep the bounds of packets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send_packet(sock: socket.socket, order: ZygoteMessage, descriptors: tuple[int, ...] = ()) -> None:
    """One packet; OSError when the other end is gone, BlockingIOError when it does not read."""
    body = _encoder.encode(order)
    if descriptors:
        socket.send_fds(sock, [body], list(descriptors))
    else:
        sock.send(body)


def send_import_response(sock: socket.socket, told: ImportApiResponse) -> None:
    """As `send_packet`; an answer that does not fit into a packet is refused in words."""
    size = len(_encoder.encode(told))
    if size > PACKET_MAX:
        told = ImportApiResponse(error=f"the answer has {size} bytes, and while a file is imported it may have {PACKET_MAX}; ask in a task")
    send_packet(sock, told)


def receive_packet(sock: socket.socket) -> tuple[bytes, list[int]]:
    """The next packet and its descriptors, which are closed on exec; (b"", []) at the end."""
    try:
        body, ancillary, _, _ = sock.recvmsg(PACKET_MAX, _ANCILLARY_BYTES, socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:  # it was killed before it read what we sent
        return b"", []
    descriptors = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    return body, list(descriptors)


class ImportChannel:
    """A file zygote's way to ask, over its control socket; each question waits for its answer (`sdk.channel.Channel`)."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._decoder = msgspec.msgpack.Decoder(ImportApiResponse)

    def ask(self, question: TaskApiRequest) -> object:
        """The service's answer; AirflowRuntimeError with its words when it refused."""
        send_packet(self._control, ImportApiRequest(request=question))  # type: ignore[arg-type]
        body, _ = receive_packet(self._control)
        if not body:
            raise ConnectionResetError("the worker is gone")
        told = self._decoder.decode(body)
        if told.error is not None:
            raise AirflowRuntimeError(told.error)
        value: object = told.value
        return value
