"""MessageCarrier: gives messages to the worker process beside this one, as many at a time as it has slots, and learns when their attempts have ended."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from gnomon.ground import log

events = log.get_logger("worker")

STEP_S = 0.2
"""How often `wait_for_attempts` looks whether it is to wait no longer."""
HELD_MAX_S = 900.0
"""How long a broker that closes the channel of a message which is not acknowledged in time (RabbitMQ: after 30 minutes, `consumer_timeout`) waits for it."""
GIVEN_BACK = "was given back"
"""The outcome of a message that goes back to the broker: its attempt could not be claimed."""
ABOUT_ALL = 0
"""The number in the place of that of a message in what is said about all: RESTS, ENDS_REST."""
RESTS, ENDS_REST = "rests", "ends its rest"
"""In place of an outcome, with the number ABOUT_ALL: the worker process can claim nothing for now, or can again."""
_READ_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that the broker has given and that is not acknowledged."""

    tag: object
    """What the broker calls it over its connection. One that comes again may have the same tag (Redis)."""
    acknowledge: Callable[[], object]
    requeue: Callable[[], object]
    """Give it back to the broker."""
    taken_at: float
    """In monotonic seconds."""


@dataclass(slots=True)
class CarriedMessage:
    """A message from its delivery until its attempt has ended."""

    number: int
    """What the worker process calls it."""
    attempt_id: str
    token: str
    delivery: Delivery | None
    """What is acknowledged when the slot of the attempt becomes free. None: it is acknowledged, or its connection to the broker has ended."""
    is_counted: bool = True
    """Whether the broker counts the delivery at the window of its present consumer."""
    has_slot: bool = False
    """Without a slot it waits for one; one that has had a slot is being reported, and has no delivery."""


class MessageCarrier:
    """`address`: the socket of the worker process. `slots`: the attempts that it runs at a time.

    A message is acknowledged when the slot of its attempt becomes free, so the broker gives no more messages than there are slots (times the multiplier of the
    worker) and a worker that is busy takes none that an idle one could run. When the worker process has ended, its attempts are left to the schedulers: they send
    another message about one that was not claimed, and find one that was lost by its heartbeats.

    Whoever can write to the broker can name any attempt. So a message is one with another only if its token is the same too: the worker process gets both, and claims
    the attempt with the token that is valid.
    """

    def __init__(
        self,
        address: str,
        slots: int,
        on_unbacked: Callable[[int], object] = lambda _count: None,
        on_rest: Callable[[bool], object] = lambda _is_resting: None,
    ) -> None:
        """`on_unbacked`: called when the number of messages changes that wait or have a slot and that the broker does not count any more.

        `on_rest`: called with True when the worker process can claim nothing for now, and with False when it can again.
        """
        self._address = address
        self._slots = slots
        self._on_unbacked = on_unbacked
        self._on_rest = on_rest
        self._guard = threading.RLock()
        self._waiting: deque[CarriedMessage] = deque()
        self._running: dict[int, CarriedMessage] = {}
        """By number, those that were given to the worker process; without a slot the result is being reported."""
        self._numbers = itertools.count(1)
        self._free = slots
        self._unbacked = 0
        self._sock: socket.socket | None = None
        self._hub: Any = None
        self._unread = b""
        self._has_thread = False
        """Whether a thread reads the answers: this transport has no event loop."""

    def begin_connection(self, hub: Any) -> None:
        """A connection to the broker begins. `hub`: Celery's event loop, in which the answers of the worker process are read; None: in a thread."""
        with self._guard:
            for message in (*self._waiting, *self._running.values()):
                message.delivery = None
            self._hub = hub
            if self._sock is not None and hub is not None:
                hub.add_reader(self._sock, self._read)
            self._count_unbacked()

    def take(self, attempt_id: str, token: str, delivery: Delivery) -> None:
        """Carry a message, now or when a slot is free. One that comes again while its attempt waits or has a slot replaces the delivery."""
        with self._guard:
            carried = itertools.chain(self._running.values(), self._waiting)
            message = next(
                (message for message in carried if (message.attempt_id, message.token) == (attempt_id, token)), None
            )
            if message is None:
                self._waiting.append(CarriedMessage(next(self._numbers), attempt_id, token, delivery))
                self._fill()
                return
            events.info(
                "message_came_again", attempt=attempt_id
            )  # it was sent twice, or comes again over a new connection
            if message.number in self._running and not message.has_slot:
                delivery.acknowledge()
                return
            replaced, message.delivery, message.is_counted = message.delivery, delivery, True
            if replaced is not None and replaced.tag != delivery.tag:
                replaced.acknowledge()
            self._count_unbacked()

    def release_held(self, now: float) -> None:
        """Acknowledge the messages of attempts that have a slot for HELD_MAX_S, and give back those that have waited for one as long: the broker counts from anew."""
        with self._guard:
            for message in self._running.values():
                if message.delivery is not None and now - message.delivery.taken_at >= HELD_MAX_S:
                    self._acknowledge(message)
            waiting = list(self._waiting)
            for message in waiting:
                if message.delivery is not None and now - message.delivery.taken_at >= HELD_MAX_S:
                    self._waiting.remove(message)
                    message.delivery.requeue()
            self._count_unbacked()

    def begin_count(self) -> int:
        """The broker counts from anew: none of the messages held here, whose number this returns."""
        with self._guard:
            for message in (*self._waiting, *self._running.values()):
                message.is_counted = False
            self._unbacked = self._find_unbacked()
            return self._unbacked

    def give_back(self, size: int) -> None:
        """Give back the newest messages that wait, so that at most `size` are held: another worker may have a slot for them."""
        with self._guard:
            excess = len(self._waiting) + sum(message.has_slot for message in self._running.values()) - size
            for message in list(reversed(self._waiting))[: max(0, excess)]:
                if message.delivery is not None:
                    self._waiting.remove(message)
                    message.delivery.requeue()

    def wait_for_attempts(self, is_over: Callable[[], bool]) -> None:
        """Return when the attempts that were given to the worker process have ended, when it has ended, or when `is_over`. Nothing more is taken."""
        with self._guard:
            self._waiting.clear()
            for message in self._running.values():
                message.delivery = None  # the broker has it again: whoever gets it is not given the attempt
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
        """Give messages to the worker process while it has slots."""
        messages: list[CarriedMessage] = []
        while self._waiting and self._free:
            message = self._waiting.popleft()
            message.has_slot = True
            self._running[message.number] = message
            self._free -= 1
            messages.append(message)
        if not messages:
            return
        lines = b"".join(
            msgspec.json.encode((message.number, message.attempt_id, message.token)) + b"\n" for message in messages
        )
        try:
            self._connect().sendall(lines)
        except OSError as error:
            events.warning(
                "worker_process_ended",
                attempts=[message.attempt_id for message in messages],
                error=str(error),
                next="schedulers give the attempts to another worker",
            )
            self._disconnect()

    @staticmethod
    def _acknowledge(message: CarriedMessage) -> None:
        delivery, message.delivery = message.delivery, None
        if delivery is not None:
            delivery.acknowledge()

    def _find_unbacked(self) -> int:
        backed = (*self._waiting, *(message for message in self._running.values() if message.has_slot))
        return sum(message.delivery is None or not message.is_counted for message in backed)

    def _count_unbacked(self) -> None:
        unbacked = self._find_unbacked()
        if unbacked != self._unbacked:
            self._unbacked = unbacked
            self._on_unbacked(unbacked)

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
                events.warning(
                    "worker_process_ended",
                    attempts=sorted(message.attempt_id for message in self._running.values()),
                    next="schedulers give the attempts to another worker",
                )
                self._disconnect()
                return
            *lines, self._unread = (self._unread + answer).split(b"\n")
            for line in lines:
                number, outcome = msgspec.json.decode(line)
                if number == ABOUT_ALL:
                    self._on_rest(outcome == RESTS)
                else:
                    self._on_answer(number, outcome)
            self._fill()

    def _on_answer(self, number: int, outcome: str | None) -> None:
        message = self._running.get(number)
        if message is not None and message.has_slot:
            message.has_slot = False
            self._free += 1
            if outcome == GIVEN_BACK and message.delivery is not None:
                message.delivery.requeue()
            else:
                self._acknowledge(message)
            if self._unbacked:
                self._count_unbacked()
        if outcome is not None:
            self._running.pop(number, None)

    def _disconnect(self) -> None:
        """Nothing runs any more; the next message finds the successor of the worker process, if there is one. What is not acknowledged comes again."""
        sock, self._sock = self._sock, None
        self._running.clear()
        self._free = self._slots
        self._count_unbacked()
        if sock is None:
            return
        if self._hub is not None:
            self._hub.remove(sock)
        sock.close()
