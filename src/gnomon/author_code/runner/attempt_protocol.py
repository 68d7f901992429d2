"""The messages between a worker and the process of an attempt, and the channel of that process."""

from __future__ import annotations

import os
import socket
import threading
from collections import deque

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.exit_reasons import describe_closed_channel
from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame
from gnomon.author_code.processes.task_api_messages import Message, TaskApiRequestMessage, TaskApiResponse
from gnomon.model.attempts import RETURN_VALUE, Attempt, AttemptResult, XComElement
from gnomon.model.errors.authoring import AirflowRuntimeError
from gnomon.model.instants import Instant
from gnomon.model.task_api_requests import GetXComElement, TaskApiRequest

READ_BYTES = 64 * 1024


def create_decoder() -> FrameDecoder[ToChild]:
    """A decoder for the messages to a child. A zygote creates it once for all its children."""
    return FrameDecoder(ToChild)


class ChannelLost(Exception):
    """The descriptor of the socket to the worker is closed, or has become another file: author code has closed it."""


class AttemptChannel:
    """The socket to the worker; `ask` blocks for the response (`sdk.runtime.channel.Channel`).

    Only the process that the zygote forked, or the worker started, sends on it: a fork that author code makes gets a refusal, and cannot report as the task.
    """

    def __init__(self, sock: socket.socket, frame_decoder: FrameDecoder[ToChild]) -> None:
        self._socket = sock
        self._descriptor = sock.fileno()
        self._inode = os.fstat(self._descriptor).st_ino
        author_forks.release_in_forks(self._close_in_fork)
        self._frame_decoder = frame_decoder
        self._received: deque[ToChild] = deque()
        self._request_count = 0
        self._current: RunAttempt | None = None
        """The attempt that this process runs, with the elements that came with it."""
        self._turn = threading.RLock()  # coroutines of a task ask in threads; a signal handler may ask during a request

    def receive_attempt(self) -> RunAttempt | None:
        """The next attempt; None when the worker has closed the socket."""
        while (message := self._next()) is not None:
            if isinstance(message, RunAttempt):
                self._current = message
                return message
        return None

    def ask(self, request: TaskApiRequest) -> object:
        """The value of the worker's response. Raises AirflowRuntimeError when the worker refuses the request or is gone, and in a fork.

        An element that came with the attempt is answered at once.
        """
        if type(request) is GetXComElement and self._current is not None:
            element = _find_element(self._current, request)
            if element is not None:
                return {"container": element.container, "length": element.length, "value": element.value}
        if author_forks.is_fork():
            raise AirflowRuntimeError(author_forks.FORK_REFUSAL)
        with self._turn:
            self._request_count += 1
            number = self._request_count
            self.send(TaskApiRequestMessage(number=number, request=request))  # type: ignore[arg-type]
            while (message := self._next()) is not None:
                if isinstance(message, TaskApiResponse) and message.number == number:
                    return message.unwrap(AirflowRuntimeError)
        raise AirflowRuntimeError("the worker of this task has ended, so its requests are not answered")

    def send(self, message: Message) -> None:
        """Send the message. Raises ChannelLost; does not return in a fork that author code has made."""
        author_forks.end_fork()
        if not self._is_open():
            raise ChannelLost(describe_closed_channel())
        self._socket.sendall(encode_frame(message))

    def _is_open(self) -> bool:
        """Whether the descriptor is still that of the socket: its number may be that of a file of the author by now."""
        try:
            return os.fstat(self._descriptor).st_ino == self._inode
        except OSError:
            return False

    def _close_in_fork(self) -> None:
        if self._is_open():
            self._socket.close()

    def _next(self) -> ToChild | None:
        while not self._received:
            data = self._socket.recv(READ_BYTES)
            if not data:
                return None
            self._received.extend(self._frame_decoder.feed(data))
        return self._received.popleft()


# ---- child -> parent -------------------------------------------------------------------------------------------------
class ChildEntered(Message, frozen=True, kw_only=True, tag=True):
    """Author code starts now."""

    at: Instant


class ChildDone(Message, frozen=True, kw_only=True, tag=True):
    """The attempt has ended with this result."""

    result: AttemptResult


# ---- parent -> child -------------------------------------------------------------------------------------------------
class RunAttempt(Message, frozen=True, kw_only=True, tag=True):
    """Run this attempt now."""

    attempt: Attempt
    elements: tuple[XComElement, ...] = ()
    """Elements of return values that the attempt need not ask for."""


def _find_element(message: RunAttempt, request: GetXComElement) -> XComElement | None:
    """The element of this request, if it came with the attempt."""
    run = message.attempt.run
    for element in message.elements:
        if element.number == request.number and element.task_id == request.task_id:
            is_same_value = (
                request.key == RETURN_VALUE and request.run_id == run.run_id and request.dag_id == run.dag_id
            )
            return element if is_same_value else None
    return None


FromChild = ChildEntered | TaskApiRequestMessage | ChildDone


ToChild = RunAttempt | TaskApiResponse
