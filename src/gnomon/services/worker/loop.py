"""The worker: one loop over the sockets of schedulers, zygotes and children. No threads, no event loop of a library.

A turn of the loop handles all events, starts queued attempts, and writes once: forks are ordered together, entries and
results leave in one message each.
"""

from __future__ import annotations

import math
import os
import selectors
import signal
from collections.abc import Callable, Iterable

from gnomon.author_code.processes.kernel import become_subreaper
from gnomon.author_code.processes.termination import kill_unknown_children, reap_children
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.metrics import ProcessFigures, definitions
from gnomon.model.attempts import Attempt
from gnomon.model.sentences import render, say
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.services.executors.worker_protocol import (
    AcknowledgeResults,
    CancelAttempt,
    Hello,
    Inventory,
    RequestInventory,
    SubmissionRefused,
    SubmitAttempts,
    ToWorker,
)
from gnomon.services.worker.attempt_registry import AttemptRegistry, PendingAttempt, StopRequest
from gnomon.services.worker.attempt_supervisor import AttemptSupervisor
from gnomon.services.worker.child_pool import ChildPool
from gnomon.services.worker.child_process import ChildProcess
from gnomon.services.worker.incarnation import WorkerIncarnation
from gnomon.services.worker.log_uploads import LogUploads
from gnomon.services.worker.scheduler_connections import SchedulerConnection, SchedulerConnections
from gnomon.services.worker.settings import WorkerSettings
from gnomon.services.worker.worker_store import WorkerStore
from gnomon.services.worker.zygote_clients import FileZygoteClient

events = log.get_logger("worker")

TICK_S = 0.25
"""How often deadlines are checked while an attempt runs."""
IDLE_TICK_S = 1.0
"""How often deadlines are checked while no attempt runs."""


def describe_stop() -> str:
    """The reason in the results of attempts that are returned, or ended without a grace."""
    return render(say("worker_was_told_to_stop"))


class WorkerService:
    """The worker of one machine. It survives its schedulers and keeps the results that they have not acknowledged."""

    def __init__(self, settings: WorkerSettings, worker_store: WorkerStore, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._selector = selectors.DefaultSelector()
        self._watched: dict[int, int] = {}
        """File descriptor of the socket of a child to the events that it is watched for."""
        self._incarnation = WorkerIncarnation(settings, worker_store, clock)
        self._child_pool = ChildPool(self, settings.environ, settings.import_limit_s)
        self._ticked_at = clock.monotonic()
        self._log_uploads = (
            LogUploads(settings.logs_folder, settings.uploader_environ, clock)
            if settings.uploader_environ is not None
            else None
        )
        self.on_lease: Callable[[float], object] = lambda _until: None
        """Called with each tick: until when attempts may run without another one, in monotonic seconds; infinity while they stand still."""
        self._is_stopping = False
        """True once a stop was requested: no new attempts are accepted."""
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._selector.register(self._wake_read, selectors.EVENT_READ, self._on_signal)
        self._begin_incarnation()

    @property
    def worker_id(self) -> str:
        return self._incarnation.worker_id

    @property
    def address(self) -> str:
        """The path of the socket that schedulers connect to."""
        return self._incarnation.address

    # ---- life --------------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Start the base zygote, adopt orphans, and register this incarnation in the store (later, if the store does not answer)."""
        become_subreaper()
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self._child_pool.start(self._clock.monotonic())
        self._incarnation.heartbeat(connected=False)
        if self._log_uploads is not None:
            self._log_uploads.tick()

    @property
    def running(self) -> int:
        """The number of attempts that take a slot."""
        return self._registry.running

    def record_figures(self, figures: ProcessFigures) -> None:
        """Set the gauges that /metrics shows."""
        figures.put(definitions.WORKER_ATTEMPTS, self._registry.running)
        figures.put(definitions.WORKER_UNACKNOWLEDGED, len(self._registry.results))
        figures.put(definitions.WORKER_CHILDREN, len(self._child_pool.children))

    def wake_on(self, descriptor: int) -> None:
        """End the wait of a turn when this descriptor becomes readable. That happens once: the descriptor is not read."""
        self._selector.register(descriptor, selectors.EVENT_READ, lambda _mask: self._selector.unregister(descriptor))

    def run_once(self, timeout_s: float | None = None) -> None:
        """One turn of the loop. Waits for events for `timeout_s` seconds at most; None: until the next tick."""
        wait_s = self._tick_s() if timeout_s is None else timeout_s
        for key, mask in self._selector.select(min(wait_s, self._schedulers.find_entry_wait_s())):
            key.data(mask)
        self._attempts.start_queued()
        self._child_pool.flush(self._clock.monotonic())
        self._schedulers.flush()
        if self._clock.monotonic() - self._ticked_at >= self._tick_s():
            self._tick()

    def refuse_attempts(self) -> None:
        """Start no more attempts: queued ones are returned to their schedulers, running ones go on."""
        self._is_stopping = True
        self._schedulers.announce_slots(self.worker_id, 0)
        self._return_attempts(pending.attempt for pending in list(self._registry.pending))

    def stop(self, reason: str) -> None:
        """End all attempts within the grace for this reason, deliver their results, and retire this incarnation."""
        self.refuse_attempts()
        deadline = self._clock.monotonic() + self._settings.stop_grace_s
        stop = StopRequest(reason, self._settings.stop_grace_s, outcome="lost")
        for pending in list(self._registry.pending):
            self._attempts.stop_attempt(pending, stop)
        while self._registry.running and self._clock.monotonic() < deadline:
            self.run_once(_STOP_STEP_S)
        for child in self._child_pool.children.values():
            child.kill(render(say("worker_was_stopped")))
        last = self._clock.monotonic() + _LAST_RESULTS_S
        while self._clock.monotonic() < last and (self._registry.running or self._has_unacknowledged()):
            self.run_once(_STOP_STEP_S)
        self._schedulers.close()
        self._child_pool.close()
        self._incarnation.shut_down(self._registry)
        if self._log_uploads is not None:
            self._log_uploads.finish(_LAST_UPLOADS_S)
        self._reap()
        kill_unknown_children(set())

    def close(self) -> None:
        """Close the descriptors of this worker and reset its signal handlers."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for child in list(self._child_pool.children.values()):
            self.unwatch_child(child)
            child.stream.close()
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _has_unacknowledged(self) -> bool:
        """True while a connected scheduler may still acknowledge a result."""
        return bool(self._registry.results) and self._schedulers.is_connected

    def _begin_incarnation(self) -> None:
        self._registry = AttemptRegistry()
        self._schedulers = SchedulerConnections(
            self._incarnation.address, self._selector, self._on_message, self._clock
        )
        self._attempts = AttemptSupervisor(
            self._registry,
            self._schedulers,
            self._clock,
            str(self._settings.logs_folder),
            self._settings.slots,
            self._settings.entry_silence_s,
            self._answer_task,
            self._incarnation.store.read_elements,
            self._update_stream,
            self.unwatch_child,
            self._log_uploads,
        )
        self._attempts.child_pool = self._child_pool

    def _restart_incarnation(self) -> None:
        """Kill all children, forget all attempts and results, and begin another incarnation (SUBMIT in docs/contributing/ownership.md)."""
        events.error("incarnation_given_up", worker=self.worker_id, attempts=self._registry.running)
        for pending in self._registry.pending:
            pending.is_ended = True
        for child in list(self._child_pool.children.values()):
            child.kill(render(say("worker_lost_its_store")))
        self._schedulers.close()
        self._child_pool.close()  # zygotes hold the lifeline of the old incarnation
        self._incarnation.renew()
        self._begin_incarnation()
        self._child_pool.start(self._clock.monotonic())
        self._incarnation.heartbeat(connected=False)

    def _tick_s(self) -> float:
        return TICK_S if self._registry.running else IDLE_TICK_S

    def _tick(self) -> None:
        self._ticked_at = self._clock.monotonic()
        self._attempts.tick()
        self._schedulers.accept_again()
        self._child_pool.tick(self._ticked_at)
        self._reap()
        if self._log_uploads is not None:
            self._log_uploads.tick()
        if kill_unknown_children(self._known_pids()):
            events.warning("orphans_killed")
        if not self._incarnation.heartbeat(connected=self._schedulers.is_connected):
            self._restart_incarnation()
            return
        if self._incarnation.runs_until <= self._clock.monotonic():
            self._attempts.stand_still()
            self.on_lease(math.inf)
        else:
            self._attempts.go_on()
            self.on_lease(self._incarnation.runs_until)
        if not self._schedulers.is_connected:
            self._incarnation.mail_results(self._registry)

    # ---- schedulers --------------------------------------------------------------------------------------------------
    def _on_message(self, connection: SchedulerConnection, message: ToWorker) -> None:
        match message:
            case Hello():
                slots = 0 if self._is_stopping else self._settings.slots
                self._schedulers.welcome(
                    connection, message, self.worker_id, slots, tuple(self._registry.results.values())
                )
            case SubmitAttempts(attempts=attempts):
                known_results, refused = self._registry.submit(attempts)
                for result in known_results:
                    self._schedulers.on_ended(result)
                if self._is_stopping:  # the scheduler sent them before it received the announcement
                    self._return_attempts(attempts)
                if refused:
                    reason = f"worker {self.worker_id} has received a higher epoch of the group from another scheduler"
                    events.warning("submission_refused", scheduler=connection.scheduler_id, attempts=len(refused))
                    connection.stream.put(SubmissionRefused(attempt_ids=tuple(refused), reason=reason))
            case CancelAttempt(attempt_id=attempt_id, reason=reason, grace_s=grace_s):
                pending = self._registry.find(attempt_id)
                if pending is not None:
                    self._attempts.stop_attempt(pending, StopRequest(reason, grace_s))
            case AcknowledgeResults(attempt_ids=attempt_ids):
                self._registry.acknowledge(attempt_ids)
            case RequestInventory(groups=groups):
                self._send_inventory(connection, groups)

    def _return_attempts(self, attempts: Iterable[Attempt]) -> None:
        """End those of these attempts that have no slot as lost: their scheduler submits them to another worker, without counting a try."""
        for pending in [self._registry.find(attempt.attempt_id) for attempt in attempts]:
            if pending is not None and not pending.has_slot and pending.stop is None:
                self._attempts.stop_attempt(pending, StopRequest(describe_stop(), 0.0, outcome="lost"))

    def _send_inventory(self, connection: SchedulerConnection, groups: tuple[tuple[int, int], ...]) -> None:
        accepted = tuple(group for group, epoch in groups if self._registry.raise_epoch(group, epoch))
        running, results = self._registry.inventory(accepted)
        connection.stream.put(Inventory(worker_id=self.worker_id, groups=accepted, running=running, results=results))

    # ---- zygotes and children (ChildPoolCallbacks) -------------------------------------------------------------------------
    def watch_zygote(self, zygote: FileZygoteClient) -> None:
        def handle_messages(_mask: int) -> None:
            if zygote.sock is not None:
                self._child_pool.handle_zygote_messages(zygote, self._clock.monotonic())

        assert zygote.sock is not None
        self._selector.register(zygote.sock, selectors.EVENT_READ, handle_messages)

    def unwatch_zygote(self, zygote: FileZygoteClient) -> None:
        assert zygote.sock is not None
        self._selector.unregister(zygote.sock)

    def watch_child(self, child: ChildProcess) -> None:
        def handle_ready(mask: int) -> None:
            if mask & selectors.EVENT_READ:
                self._attempts.read_messages(child)
            else:
                self._update_stream(child)

        self._selector.register(child.stream.sock, selectors.EVENT_READ, handle_ready)
        self._watched[child.stream.sock.fileno()] = selectors.EVENT_READ

    def answer_import_request(self, request: AnyTaskApiRequest) -> object:
        return self._incarnation.store.answer_request(None, request)

    def start_attempt(self, child: ChildProcess, pending: PendingAttempt) -> None:
        self._attempts.start_attempt(child, pending)

    def on_child_exit(self, child: ChildProcess, code: int | None) -> None:
        self._attempts.on_child_exit(child, code)

    def child_refused(self, child: ChildProcess) -> None:
        self._attempts.child_refused(child)

    def give_back(self, pending: PendingAttempt, reason: str) -> None:
        self._attempts.give_back(pending, reason)

    def unwatch_child(self, child: ChildProcess) -> None:
        """Stop watching the socket of the child."""
        if self._watched.pop(child.stream.sock.fileno(), None) is not None:
            self._selector.unregister(child.stream.sock)

    def _update_stream(self, child: ChildProcess) -> None:
        """Write queued messages to the child, and watch its socket for writing while some are left."""
        empty = child.stream.flush()
        if child.stream.ended:
            self.unwatch_child(child)
            return
        events = selectors.EVENT_READ if empty else selectors.EVENT_READ | selectors.EVENT_WRITE
        descriptor = child.stream.sock.fileno()
        if self._watched.get(descriptor, events) != events:
            key = self._selector.get_key(child.stream.sock)
            self._selector.modify(child.stream.sock, events, key.data)
            self._watched[descriptor] = events

    def _answer_task(self, pending: PendingAttempt, request: AnyTaskApiRequest) -> object:
        return self._incarnation.store.answer_request(pending.attempt, request)

    # ---- processes ---------------------------------------------------------------------------------------------------
    def _on_signal(self, _mask: int) -> None:
        os.read(self._wake_read, _WAKE_BYTES)
        self._reap()

    def _reap(self) -> None:
        children = {child.pid: child.number for child in self._child_pool.children.values() if child.pid is not None}
        for pid, code in reap_children(set(children)):
            if pid in children:
                self._child_pool.remove_child(children[pid], code)
            elif pid == self._child_pool.base_zygote.pid:
                events.warning("base_zygote_died", code=code)
                self._child_pool.base_zygote.discard()
            elif self._log_uploads is not None:
                self._log_uploads.on_exit(pid, code)
        if self._attempts.has_abnormal_exit:
            self._attempts.has_abnormal_exit = False
            kill_unknown_children(self._known_pids())

    def _known_pids(self) -> set[int]:
        uploader = None if self._log_uploads is None else self._log_uploads.pid
        return self._child_pool.known_pids() | ({uploader} if uploader is not None else set())


_STOP_STEP_S = 0.05
_LAST_RESULTS_S = 1.5
"""How long a stopping worker waits for the exits of killed children and the acknowledgement of results."""
_LAST_UPLOADS_S = 2.0
"""How long a stopped worker waits for the last uploads of logs. What is left is uploaded by the next worker of the machine."""
_WAKE_BYTES = 4096
