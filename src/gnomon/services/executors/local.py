"""The executor of one host: sends attempts to the workers of this host over their Unix sockets."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from gnomon.author_code.processes import lifeline
from gnomon.author_code.processes.message_stream import FrameDecoder, MessageStream
from gnomon.author_code.processes.task_api_messages import Message
from gnomon.ground import log
from gnomon.model.attempts import Attempt
from gnomon.model.records import REMOTE_ADDRESS, WorkerRecord
from gnomon.services.executors.interface import (
    AttemptEnded,
    AttemptEntered,
    AttemptRefused,
    ExecutorEvent,
    InventoryReceived,
    WorkerConnected,
    WorkerDied,
    WorkerUnreachable,
)
from gnomon.services.executors.worker_protocol import (
    AcknowledgeResults,
    CancelAttempt,
    EntryReport,
    FromWorker,
    Hello,
    Inventory,
    RequestInventory,
    ResultReport,
    SubmissionRefused,
    SubmitAttempts,
    Welcome,
)

events = log.get_logger("executor")

SUBMIT_MAX = 256
"""Attempts in one message, so that a worker begins with the first while it reads the rest."""


class LocalExecutor:
    """One stream to each live worker. No method blocks; messages that a worker has not read yet are kept in memory."""

    def __init__(self, scheduler_id: str, host: str | None = None) -> None:
        """`host`: the name of this host; only a worker with this name is found dead by its lifeline. None: every worker.

        On a file system that hosts share, a lock that another host holds may look free.
        """
        self._scheduler_id = scheduler_id
        self._host = host
        self._streams: dict[str, MessageStream[FromWorker]] = {}
        self._disconnected: list[str] = []
        """Workers whose connection ended since the last poll."""
        self._dead: dict[str, str] = {}
        """Addresses of dead workers, by id, until the store no longer lists them."""
        self._newly_dead: list[str] = []
        """Dead workers that were detected since the last poll."""

    @property
    def standing_workers(self) -> frozenset[str]:
        """None: every worker of this executor is in the store."""
        return frozenset()

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        """Connect to every live worker that answers, and disconnect from the others. A later call tries again those that do not answer."""
        live = {
            worker.worker_id: worker.address
            for worker in workers
            if not worker.lost and not worker.address.startswith(REMOTE_ADDRESS)
        }
        elsewhere = {worker.worker_id for worker in workers if self._host is not None and worker.host != self._host}
        for worker_id in [worker for worker in self._streams if worker not in live]:
            self._disconnect(worker_id)
        for worker_id in self._dead.keys() - live.keys():
            lifeline.remove_lifeline(self._dead.pop(worker_id))
        for worker_id, address in live.items():
            if worker_id in self._streams or self._connect(worker_id, address) or worker_id in elsewhere:
                continue
            if lifeline.is_lifeline_free(address):
                self._dead[worker_id] = address
                self._newly_dead.append(worker_id)

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        """Send the attempts. When the worker is gone, a later inventory or its loss shows that they did not arrive."""
        for first in range(0, len(attempts), SUBMIT_MAX):
            self._send(worker_id, SubmitAttempts(attempts=tuple(attempts[first : first + SUBMIT_MAX])))

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        """Send the request to end the attempt."""
        self._send(worker_id, CancelAttempt(attempt_id=attempt_id, reason=reason, grace_s=grace_s))

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        """Let the worker delete these results. Leaves with the next message, or when the scheduler waits: the worker wakes once."""
        stream = self._streams.get(worker_id)
        if attempt_ids and stream is not None:
            stream.put(AcknowledgeResults(attempt_ids=tuple(attempt_ids)))

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        """Send the request; an InventoryReceived follows."""
        self._send(worker_id, RequestInventory(groups=tuple(groups)))

    def poll_events(self) -> list[ExecutorEvent]:
        """Every event since the last call. Sends queued messages too."""
        received: list[ExecutorEvent] = []
        for worker_id, stream in list(self._streams.items()):
            stream.flush()
            for message in stream.receive():
                received.extend(_to_events(worker_id, message))
            if stream.ended:
                if stream.failure:
                    events.error("worker_unreadable", worker=worker_id, fault=stream.failure)
                self._disconnect(worker_id)
        received.extend(WorkerUnreachable(worker_id) for worker_id in self._disconnected)
        self._disconnected.clear()
        received.extend(WorkerDied(worker_id) for worker_id in self._newly_dead)
        self._newly_dead.clear()
        return received

    def read_filenos(self) -> list[int]:
        """The descriptors of the streams."""
        return [stream.sock.fileno() for stream in self._streams.values()]

    def write_filenos(self) -> list[int]:
        """The descriptors of the streams with queued messages: call `poll_events` once they are writable."""
        return [stream.sock.fileno() for stream in self._streams.values() if not stream.flush()]

    def close(self) -> None:
        """Close the connections; the workers go on."""
        for stream in self._streams.values():
            stream.flush()
            stream.close()
        self._streams.clear()

    def _connect(self, worker_id: str, address: str) -> bool:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            sock.connect(address)
        except OSError as error:
            events.debug("worker_does_not_answer", worker=worker_id, address=address, error=str(error))
            sock.close()
            return False
        self._streams[worker_id] = MessageStream(sock, FrameDecoder(FromWorker))
        self._send(worker_id, Hello(scheduler_id=self._scheduler_id))
        return True

    def _send(self, worker_id: str, message: Message) -> None:
        stream = self._streams.get(worker_id)
        if stream is not None:
            stream.put(message)
            stream.flush()

    def _disconnect(self, worker_id: str) -> None:
        self._streams.pop(worker_id).close()
        self._disconnected.append(worker_id)


def _to_events(worker_id: str, message: FromWorker) -> list[ExecutorEvent]:
    match message:
        case Welcome(worker_id=answering, slots=slots):
            return [WorkerConnected(answering, slots)]
        case EntryReport(attempts=attempts):
            return [AttemptEntered(worker_id, attempt_id, group_no, at) for attempt_id, group_no, at in attempts]
        case ResultReport(results=results):
            return [AttemptEnded(worker_id, result) for result in results]
        case SubmissionRefused(attempt_ids=attempt_ids, reason=reason):
            return [AttemptRefused(worker_id, attempt_ids, reason)]
        case Inventory(groups=groups, running=running, results=results):
            return [InventoryReceived(worker_id, groups, running, results)]
