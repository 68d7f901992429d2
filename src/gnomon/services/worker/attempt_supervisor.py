"""Supervises attempts in their children: starts them, reads their messages, stops them, and makes a result at every exit."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import msgspec

from gnomon.author_code.processes.exit_reasons import describe_exit_without_result
from gnomon.author_code.processes.kernel import count_oom_kills, waits_for_machine
from gnomon.author_code.processes.standstill import continue_families, stop_families
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse, answer_request
from gnomon.author_code.runner import attempt_log
from gnomon.author_code.runner.attempt_protocol import ChildDone, ChildEntered, RunAttempt
from gnomon.author_code.runner.attempt_results import result_without_run
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.attempts import Attempt, AttemptResult, XComElement
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.result_checks import check_result, confirm_identity, is_entry_instant
from gnomon.model.sentences import render, say
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.services.worker.attempt_registry import AttemptRegistry, PendingAttempt, StopRequest
from gnomon.services.worker.child_pool import ChildPool
from gnomon.services.worker.child_process import ChildProcess
from gnomon.services.worker.log_uploads import LogUploads
from gnomon.services.worker.worker_store import REFUSALS, WorkerStoreAway

events = log.get_logger("worker")

EXIT_GRACE_S = 5.0
"""A child that has sent its result and does not exit within this time is killed."""
STARVED = 12
"""So many times the limit a child may be silent before author code while its process, or that of its zygote, waits for a processor or a disk."""
REQUEST_PATIENCE_S = 300.0
"""How long a request of author code waits for a store that asks to repeat it (WorkerStoreAway)."""

_FAULT_SHOWN = 200
"""Characters of the fault of a message that the reason shows."""
AnswerTaskRequest = Callable[[PendingAttempt, AnyTaskApiRequest], object]
ReadElements = Callable[[Attempt], tuple[XComElement, ...]]


class AttemptListener(Protocol):
    """Receives entries and results: the connected schedulers."""

    def on_entered(self, attempt_id: str, group_no: int, at: Instant) -> None: ...

    def on_ended(self, result: AttemptResult) -> None: ...


@dataclass(frozen=True, slots=True)
class UnansweredRequest:
    """A request that waits for the store."""

    child: ChildProcess
    pending: PendingAttempt
    message: TaskApiRequestMessage
    until: float
    """The monotonic second at which it is refused."""


class AttemptSupervisor:
    """Moves attempts from the queue of the registry to its results."""

    child_pool: ChildPool
    """Set right after construction, because supervisor and pool refer to each other."""

    def __init__(
        self,
        registry: AttemptRegistry,
        listener: AttemptListener,
        clock: Clock,
        logs_folder: str,
        slots: int,
        silence_s: float,
        answer: AnswerTaskRequest,
        read_elements: ReadElements,
        update_stream: Callable[[ChildProcess], None],
        unwatch_child: Callable[[ChildProcess], None],
        log_uploads: LogUploads | None = None,
    ) -> None:
        self.registry = registry
        self.listener = listener
        self._clock = clock
        self._logs_folder = logs_folder
        self._slots = slots
        self._entry_silence_s = silence_s
        self._answer = answer
        self._read_elements = read_elements
        self._update_stream = update_stream
        self._unwatch_child = unwatch_child
        self._log_uploads = log_uploads
        self._by_attempt: dict[str, ChildProcess] = {}
        self._unanswered: list[UnansweredRequest] = []
        self._oom_kills = count_oom_kills()
        self._stands_still = False
        self.has_abnormal_exit = False
        """True after the exit of a child without a result: its descendants may be left."""

    def stand_still(self) -> None:
        """Stop every process that runs an attempt, with its descendants; no other attempt starts until `go_on`."""
        if self._stands_still:
            return
        self._stands_still = True
        stopped = [child for child in self.child_pool.children.values() if child.pending is not None]
        _stop(stopped)
        events.warning(
            "attempts_stand_still",
            attempts=len(stopped),
            reason="no heartbeat was taken: schedulers may soon declare this worker lost",
        )

    def go_on(self) -> None:
        """End a standstill."""
        if not self._stands_still:
            return
        self._stands_still = False
        stopped = [child for child in self.child_pool.children.values() if child.is_stopped]
        for child in stopped:
            child.is_stopped = False
            child.last_message_at = self._clock.monotonic()
        continue_families([child.pid for child in stopped if child.pid is not None])
        events.info("attempts_go_on", attempts=len(stopped))

    def start_queued(self) -> None:
        """Assign children to queued attempts while slots are free."""
        while (
            not self._stands_still
            and self.registry.running < self._slots
            and (pending := self.registry.take_next_queued()) is not None
        ):
            self.child_pool.assign_child(pending, self._clock.monotonic())

    def start_attempt(self, child: ChildProcess, pending: PendingAttempt) -> None:
        """Send the attempt to the child."""
        child.pending = pending
        child.attempts += 1
        child.last_message_at = self._clock.monotonic()
        if self._stands_still:
            _stop((child,))
        self._by_attempt[pending.attempt.attempt_id] = child
        if self._log_uploads is not None:
            child.open_log = pending.attempt.log
            self._log_uploads.mark_open(pending.attempt.log)
        attempt = msgspec.structs.replace(
            pending.attempt, log=self._log_path(pending), elements=()
        )  # the process needs the elements, not their sources
        child.stream.put(RunAttempt(attempt=attempt, elements=self._find_elements(pending)))
        self._update_stream(child)

    def read_messages(self, child: ChildProcess) -> None:
        """Handle every message of the child that has arrived."""
        for message in child.stream.receive():
            child.last_message_at = self._clock.monotonic()
            match message:
                case ChildEntered(at=at):
                    self._on_entered(child, at)
                case ChildDone(result=result):
                    self._on_done(child, result)
                case TaskApiRequestMessage():
                    self._answer_request(child, message)
        if child.stream.failure is not None and not child.kill_reason:
            child.kill(render(say("message_of_process_is_unreadable", fault=child.stream.failure[:_FAULT_SHOWN])))
        if child.stream.ended and child.exiting_since is None:
            child.exiting_since = self._clock.monotonic()
        self._update_stream(child)

    def stop_attempt(self, pending: PendingAttempt, stop: StopRequest) -> None:
        """End the attempt: at once while it has no child; else by SIGTERM now and SIGKILL after the grace."""
        first = pending.stop is None
        pending.stop = pending.stop or stop
        child = self._by_attempt.get(pending.attempt.attempt_id)
        if child is None:
            self._finish(pending, self._result_without_run(pending, stop.outcome, stop.reason, entered=False))
            self._end_log(pending.attempt.log)
        elif first:
            child.terminate(self._clock.monotonic())

    def on_child_exit(self, child: ChildProcess, code: int | None) -> None:
        """The process of the child ended with this code. Its attempt gets a result, or another child if author code was not entered."""
        if not child.stream.ended:
            self.read_messages(child)
        self._unwatch_child(child)
        child.stream.close()
        pending = child.pending
        if pending is not None:
            self._by_attempt.pop(pending.attempt.attempt_id, None)
            if not pending.is_ended:
                self.has_abnormal_exit = True
                self._on_exit_without_result(child, pending, code)
        if pending is None or pending.is_ended:
            self._end_log(child.open_log)

    def child_refused(self, child: ChildProcess) -> None:
        """The machine refused the process of the child. Its attempt waits for another one, or ends if it is to be stopped."""
        self._unwatch_child(child)
        child.stream.close()
        pending, child.pending = child.pending, None
        if pending is None or pending.is_ended:
            return
        self._by_attempt.pop(pending.attempt.attempt_id, None)
        if pending.stop is not None:
            self._finish(
                pending, self._result_without_run(pending, pending.stop.outcome, pending.stop.reason, entered=False)
            )
            self._end_log(pending.attempt.log)
        else:
            self.child_pool.postpone(pending, self._clock.monotonic())

    def give_back(self, pending: PendingAttempt, reason: str) -> None:
        """End an attempt without a process as lost: its scheduler submits it again, and the try does not count."""
        events.warning("attempt_given_back", attempt=pending.attempt.attempt_id, reason=reason)
        self._finish(pending, self._result_without_run(pending, "lost", reason, entered=False))
        self._end_log(pending.attempt.log)

    def tick(self) -> None:
        """Kill children that send nothing before author code, that do not stop in time, or that do not exit after their result."""
        now = self._clock.monotonic()
        self._repeat_requests(now)
        for child in list(self.child_pool.children.values()):
            pending = child.pending
            if child.exiting_since is not None:
                self._force_exit(child, now)
            elif pending is None or pending.is_ended or child.kill_reason or child.is_stopped:
                continue
            elif (
                pending.stop is not None
                and child.sigterm_at is not None
                and now - child.sigterm_at >= pending.stop.grace_s
            ):
                child.kill(render(say("it_did_not_stop_in_time", duration=pending.stop.grace_s)))
            elif pending.stop is not None and pending.entered_at is not None:
                child.interrupt(now)
            elif pending.entered_at is None and now - child.last_message_at > self._entry_timeout_s(pending):
                self._kill_silent(child, pending, now)

    def _find_elements(self, pending: PendingAttempt) -> tuple[XComElement, ...]:
        """What the attempt would ask for first. None when that may change before: a new interpreter imports the file first."""
        if not pending.attempt.elements or pending.fresh:
            return ()
        try:
            return self._read_elements(pending.attempt)
        except REFUSALS:
            return ()  # the attempt asks, and is told why there is no answer
        except Exception:
            events.exception("elements_not_read", attempt=pending.attempt.attempt_id)
            return ()

    def _on_entered(self, child: ChildProcess, at: Instant) -> None:
        pending = child.pending
        if pending is None or pending.is_ended:
            return
        pending.entered_at = at = at if is_entry_instant(at) else self._clock.now()
        self.listener.on_entered(pending.attempt.attempt_id, pending.attempt.group_no, at)
        if pending.stop is not None:
            child.terminate(self._clock.monotonic())  # the first SIGTERM may have arrived before the child handled it

    def _on_done(self, child: ChildProcess, result: AttemptResult) -> None:
        pending = child.pending
        if pending is None or pending.is_ended:
            return
        result = check_result(confirm_identity(result, pending.attempt), reads_values=True)
        if pending.stop is not None and result.outcome == "failed":
            result = msgspec.structs.replace(result, outcome=pending.stop.outcome, reason=pending.stop.reason)
        child.pending = None
        self._by_attempt.pop(pending.attempt.attempt_id, None)
        now = self._clock.monotonic()
        self._finish(pending, result)
        reusable = child.attempts < pending.attempt.attempts_per_child and pending.stop is None
        if pending.attempt.attempts_per_child > 1 and not (reusable and self.child_pool.return_child(child, now)):
            self.child_pool.release_child(child, now)
        elif pending.attempt.attempts_per_child <= 1:
            child.exiting_since = now
        else:  # the process goes on with another attempt, and has left this log
            self._end_log(child.open_log)
            child.open_log = None

    def _answer_request(self, child: ChildProcess, message: TaskApiRequestMessage) -> None:
        if child.pending is None:
            child.stream.put(
                TaskApiResponse(
                    number=message.number, error="the attempt has ended; its requests are no longer answered"
                )
            )
            return
        request = UnansweredRequest(child, child.pending, message, self._clock.monotonic() + REQUEST_PATIENCE_S)
        if not self._answer_once(request):
            events.warning(
                "request_waits", attempt=child.pending.attempt.attempt_id, request=type(message.request).__name__
            )
            self._unanswered.append(request)

    def _answer_once(self, request: UnansweredRequest) -> bool:
        """False when the store asks to repeat the request, and there is time left for that."""
        reraised = (WorkerStoreAway,) if self._clock.monotonic() < request.until else ()
        try:
            response = answer_request(
                partial(self._answer, request.pending),
                request.message,
                log=events,
                refusals=REFUSALS,
                reraised=reraised,
            )
        except WorkerStoreAway:
            return False
        request.child.stream.put(response)
        return True

    def _repeat_requests(self, now: float) -> None:
        """Ask the store again for what it could not answer. A child that waits for an answer is not silent."""
        waiting, self._unanswered = self._unanswered, []
        for request in waiting:
            child = request.child
            if child.pending is not request.pending or child.stream.ended:
                continue
            child.last_message_at = now
            if self._answer_once(request):
                self._update_stream(child)
            else:
                self._unanswered.append(request)

    def _on_exit_without_result(self, child: ChildProcess, pending: PendingAttempt, code: int | None) -> None:
        before_entry = pending.entered_at is None
        before, self._oom_kills = self._oom_kills, count_oom_kills()
        reason = describe_exit_without_result(code, out_of_memory=self._oom_kills > before)
        if pending.stop is not None:
            reason = f"{pending.stop.reason}; {child.kill_reason or reason}"
            self._finish_without_process(
                pending,
                self._result_without_run(pending, pending.stop.outcome, reason, entered=not before_entry, code=code),
            )
        elif before_entry and not pending.fresh:
            events.warning(
                "fork_failed",
                attempt=pending.attempt.attempt_id,
                file=pending.attempt.file,
                how=child.kill_reason or reason,
                next="a new interpreter",
            )
            pending.fresh = True
            self.child_pool.assign_child(pending, self._clock.monotonic())
        elif before_entry:
            reason = render(
                say("file_ended_its_process", file=pending.attempt.file, reason=child.kill_reason or reason)
            )
            self._finish_without_process(
                pending, self._result_without_run(pending, "failed", reason, entered=True, code=code)
            )
        else:
            self._finish_without_process(
                pending,
                self._result_without_run(pending, "failed", child.kill_reason or reason, entered=True, code=code),
            )

    def _finish_without_process(self, pending: PendingAttempt, result: AttemptResult) -> None:
        """Append the reason of the result to the log of the attempt, whose process could not write it, and record the result."""
        verb = "failed" if result.outcome == "failed" else f"ended as {result.outcome}"
        try:
            what = "task" if pending.attempt.callback is None else "callback"
            attempt_log.append_error(
                self._log_path(pending), to_datetime(self._clock.now()), f"{what} {verb}: {result.reason}"
            )
        except OSError as error:
            events.warning(
                "task_log_not_written", attempt=pending.attempt.attempt_id, log=pending.attempt.log, error=str(error)
            )
        self._finish(pending, result)

    def _end_log(self, name: str | None) -> None:
        """Nothing more is written to the log: it can be uploaded."""
        if self._log_uploads is not None and name is not None:
            self._log_uploads.mark_ready(name)

    def _log_path(self, pending: PendingAttempt) -> str:
        return os.path.join(self._logs_folder, pending.attempt.log)

    def _result_without_run(
        self, pending: PendingAttempt, outcome: str, reason: str, *, entered: bool, code: int | None = None
    ) -> AttemptResult:
        started = pending.entered_at
        ended = self._clock.now() if started is not None else None
        return result_without_run(
            pending.attempt, outcome, reason, entered=entered, exit_code=code, started_at=started, ended_at=ended
        )

    def _finish(self, pending: PendingAttempt, result: AttemptResult) -> None:
        if pending.fresh_reason is not None:
            result = msgspec.structs.replace(result, fresh_reason=pending.fresh_reason)
        if self.registry.end(pending, result):
            self.listener.on_ended(result)

    def _entry_timeout_s(self, pending: PendingAttempt) -> float:
        return self._entry_silence_s + self.child_pool.import_limit_s if pending.fresh else self._entry_silence_s

    def _kill_silent(self, child: ChildProcess, pending: PendingAttempt, now: float) -> None:
        if pending.fresh:
            child.kill(render(say("import_took_too_long", duration=self.child_pool.import_limit_s)))
            return
        pid = self.child_pool.find_own_process(child)
        silent_s = now - child.last_message_at
        if silent_s <= STARVED * self._entry_silence_s and pid is not None and waits_for_machine(pid):
            return  # the machine has more to do than it can: another process would wait too
        child.kill(render(say("no_message_before_author_code", duration=round(silent_s))))
        if child.pid is None:
            self.child_pool.kill_zygote_of_child(child, now)

    def _force_exit(self, child: ChildProcess, now: float) -> None:
        assert child.exiting_since is not None
        if (
            child.pid is None and child.stream.ended and not self.child_pool.has_zygote(child)
        ) or now - child.exiting_since > 2 * EXIT_GRACE_S:
            self.child_pool.remove_child(child.number, None)
        elif now - child.exiting_since > EXIT_GRACE_S and not child.kill_reason:
            has_result = child.pending is None or child.pending.is_ended
            child.kill(render(say("it_did_not_exit" if has_result else "channel_was_closed")))


def _stop(children: Sequence[ChildProcess]) -> None:
    """Stop these children; one whose pid is not known yet is stopped when it is."""
    for child in children:
        child.is_stopped = True
    stop_families([child.pid for child in children if child.pid is not None])
