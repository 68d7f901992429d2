"""MessageCarrier: gives messages to the worker process beside this one, as many at a time as it has slots, and learns when their attempts have ended."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from gnomon import log

events = log.get_logger("worker")

STEP_S = 0.2
"""How often `wait_for_attempts` looks whether it is to wait no longer."""
_READ_BYTES = 65_536


@dataclass(slots=True)
class TakenMessage:
    """A message that waits for a slot."""

    attempt_id: str
    token: str
    acknowledge: Callable[[], object] | None
    """None: its connection to the broker has ended."""


class MessageCarrier:
    """`address`: the socket of the worker process. `slots`: the attempts that it runs at a time.

    When that process has ended, its attempts are left to the schedulers: they send another message about one that was not claimed, and find one
    that was lost by its heartbeats.
    """

    def __init__(self, address: str, slots: int) -> None:
        self._address = address
        self._slots = slots
        self._guard = threading.RLock()
        self._waiting: deque[TakenMessage] = deque()
        self._running: dict[str, bool] = {}
        """By attempt id, True while it has a slot; without one its result is being reported."""
        self._free = slots
        self._sock: socket.socket | None = None
        self._hub: Any = None
        self._unread = b""
        self._has_thread = False
        """Whether a thread reads the answers: this transport has no event loop."""

    def begin_connection(self, hub: Any) -> None:
        """A connection to the broker begins. `hub`: Celery's event loop, in which the answers of the worker process are read; None: in a thread."""
        with self._guard:
            for message in self._waiting:
                message.acknowledge = None
            self._hub = hub
            if self._sock is not None and hub is not None:
                hub.add_reader(self._sock, self._read)

    def take(self, attempt_id: str, token: str, acknowledge: Callable[[], object]) -> None:
        """Carry a message, now or when a slot is free."""
        with self._guard:
            if attempt_id in self._running or any(message.attempt_id == attempt_id for message in self._waiting):
                events.info("message_came_again", attempt=attempt_id)  # it was sent twice, or comes again over a new connection
                acknowledge()
                return
            self._waiting.append(TakenMessage(attempt_id, token, acknowledge))
            self._fill()

    def wait_for_attempts(self, is_over: Callable[[], bool]) -> None:
        """Return when the attempts that were given to the worker process have ended, when it has ended, or when `is_over`. Nothing more is taken."""
        with self._guard:
            self._waiting.clear()
            sock = self._sock
            self._hub = None  # it has ended
        while sock is not None and self._running and self._sock is sock and not is_over():
            if self._has_thread:
                time.sleep(STEP_S)
                continue
            sock.settimeout(STEP_S)
            self._read()

    def close(self) -> None:
        """Close the connection to the worker process."""
        with self._guard:
            self._disconnect()

    def _fill(self) -> None:
        """Give messages to the worker process while it has slots. What it cannot get stays unacknowledged."""
        given: list[TakenMessage] = []
        while self._waiting and self._free:
            message = self._waiting.popleft()
            self._running[message.attempt_id] = True
            self._free -= 1
            given.append(message)
        if not given:
            return
        lines = b"".join(msgspec.json.encode((message.attempt_id, message.token)) + b"\n" for message in given)
        try:
            self._connect().sendall(lines)
        except OSError as error:
            events.warning("worker_process_ended", attempts=[message.attempt_id for message in given], error=str(error), next="schedulers give the attempts to another worker")
            self._disconnect()
            return
        for message in given:
            if message.acknowledge is not None:
                message.acknowledge()

    def _connect(self) -> socket.socket:
        if self._sock is None:
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                sock.connect(self._address)
            except OSError:
                sock.close()
                raise
            self._sock, self._unread = sock, b""
            if self._hub is not None:
                self._hub.add_reader(sock, self._read)
            else:
                self._has_thread = True
                threading.Thread(target=self._read_all, args=(sock,), name="attempt-outcomes", daemon=True).start()
        return self._sock

    def _read_all(self, sock: socket.socket) -> None:
        while self._sock is sock:
            self._read()

    def _read(self) -> None:
        """Handle what the worker process has answered: the attempts that have ended."""
        sock = self._sock
        if sock is None:
            return
        try:
            answer = sock.recv(_READ_BYTES)
        except TimeoutError:
            return
        except OSError:
            answer = b""
        with self._guard:
            if not answer:
                events.warning("worker_process_ended", attempts=sorted(self._running), next="schedulers give the attempts to another worker")
                self._disconnect()
                return
            *lines, self._unread = (self._unread + answer).split(b"\n")
            for line in lines:
                attempt_id, outcome = msgspec.json.decode(line)
                self._on_answer(attempt_id, is_over=outcome is not None)
            self._fill()

    def _on_answer(self, attempt_id: str, *, is_over: bool) -> None:
        if self._running.get(attempt_id):
            self._running[attempt_id] = False
            self._free += 1
        if is_over:
            self._running.pop(attempt_id, None)

    def _disconnect(self) -> None:
        """Nothing runs any more; the next message finds the successor of the worker process, if there is one."""
        sock, self._sock = self._sock, None
        self._running.clear()
        self._free = self._slots
        if sock is None:
            return
        if self._hub is not None:
            self._hub.remove(sock)
        sock.close()
