"""AttemptRelay: for each message of the broker it claims the attempt, gives it to the worker of this process, and reports its entry and its result.

To the loop of the worker the relay is a scheduler: it is connected to the worker's Unix socket. Claims and reports go through the thread of the
`ReportExchange`; results that cannot go with others have a thread of their own.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import msgspec

from gnomon.author_code.processes.message_stream import READ_BYTES, FrameDecoder, encode_frame
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.execution_messages import ClaimedAttempt
from gnomon.model.instants import Instant
from gnomon.services.executors.worker_protocol import (
    AcknowledgeResults,
    CancelAttempt,
    EntryReport,
    FromWorker,
    Hello,
    ResultReport,
    SubmissionRefused,
    SubmitAttempts,
)
from gnomon.services.worker.remote.execution_client import (
    ApiAway,
    ClaimRefused,
    ExecutionClient,
    WorkerGivenUp,
)
from gnomon.services.worker.remote.http_store import HttpWorkerStore
from gnomon.services.worker.remote.log_forwarder import LogForwarder
from gnomon.services.worker.remote.message_carrier import GIVEN_BACK
from gnomon.services.worker.remote.report_exchange import RETRY_S, Entry, ReportExchange, WantedClaim

events = log.get_logger("worker")

SILENCE_S = 5.0
"""Without an answer of the api-server for this time the relay leaves the worker, whose own limit then counts (`HttpWorkerStore.find_silence_limit`)."""
STEP_S = 0.25
LARGE_BYTES = 65_536
"""A larger result has a request of its own: others would wait for its transfer."""
CLAIM_PATIENCE_S = 10.0
"""How long a claim is tried again; then the message goes back to the broker, because another worker may reach the api-server."""
REST_S = 10.0
"""How long a worker that the api-server does not know takes no messages after that; one that it knows learns from its heartbeats when it answers again."""


@dataclass(slots=True)
class CarriedAttempt:
    """A message that is not handled yet."""

    on_end: Callable[[str], object]
    on_slot_free: Callable[[], object]
    worker_id: str = ""
    """The incarnation that has claimed it; empty before."""
    is_reported: bool = False
    """Whether its result has come, and is being reported."""
    others: list[OtherMessage] = field(default_factory=list)
    """Messages with other tokens that came before it was claimed: the next one is tried when the claim is refused."""


@dataclass(frozen=True, slots=True)
class OtherMessage:
    """A further message about an attempt, whose token may be the valid one."""

    token: str
    on_end: Callable[[str], object]
    on_slot_free: Callable[[], object]


class AttemptRelay:
    """`find_worker`: the id and the socket of the present incarnation of the worker."""

    def __init__(
        self,
        client: ExecutionClient,
        store: HttpWorkerStore,
        find_worker: Callable[[], tuple[str, str]],
        host: str,
        slots: int,
        dags_folder: Path,
        clock: Clock,
        forwarder: LogForwarder | None = None,
        claim_patience_s: float = CLAIM_PATIENCE_S,
        queues: tuple[str, ...] | None = None,
    ) -> None:
        self._client = client
        self._store = store
        self._find_worker = find_worker
        self._host = host
        self._slots = slots
        self._dags_folder = dags_folder
        self._clock = clock
        self._forwarder = forwarder
        self._claim_patience_s = claim_patience_s
        self._queues = queues
        self.on_rest: Callable[[bool], object] = lambda _is_resting: None
        """Called with True when nothing can be claimed for now, and with False when it is tried again."""
        self._rests_since: float | None = None
        """In monotonic seconds; None: messages are taken."""
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._sock: socket.socket | None = None
        self._connected_to = ""
        self._carried: dict[str, CarriedAttempt] = {}
        self._unsubmitted: list[tuple[str, Attempt]] = []
        """(worker id, attempt) of claimed attempts that the worker does not have yet."""
        self._exchange = ReportExchange(client, self, clock)
        store.list_held = self._list_carried
        self._thread = threading.Thread(target=self._run, name="attempt-relay", daemon=True)

    def start(self) -> None:
        """Connect to the worker, now and whenever it has a new incarnation."""
        self._exchange.start()
        self._thread.start()

    def close(self) -> None:
        """End the threads. Messages whose attempts have not ended are given up."""
        self._stop.set()
        self._disconnect()
        self._exchange.close()
        self._thread.join(2.0)
        for attempt_id in self._list_carried():
            self._end(attempt_id, "was given up")

    def carry(self, attempt_id: str, token: str) -> str:
        """As `accept`; returns at the end."""
        outcomes: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.accept(attempt_id, token, outcomes.put)
        return outcomes.get()

    def accept(
        self,
        attempt_id: str,
        token: str,
        on_end: Callable[[str], object],
        on_slot_free: Callable[[], object] = lambda: None,
    ) -> None:
        """Handle one message. `on_end` is called once, in any thread, with what became of it: when its result is reported, or at once when it is not to run.

        `on_slot_free` may be called before: the attempt has ended, and its result is being reported, so another message can be handled.
        """
        with self._guard:
            carried = self._carried.get(attempt_id)
            if carried is None:
                self._carried[attempt_id] = CarriedAttempt(on_end, on_slot_free)
            elif not carried.worker_id:
                carried.others.append(OtherMessage(token, on_end, on_slot_free))
                return
        if carried is not None:
            _end_further(attempt_id, on_end)
        elif self._stop.is_set():
            self._end(attempt_id, "was given up")
        else:
            self._want(attempt_id, token)

    def _want(self, attempt_id: str, token: str) -> None:
        self._exchange.put(WantedClaim(attempt_id, token, self._clock.monotonic() + self._claim_patience_s))

    def _list_carried(self) -> tuple[str, ...]:
        with self._guard:
            return tuple(self._carried)

    def _end(self, attempt_id: str, outcome: str) -> None:
        """The message is handled."""
        with self._guard:
            carried = self._carried.pop(attempt_id, None)
        if carried is None:
            return
        self._forget(attempt_id)
        carried.on_end(outcome)
        for other in carried.others:
            other.on_end(outcome)

    def _forget(self, attempt_id: str) -> None:
        if self._forwarder is not None:
            self._forwarder.drop(attempt_id)
        self._client.drop(attempt_id)

    # ---- what the exchange reports (ReportListener) -------------------------------------------------------------------
    def find_worker_id(self) -> str:
        """The present incarnation of the worker."""
        return self._find_worker()[0]

    def count_carried(self) -> int:
        """The attempts that the worker claims, runs, or has results of."""
        return len(self._carried)

    def claim_alone(self, attempt_id: str, token: str, worker_id: str) -> ClaimedAttempt:
        """Claim an attempt with a request of its own. Raises as `ExecutionClient.claim`."""
        return self._client.claim(attempt_id, token, worker_id, self._host, self._slots, self._queues)

    def on_claimed(self, worker_id: str, claimed: Sequence[ClaimedAttempt]) -> None:
        """Give the attempts to the worker; only the incarnation that claimed them may run them."""
        attempts = []
        for attempt_claim in claimed:
            self._store.keep_elements(attempt_claim.attempt.attempt_id, attempt_claim.elements)
            attempt = _place_file(attempt_claim.attempt, attempt_claim.dags_folder, self._dags_folder)
            with self._guard:
                carried = self._carried.get(attempt.attempt_id)
                if carried is None:
                    continue
                carried.worker_id = worker_id
                others, carried.others = carried.others, []
            for other in others:
                _end_further(attempt.attempt_id, other.on_end)
            if self._forwarder is not None:
                self._forwarder.follow(attempt.attempt_id, attempt.log)
            attempts.append(attempt)
        self._submit(worker_id, attempts)

    def on_not_claimed(self, attempt_id: str) -> None:
        """The attempt is not to run here, unless another message about it has a valid token."""
        with self._guard:
            refused = self._carried.pop(attempt_id, None)
            others = [] if refused is None else refused.others
            if others:
                self._carried[attempt_id] = CarriedAttempt(others[0].on_end, others[0].on_slot_free, others=others[1:])
        if refused is None:
            return
        self._forget(attempt_id)
        refused.on_end("was not claimed")
        if others:
            self._want(attempt_id, others[0].token)

    def on_claim_given_up(self, attempt_id: str) -> None:
        """Give the message back, and take no other one until the api-server answers."""
        if self._rests_since is None:
            self._rests_since = self._clock.monotonic()
            self.on_rest(True)
        self._end(attempt_id, GIVEN_BACK)

    def _end_rest(self) -> None:
        """Take messages again when the api-server has answered, or, without heartbeats that would show it, after a while."""
        since = self._rests_since
        if since is None:
            return
        is_over = self._client.answered_at > since or (
            not self._client.is_known(self.find_worker_id()) and self._clock.monotonic() - since > REST_S
        )
        if is_over:
            self._rests_since = None
            self.on_rest(False)

    def on_worker_lost(self, worker_id: str) -> None:
        """The next heartbeat ends this incarnation."""
        self._store.give_up(worker_id)

    def on_reported(self, results: Sequence[AttemptResult]) -> None:
        """Let the worker forget these results. First they are forgotten here: one that comes again meanwhile is acknowledged by itself."""
        for result in results:
            self._end(result.attempt_id, result.outcome)
        self._send(AcknowledgeResults(attempt_ids=tuple(result.attempt_id for result in results)))

    def report_alone(self, result: AttemptResult) -> None:
        """Report a result, after the rest of its log, in a thread of its own."""
        threading.Thread(target=self._report_alone, args=(result,), name="attempt-result", daemon=True).start()

    def _report_alone(self, result: AttemptResult) -> None:
        if self._forwarder is not None:
            self._forwarder.finish(result.attempt_id)
        while not self._stop.is_set():
            try:
                self.on_reported([self._client.end(result)])
                return
            except (ClaimRefused, WorkerGivenUp) as error:
                events.warning("report_refused", attempt=result.attempt_id, error=str(error))
                self.on_reported([result])
                return
            except ApiAway as error:
                events.warning("report_waits", attempt=result.attempt_id, error=str(error))
                self._stop.wait(RETRY_S)
            except Exception:  # a report that can never be sent must not keep its message: no heartbeat names the attempt from now on, so it is lost
                events.exception("report_dropped", attempt=result.attempt_id)
                self.on_reported([result])
                return

    def _submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        if not attempts or self._send(SubmitAttempts(attempts=tuple(attempts)), worker_id):
            return
        with self._guard:
            self._unsubmitted += [(worker_id, attempt) for attempt in attempts]

    def _submit_again(self) -> None:
        """Attempts that were claimed while there was no connection. An attempt of an incarnation that has ended is given up: another one must not run it."""
        with self._guard:
            waiting, self._unsubmitted = self._unsubmitted, []
        for worker_id, attempt in waiting:
            if worker_id == self.find_worker_id():
                self._submit(worker_id, [attempt])
            else:
                self._end(attempt.attempt_id, "was given up")

    # ---- the connection to the worker of this process ---------------------------------------------------------------
    def _run(self) -> None:
        while not self._stop.is_set():
            worker_id, address = self._find_worker()
            if self._connected_to and self._connected_to != worker_id:
                self._disconnect()
                self._abandon()
            if self._client.is_known(worker_id) and self._clock.monotonic() - self._client.answered_at > SILENCE_S:
                self._disconnect()
            elif self._sock is None:
                self._connect(worker_id, address)
            self._submit_again()
            self._pass_cancellations()
            self._end_rest()
            while (
                not self._store.ended.empty()
            ):  # the loop of the worker delivered it itself, because the relay was not connected
                ended = self._store.ended.get()
                self._end(ended.attempt_id, ended.outcome)
            self._stop.wait(STEP_S)

    def _connect(self, worker_id: str, address: str) -> None:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.connect(address)
            sock.sendall(encode_frame(Hello(scheduler_id=f"relay of {self._host}")))  # before another thread can submit
        except OSError:
            sock.close()
            return
        with self._guard:
            self._sock, self._connected_to = sock, worker_id
        threading.Thread(target=self._receive, args=(sock,), name="attempt-reports", daemon=True).start()

    def _receive(self, sock: socket.socket) -> None:
        decoder: FrameDecoder[FromWorker] = FrameDecoder(FromWorker)
        try:
            while data := sock.recv(READ_BYTES):
                for message in decoder.feed(data):
                    self._dispatch(message)
        except OSError:
            pass
        if self._sock is sock:
            self._disconnect()

    def _dispatch(self, message: FromWorker) -> None:
        match message:
            case EntryReport(attempts=attempts):
                for attempt_id, _group, at in attempts:
                    self._on_entry(attempt_id, at)
            case ResultReport(results=results):
                for result in results:
                    self._on_result(result)
            case SubmissionRefused(attempt_ids=attempt_ids):
                for attempt_id in attempt_ids:
                    self._end(attempt_id, "was given up")

    def _on_entry(self, attempt_id: str, at: Instant) -> None:
        with self._guard:
            is_carried = attempt_id in self._carried
        if is_carried:
            self._exchange.put(Entry(attempt_id, at))

    def _on_result(self, result: AttemptResult) -> None:
        """Report it once: the worker sends it again over each new connection until it is acknowledged."""
        with self._guard:
            carried = self._carried.get(result.attempt_id)
            is_new = carried is not None and not carried.is_reported
            if carried is not None:
                carried.is_reported = True
        if carried is None and not self._stop.is_set():  # its acknowledgement did not reach the worker
            self._send(AcknowledgeResults(attempt_ids=(result.attempt_id,)))
        if carried is None or not is_new:
            return
        carried.on_slot_free()
        if (self._forwarder is not None and self._forwarder.has_sent(result.attempt_id)) or len(
            msgspec.json.encode(result)
        ) > LARGE_BYTES:
            self.report_alone(result)
        else:
            self._exchange.put(result)

    def _pass_cancellations(self) -> None:
        while not self._store.cancellations.empty():
            attempt_id, reason, grace_s = self._store.cancellations.get()
            self._send(CancelAttempt(attempt_id=attempt_id, reason=reason, grace_s=grace_s))

    def _send(self, message: msgspec.Struct, worker_id: str | None = None) -> bool:
        """False while there is no connection, or none to this incarnation."""
        with self._guard:
            sock = self._sock
            if sock is None or worker_id not in (None, self._connected_to):
                return False
            try:
                sock.sendall(encode_frame(message))
            except OSError:
                return False
        return True

    def _disconnect(self) -> None:
        sock, self._sock = self._sock, None
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()

    def _abandon(self) -> None:
        """The incarnation that the relay was connected to has ended, and its attempts with it, but for results that are being reported."""
        with self._guard:
            ended_id, self._connected_to = self._connected_to, ""
            given_up = [
                attempt_id
                for attempt_id, carried in self._carried.items()
                if carried.worker_id == ended_id and not carried.is_reported
            ]
        for attempt_id in given_up:
            self._end(attempt_id, "was given up")


def _end_further(attempt_id: str, on_end: Callable[[str], object]) -> None:
    """Handle a further message about an attempt that was claimed."""
    events.info("message_came_again", attempt=attempt_id)
    on_end("is running here")


def _place_file(attempt: Attempt, their_folder: str, own_folder: Path) -> Attempt:
    """The attempt with the path of its file on this machine."""
    try:
        relative = PurePosixPath(attempt.file).relative_to(their_folder)
    except ValueError:
        return attempt
    return msgspec.structs.replace(attempt, file=str(own_folder / relative))
