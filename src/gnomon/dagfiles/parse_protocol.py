"""What service and parse server say to each other: one datagram a message, a parse order with its child's socket."""

from __future__ import annotations

import hashlib
import socket
from typing import Any

import msgspec

from gnomon.errors.product import GnomonError
from gnomon.model.spec import ParsedFile
from gnomon.model.task_api_requests import TaskApiRequest
from gnomon.processes import message_stream
from gnomon.processes.packets import receive_packet, send_packet
from gnomon.processes.task_api_messages import Message, TaskApiRequestMessage, TaskApiResponse

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
    kill_reason: str | None = None
    """time | memory, when the server ended it for that."""
    output: str = ""
    """The end of what it wrote to stdout and stderr."""


_orders = msgspec.msgpack.Decoder(ParseOrder)
_ends = msgspec.msgpack.Decoder(ChildEnded)


def send_order(control: socket.socket, order: ParseOrder, child: socket.socket) -> None:
    """The server has the order and the child's socket."""
    send_packet(control, order, (child.fileno(),))


def receive_order(control: socket.socket) -> tuple[ParseOrder, int] | None:
    """The next order and the descriptor of the child's socket; None when the service is gone."""
    data, descriptors = receive_packet(control, DATAGRAM_MAX)
    return (_orders.decode(data), descriptors[0]) if data else None


def send_end(control: socket.socket, end: ChildEnded) -> None:
    """The service will read it."""
    send_packet(control, end)


def receive_end(control: socket.socket) -> ChildEnded | None:
    """The next message of the server; None when it is gone. Raises BlockingIOError when there is none yet."""
    data, _ = receive_packet(control, DATAGRAM_MAX)
    return _ends.decode(data) if data else None


class ParseChannel:
    """Installed as the process's channel while a file is imported. An answer may differ tomorrow: asking is remembered."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._splitter: message_stream.FrameDecoder[Any] = message_stream.FrameDecoder(TaskApiResponse)
        self._question_count = 0
        self._digest = hashlib.sha256()

    @property
    def has_asked(self) -> bool:
        """Whether the file asked for a Variable, a Connection or anything else."""
        return self._question_count > 0

    @property
    def answers_digest(self) -> str | None:
        """The digest of all that was asked and answered, in order; None when nothing was asked."""
        return self._digest.hexdigest() if self.has_asked else None

    def ask(self, question: TaskApiRequest) -> object:
        """The answer of the service. Raises GnomonError with its words when it refuses."""
        self._question_count += 1
        self._socket.sendall(message_stream.encode_frame(TaskApiRequestMessage(number=self._question_count, request=question)))  # type: ignore[arg-type]
        answer = message_stream.receive_message(self._socket, self._splitter)
        if answer is None:
            raise GnomonError("the dag-processor is gone; the file is parsed again when it is back")
        self._digest.update(repr((question, answer.value, answer.error)).encode(errors="surrogateescape"))
        unwrapped: object = answer.unwrap(GnomonError)
        return unwrapped

    def send_outcome(self, parsed: ParsedFile) -> None:
        """The service has the outcome."""
        self._socket.sendall(message_stream.encode_frame(ParseDone(parsed=parsed)))


class ParseDone(Message, frozen=True, kw_only=True, tag=True):
    """The one frame with all of a parse's outcome."""

    parsed: ParsedFile
