"""The child's end of the socket to its worker: attempts come in, questions and results go out."""

from __future__ import annotations

import socket
from collections import deque

from gnomon.errors.authoring import AirflowRuntimeError
from gnomon.model.questions import Question
from gnomon.wire.frames import Splitter, encode
from gnomon.wire.messages import Answer, Ask, Begin, Message, ToChild

READ_BYTES = 64 * 1024


def new_splitter() -> Splitter[ToChild]:
    """Made once in a zygote, so that no child pays for it."""
    return Splitter(ToChild)


class SocketChannel:
    """One conversation with the worker; `ask` blocks for the answer (`sdk.channel.Channel`)."""

    def __init__(self, sock: socket.socket, splitter: Splitter[ToChild]) -> None:
        self._socket = sock
        self._splitter = splitter
        self._read: deque[ToChild] = deque()
        self._asked = 0

    def begin(self) -> Begin | None:
        """The next attempt, None when the worker wants no more of this process."""
        while (message := self._next()) is not None:
            if isinstance(message, Begin):
                return message
        return None

    def ask(self, question: Question) -> object:
        """The worker's answer; AirflowRuntimeError with its words when it refused, or is gone."""
        self._asked += 1
        self.send(Ask(number=self._asked, question=question))  # type: ignore[arg-type]
        while (message := self._next()) is not None:
            if isinstance(message, Answer) and message.number == self._asked:
                if message.error is not None:
                    raise AirflowRuntimeError(message.error)
                return message.value
        raise AirflowRuntimeError("the worker of this task is gone; nobody answers questions any more")

    def send(self, message: Message) -> None:
        self._socket.sendall(encode(message))

    def _next(self) -> ToChild | None:
        while not self._read:
            data = self._socket.recv(READ_BYTES)
            if not data:
                return None
            self._read.extend(self._splitter.feed(data))
        return self._read.popleft()
