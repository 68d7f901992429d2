"""The schedulers that are connected to this worker."""

from __future__ import annotations

import math
import selectors
import socket
from collections.abc import Callable, Sequence
from itertools import takewhile

import msgspec

from gnomon.author_code.processes.message_stream import FrameDecoder, MessageStream
from gnomon.author_code.processes.spawn_backoff import REFUSAL_REMEDY, describe_refusal
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.attempts import AttemptResult
from gnomon.model.instants import Instant
from gnomon.services.executors.worker_protocol import EntryReport, Hello, ResultReport, ToWorker, Welcome

events = log.get_logger("worker")

ENTRY_DELAY_S = 0.05
"""An entry is sent so much later, unless the attempt has ended by then: its result says when it began, and the scheduler stores one change instead of two."""
HandleMessage = Callable[["SchedulerConnection", ToWorker], None]


class SchedulerConnection:
    """The connection to one scheduler."""

    __slots__ = ("is_greeted", "scheduler_id", "stream")

    def __init__(self, sock: socket.socket) -> None:
        self.stream: MessageStream[ToWorker] = MessageStream(sock, FrameDecoder(ToWorker))
        self.scheduler_id: str | None = None
        self.is_greeted = False


class SchedulerConnections:
    """Accepts schedulers and sends entries and results to all of them; each scheduler takes those of its groups."""

    def __init__(self, path: str, selector: selectors.BaseSelector, handle: HandleMessage, clock: Clock) -> None:
        self._selector = selector
        self._handle = handle
        self._clock = clock
        self._connections: list[SchedulerConnection] = []
        self._entered: dict[str, tuple[float, int, Instant]] = {}
        """Attempt id to the monotonic second at which the entry is due, the group and the instant; the oldest first."""
        self._ended: list[AttemptResult] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen(64)
        self._listener.setblocking(False)
        selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._accepts = True

    @property
    def is_connected(self) -> bool:
        """True when at least one scheduler has sent Hello."""
        return any(connection.is_greeted for connection in self._connections)

    def welcome(
        self,
        connection: SchedulerConnection,
        hello: Hello,
        worker_id: str,
        slots: int,
        results: Sequence[AttemptResult],
    ) -> None:
        """Answer Hello: send the number of slots and every result that is not acknowledged."""
        connection.scheduler_id = hello.scheduler_id
        connection.is_greeted = True
        connection.stream.put(Welcome(worker_id=worker_id, slots=slots))
        if results:
            connection.stream.put(ResultReport(results=tuple(results)))

    def announce_slots(self, worker_id: str, slots: int) -> None:
        """Send the number of attempts that this worker takes from now on to every connected scheduler."""
        self._broadcast(Welcome(worker_id=worker_id, slots=slots))

    def on_entered(self, attempt_id: str, group_no: int, at: Instant) -> None:
        self._entered[attempt_id] = (self._clock.monotonic() + ENTRY_DELAY_S, group_no, at)

    def on_ended(self, result: AttemptResult) -> None:
        self._entered.pop(result.attempt_id, None)
        self._ended.append(result)

    def find_entry_wait_s(self) -> float:
        """Seconds until `flush` has an entry to send; infinity: it has none."""
        for due_s, _, _ in self._entered.values():
            return max(0.0, due_s - self._clock.monotonic())
        return math.inf

    def flush(self) -> None:
        """Send the entries that are due and the results of this turn, in one message each."""
        if self._entered:
            self._send_due_entries()
        if self._ended:
            self._broadcast(ResultReport(results=tuple(self._ended)))
            self._ended.clear()
        for connection in list(self._connections):
            self._write(connection)

    def _send_due_entries(self) -> None:
        now = self._clock.monotonic()
        due = [
            (attempt_id, group_no, at)
            for attempt_id, (due_s, group_no, at) in takewhile(lambda entry: entry[1][0] <= now, self._entered.items())
        ]
        for attempt_id, _, _ in due:
            del self._entered[attempt_id]
        if due:
            self._broadcast(EntryReport(attempts=tuple(due)))

    def accept_again(self) -> None:
        """Listen again after the machine refused to accept a connection."""
        if not self._accepts:
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
            self._accepts = True

    def close(self) -> None:
        """Close all connections and the listening socket."""
        if self._accepts:
            self._selector.unregister(self._listener)
        self._listener.close()
        for connection in list(self._connections):
            self._drop(connection)

    def _broadcast(self, message: msgspec.Struct) -> None:
        for connection in self._connections:
            if connection.is_greeted:
                connection.stream.put(message)

    def _accept(self, _mask: int) -> None:
        try:
            sock, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:  # no descriptor or memory is left: the scheduler waits in the queue of the listener
            events.warning(
                "scheduler_not_accepted", error=describe_refusal(error), again="at the next tick", remedy=REFUSAL_REMEDY
            )
            self._selector.unregister(self._listener)
            self._accepts = False
            return
        connection = SchedulerConnection(sock)
        self._connections.append(connection)
        self._selector.register(sock, selectors.EVENT_READ, lambda mask: self._on_ready(connection, mask))

    def _on_ready(self, connection: SchedulerConnection, mask: int) -> None:
        if mask & selectors.EVENT_READ:
            for message in connection.stream.receive():
                self._handle(connection, message)
        if connection.stream.ended:
            self._drop(connection)

    def _write(self, connection: SchedulerConnection) -> None:
        empty = connection.stream.flush()
        if connection.stream.ended:
            self._drop(connection)
            return
        events = selectors.EVENT_READ if empty else selectors.EVENT_READ | selectors.EVENT_WRITE
        key = self._selector.get_key(connection.stream.sock)
        if key.events != events:
            self._selector.modify(connection.stream.sock, events, key.data)

    def _drop(self, connection: SchedulerConnection) -> None:
        if connection.stream.failure:
            events.error("scheduler_unreadable", scheduler=connection.scheduler_id, fault=connection.stream.failure)
        self._connections.remove(connection)
        self._selector.unregister(connection.stream.sock)
        connection.stream.close()
