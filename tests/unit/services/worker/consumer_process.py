"""The two sides of a consumer of messages: the worker process beside it, and the event loop in which it runs."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable
from pathlib import Path

from tests.patience import PATIENCE_S


class WorkerProcess:
    """The socket of a worker process, and what it gets."""

    def __init__(self, address: Path) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(address))
        self._listener.listen()
        self._listener.settimeout(PATIENCE_S)

        self.sock: socket.socket | None = None

    def accept(self) -> None:
        """The next connection of the consumer."""
        self.sock, _ = self._listener.accept()
        self.sock.settimeout(PATIENCE_S)
        self.lines = self.sock.makefile()
        self.unseen: list[list[str]] = []
        self.numbers: dict[str, int] = {}
        """By attempt, the number of the newest message."""

    def get(self) -> list[str]:
        """The next message: attempt and token."""
        if not self.unseen:
            self._read()
        return self.unseen.pop(0)

    def _read(self) -> None:
        self._keep(self.lines.readline())

    def _keep(self, line: str | bytes) -> None:
        number, *message = json.loads(line)
        self.numbers[message[0]] = number
        self.unseen.append(message)

    def is_called(self) -> bool:
        """Whether the consumer connects."""
        return bool(select.select([self._listener], [], [], 0)[0])

    def get_all(self) -> list[list[str]]:
        """What has come until now: whole lines, because the consumer sends them together."""
        assert self.sock is not None
        got = b""
        while select.select([self.sock], [], [], 0)[0] and (piece := self.sock.recv(65_536)):
            got += piece
        for line in got.splitlines():
            self._keep(line)
        come, self.unseen = self.unseen, []
        return come

    def answer(self, attempt_id: str, outcome: str | None = "success") -> None:
        """Answer the newest message about the attempt."""
        while attempt_id not in self.numbers:
            self._read()
        self.answer_number(self.numbers[attempt_id], outcome)

    def answer_number(self, number: int, outcome: str | None) -> None:
        assert self.sock is not None
        self.sock.sendall(json.dumps([number, outcome]).encode() + b"\n")

    def end(self) -> None:
        if self.sock is not None:
            self.sock.shutdown(socket.SHUT_RDWR)
            self.lines.close()
            self.sock.close()
            self.sock = None

    def close(self) -> None:
        self.end()
        self._listener.close()


class Timer:
    """A call that is repeated until it is cancelled."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Hub:
    """An event loop that reads, and calls, when it is told to."""

    def __init__(self) -> None:
        self.readers: dict[socket.socket, Callable[[], object]] = {}
        self.soon: list[Callable[[], object]] = []
        self.timers: list[Timer] = []

    @property
    def timer(self) -> Hub:
        return self

    def call_soon(self, call: Callable[[], object]) -> None:
        self.soon.append(call)

    def call_repeatedly(self, _seconds: float, call: Callable[[], object]) -> Timer:
        self.timers.append(Timer(call))
        return self.timers[-1]

    def run_soon(self) -> None:
        """What was to be called soon, and what that wants to be called soon."""
        while self.soon:
            calls, self.soon = self.soon, []
            for call in calls:
                call()

    def add_reader(self, sock: socket.socket, read: Callable[[], object]) -> None:
        self.readers[sock] = read

    def remove(self, sock: socket.socket) -> None:
        del self.readers[sock]

    def read(self) -> None:
        for sock, read in list(self.readers.items()):
            sock.settimeout(PATIENCE_S)
            read()
