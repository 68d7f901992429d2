"""Messages between dag-processor, parse server and parse child: one message per datagram, an order with the child's socket."""

from __future__ import annotations

import hashlib
import socket
from typing import Any

import msgspec

from gnomon.author_code.processes import author_forks, message_stream
from gnomon.author_code.processes.packets import receive_packet, send_packet
from gnomon.author_code.processes.task_api_messages import Message, TaskApiRequestMessage, TaskApiResponse
from gnomon.model.errors.product import GnomonError
from gnomon.model.spec import ParsedFile
from gnomon.model.task_api_requests import TaskApiRequest

DATAGRAM_MAX = 128 * 1024


class ParseOrder(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """To the server: fork a child for this file. The socket sent with the order connects the child to the dag-processor."""

    number: int
    path: str


class ChildEnded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the server: the child of order `number` has ended and is reaped."""

    number: int
    exit_code: int
    """Negative: the signal that ended it."""
    kill_reason: str | None = None
    """`time` or `memory` when the server killed the child for exceeding that limit."""
    output: str = ""
    """The end of the child's stdout and stderr."""


_orders = msgspec.msgpack.Decoder(ParseOrder)
_ends = msgspec.msgpack.Decoder(ChildEnded)


def send_order(control: socket.socket, order: ParseOrder, child: socket.socket) -> None:
    """Send the order and the child's socket to the server."""
    send_packet(control, order, (child.fileno(),))


def receive_order(control: socket.socket) -> tuple[ParseOrder, int] | None:
    """The next order and the descriptor of the child's socket; None when the dag-processor has ended."""
    data, descriptors = receive_packet(control, DATAGRAM_MAX)
    return (_orders.decode(data), descriptors[0]) if data else None


def send_end(control: socket.socket, end: ChildEnded) -> None:
    """Send the end of a child to the dag-processor."""
    send_packet(control, end)


def receive_end(control: socket.socket) -> ChildEnded | None:
    """The next message of the server; None when it has ended. Raises BlockingIOError when there is none yet."""
    data, _ = receive_packet(control, DATAGRAM_MAX)
    return _ends.decode(data) if data else None


class ParseChannel:
    """The Task API channel of a parse child. Records requests and answers: with other answers the DAG file may differ."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._splitter: message_stream.FrameDecoder[Any] = message_stream.FrameDecoder(TaskApiResponse)
        self._request_count = 0
        self._digest = hashlib.sha256()
        author_forks.release_in_forks(sock.close)

    @property
    def has_requests(self) -> bool:
        """Whether the file requested a Variable, a Connection or anything else during its import."""
        return self._request_count > 0

    @property
    def answers_digest(self) -> str | None:
        """A digest of all requests and answers, in order; None when there was no request."""
        return self._digest.hexdigest() if self.has_requests else None

    def ask(self, request: TaskApiRequest) -> object:
        """The answer of the dag-processor. Raises GnomonError with its message when it refuses, and in a fork."""
        if author_forks.is_fork():
            raise GnomonError(author_forks.FORK_REFUSAL)
        self._request_count += 1
        message = TaskApiRequestMessage(number=self._request_count, request=request)  # type: ignore[arg-type]
        self._socket.sendall(message_stream.encode_frame(message))
        answer = message_stream.receive_message(self._socket, self._splitter)
        if answer is None:
            from gnomon.model.sentences import say  # loaded with the first refusal

            raise GnomonError(say("dag_processor_has_ended"))
        self._digest.update(repr((request, answer.value, answer.error)).encode(errors="surrogateescape"))
        unwrapped: object = answer.unwrap(GnomonError)
        return unwrapped

    def send_outcome(self, parsed: ParsedFile) -> None:
        """Send the outcome to the dag-processor; does not return in a fork that the file has made."""
        author_forks.end_fork()
        self._socket.sendall(message_stream.encode_frame(ParseDone(parsed=parsed)))


class ParseDone(Message, frozen=True, kw_only=True, tag=True):
    """From the child: the whole outcome of a parse."""

    parsed: ParsedFile
