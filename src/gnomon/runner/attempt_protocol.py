"""The child's end of the socket to its worker: attempts come in, questions and results go out."""

from __future__ import annotations

import socket
from collections import deque

from gnomon.errors.authoring import AirflowRuntimeError
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.task_api_requests import TaskApiRequest
from gnomon.processes.message_stream import FrameDecoder, encode_frame
from gnomon.processes.task_api_messages import Message, TaskApiRequestMessage, TaskApiResponse

READ_BYTES = 64 * 1024


def create_decoder() -> FrameDecoder[ToChild]:
    """Made once in a zygote, so that no child pays for it."""
    return FrameDecoder(ToChild)


class AttemptChannel:
    """One conversation with the worker; `ask` blocks for the answer (`sdk.channel.Channel`)."""

    def __init__(self, sock: socket.socket, frame_decoder: FrameDecoder[ToChild]) -> None:
        self._socket = sock
        self._frame_decoder = frame_decoder
        self._received: deque[ToChild] = deque()
        self._request_count = 0

    def receive_attempt(self) -> RunAttempt | None:
        """The next attempt, None when the worker wants no more of this process."""
        while (message := self._next()) is not None:
            if isinstance(message, RunAttempt):
                return message
        return None

    def ask(self, request: TaskApiRequest) -> object:
        """The worker's answer; AirflowRuntimeError with its words when it refused, or is gone."""
        self._request_count += 1
        self.send(TaskApiRequestMessage(number=self._request_count, request=request))  # type: ignore[arg-type]
        while (message := self._next()) is not None:
            if isinstance(message, TaskApiResponse) and message.number == self._request_count:
                if message.error is not None:
                    raise AirflowRuntimeError(message.error)
                return message.value
        raise AirflowRuntimeError("the worker of this task is gone; nobody answers questions any more")

    def send(self, message: Message) -> None:
        self._socket.sendall(encode_frame(message))

    def _next(self) -> ToChild | None:
        while not self._received:
            data = self._socket.recv(READ_BYTES)
            if not data:
                return None
            self._received.extend(self._frame_decoder.feed(data))
        return self._received.popleft()


# ---- child -> parent -------------------------------------------------------------------------------------------------
class ChildReady(Message, frozen=True, kw_only=True, tag=True):
    """The child waits for its attempt."""

    pid: int


class ChildEntered(Message, frozen=True, kw_only=True, tag=True):
    """The next thing that runs is `execute`."""

    at: Instant


class ChildDone(Message, frozen=True, kw_only=True, tag=True):
    """The one frame with all of an attempt's outcome."""

    result: AttemptResult


# ---- parent -> child -------------------------------------------------------------------------------------------------
class RunAttempt(Message, frozen=True, kw_only=True, tag=True):
    """Run this attempt now."""

    attempt: Attempt


FromChild = ChildReady | ChildEntered | TaskApiRequestMessage | ChildDone


ToChild = RunAttempt | TaskApiResponse
