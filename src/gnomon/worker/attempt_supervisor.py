"""Attempts on their way through children: begun, heard, stopped, ended, whatever the child does."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Protocol

import msgspec

from gnomon import log
from gnomon.clock import Clock
from gnomon.model.attempts import AttemptResult
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.processes.exit_reasons import describe_exit_without_result
from gnomon.processes.kernel import count_oom_kills
from gnomon.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse, answer_request
from gnomon.runner import attempt_log
from gnomon.runner.attempt_protocol import ChildDone, ChildEntered, ChildReady, RunAttempt
from gnomon.runner.attempt_results import result_without_run
from gnomon.worker.attempt_registry import AttemptRegistry, PendingAttempt, StopRequest
from gnomon.worker.child_pool import ChildPool
from gnomon.worker.child_process import ChildProcess
from gnomon.worker.worker_store import REFUSALS

events = log.get_logger("worker")

EXIT_GRACE_S = 5.0
"""A child that has said its last word is gone after so long, or is killed."""

AnswerTaskRequest = Callable[[PendingAttempt, AnyTaskApiRequest], object]


class AttemptListener(Protocol):
    """Who wants to know of entries and ends: the connected schedulers."""

    def on_entered(self, attempt_id: str, group_no: int, at: Instant) -> None: ...

    def on_ended(self, result: AttemptResult) -> None: ...


class AttemptSupervisor:
    """Moves attempts from the ledger's queue to its results."""

    child_pool: ChildPool
    """Set right after construction: the two know each other."""

    def __init__(self, ledger: AttemptRegistry, outlet: AttemptListener, clock: Clock, logs_folder: str, slots: int,
                 silence_s: float, answer: AnswerTaskRequest, update: Callable[[ChildProcess], None], forget: Callable[[ChildProcess], None]) -> None:
        self.ledger = ledger
        self.listener = outlet
        self._clock = clock
        self._logs_folder = logs_folder
        self._slots = slots
        self._entry_silence_s = silence_s
        self._answer = answer
        self._update_stream = update
        self._unwatch_child = forget
        self._by_attempt: dict[str, ChildProcess] = {}
        self._oom_kills = count_oom_kills()
        self.has_abnormal_exit = False
        """A child ended without its last word: something of it may be left."""

    def start_queued(self) -> None:
        """Attempts leave the queue while there are slots."""
        while self.ledger.running < self._slots and (held := self.ledger.take_next_queued()) is not None:
            self.child_pool.assign_child(held, self._clock.monotonic())

    def start_attempt(self, child: ChildProcess, held: PendingAttempt) -> None:
        """The child has the attempt."""
        child.pending = held
        child.attempts += 1
        child.last_message_at = self._clock.monotonic()
        self._by_attempt[held.attempt.attempt_id] = child
        attempt = msgspec.structs.replace(held.attempt, log=self._log_path(held))
        child.stream.put(RunAttempt(attempt=attempt))
        self._update_stream(child)

    def read_messages(self, child: ChildProcess) -> None:
        """Everything that the child has said is taken in."""
        for message in child.stream.receive():
            child.last_message_at = self._clock.monotonic()
            match message:
                case ChildEntered(at=at):
                    self._on_entered(child, at)
                case ChildDone(result=result):
                    self._on_done(child, result)
                case TaskApiRequestMessage():
                    child.stream.put(self._answer_request(child, message))
                case ChildReady(pid=pid):
                    child.pid = pid
        if child.stream.ended and child.exiting_since is None:
            child.exiting_since = self._clock.monotonic()
        self._update_stream(child)

    def stop_attempt(self, held: PendingAttempt, stop: StopRequest) -> None:
        """The attempt ends: at once while it waits; else SIGTERM now, and SIGKILL after the grace."""
        first = held.stop is None
        held.stop = held.stop or stop
        child = self._by_attempt.get(held.attempt.attempt_id)
        if child is None:
            self._finish(held, self._result_without_run(held, stop.outcome, stop.reason, entered=False))
        elif first:
            child.sigterm_at = self._clock.monotonic()
            child.signal(signal.SIGTERM)

    def on_child_exit(self, child: ChildProcess, code: int | None) -> None:
        """The child's process ended with this code: what it was running has a result, or another try."""
        if not child.stream.ended:
            self.read_messages(child)
        self._unwatch_child(child)
        child.stream.close()
        held = child.pending
        if held is None:
            return
        self._by_attempt.pop(held.attempt.attempt_id, None)
        if held.is_ended:
            return
        self.has_abnormal_exit = True
        self._on_exit_without_result(child, held, code)

    def child_refused(self, child: ChildProcess) -> None:
        """The machine refused the child's process: its attempt waits for another, or ends when it was told to."""
        self._unwatch_child(child)
        child.stream.close()
        held, child.pending = child.pending, None
        if held is None or held.is_ended:
            return
        self._by_attempt.pop(held.attempt.attempt_id, None)
        if held.stop is not None:
            self._finish(held, self._result_without_run(held, held.stop.outcome, held.stop.reason, entered=False))
        else:
            self.child_pool.postpone(held, self._clock.monotonic())

    def give_back(self, held: PendingAttempt, reason: str) -> None:
        """The attempt, which has no process yet, is lost here: its scheduler places it anew, at the cost of no try."""
        events.warning("attempt_given_back", attempt=held.attempt.attempt_id, reason=reason)
        self._finish(held, self._result_without_run(held, "lost", reason, entered=False))

    def tick(self) -> None:
        """Silent children, those that do not stop, and those that do not leave, are killed."""
        now = self._clock.monotonic()
        for child in list(self.child_pool.children.values()):
            held = child.pending
            if child.exiting_since is not None:
                self._force_exit(child, now)
            elif held is None or held.is_ended or child.kill_reason:
                continue
            elif held.stop is not None and child.sigterm_at is not None and now - child.sigterm_at >= held.stop.grace_s:
                child.kill(f"it did not end within {held.stop.grace_s:g} s after SIGTERM")
            elif held.entered_at is None and now - child.last_message_at > self._entry_timeout_s(held):
                self._kill_silent(child, held, now)

    def _on_entered(self, child: ChildProcess, at: Instant) -> None:
        held = child.pending
        if held is None or held.is_ended:
            return
        held.entered_at = at
        self.listener.on_entered(held.attempt.attempt_id, held.attempt.group_no, at)
        if held.stop is not None:
            child.signal(signal.SIGTERM)  # the first one may have come before the child could take it

    def _on_done(self, child: ChildProcess, result: AttemptResult) -> None:
        held = child.pending
        if held is None or held.is_ended:
            return
        if held.stop is not None and result.outcome == "failed":
            result = msgspec.structs.replace(result, outcome=held.stop.outcome, reason=held.stop.reason)
        child.pending = None
        self._by_attempt.pop(held.attempt.attempt_id, None)
        now = self._clock.monotonic()
        self._finish(held, result)
        reusable = child.attempts < held.attempt.attempts_per_child and held.stop is None
        if held.attempt.attempts_per_child > 1 and not (reusable and self.child_pool.return_child(child, now)):
            self.child_pool.release_child(child, now)
        elif held.attempt.attempts_per_child <= 1:
            child.exiting_since = now

    def _answer_request(self, child: ChildProcess, ask: TaskApiRequestMessage) -> TaskApiResponse:
        if child.pending is None:
            return TaskApiResponse(number=ask.number, error="the attempt has ended; nobody answers for it")
        return answer_request(partial(self._answer, child.pending), ask, log=events, refusals=REFUSALS)

    def _on_exit_without_result(self, child: ChildProcess, held: PendingAttempt, code: int | None) -> None:
        before_entry = held.entered_at is None
        before, self._oom_kills = self._oom_kills, count_oom_kills()
        words = describe_exit_without_result(code, out_of_memory=self._oom_kills > before)
        if held.stop is not None:
            reason = f"{held.stop.reason}; {child.kill_reason or words}"
            self._end_of_dead(held, self._result_without_run(held, held.stop.outcome, reason, entered=not before_entry, code=code))
        elif before_entry and not held.fresh:
            events.warning("fork_failed", attempt=held.attempt.attempt_id, file=held.attempt.file,
                           how=child.kill_reason or words, next="a new interpreter")
            held.fresh = True
            self.child_pool.assign_child(held, self._clock.monotonic())
        elif before_entry:
            reason = f"importing {held.attempt.file}: {child.kill_reason or words}"
            self._end_of_dead(held, self._result_without_run(held, "failed", reason, entered=True, code=code))
        else:
            self._end_of_dead(held, self._result_without_run(held, "failed", words, entered=True, code=code))

    def _end_of_dead(self, held: PendingAttempt, result: AttemptResult) -> None:
        """The last line of the attempt's log is the reason that its state shows; its process could not write it."""
        verb = "failed" if result.outcome == "failed" else f"ended as {result.outcome}"
        try:
            attempt_log.append_error(self._log_path(held), to_datetime(self._clock.now()), f"task {verb}: {result.reason}")
        except OSError as error:
            events.warning("task_log_not_written", attempt=held.attempt.attempt_id, log=held.attempt.log, error=str(error))
        self._finish(held, result)

    def _log_path(self, held: PendingAttempt) -> str:
        return os.path.join(self._logs_folder, held.attempt.log)

    def _result_without_run(self, held: PendingAttempt, outcome: str, reason: str, *, entered: bool, code: int | None = None) -> AttemptResult:
        started = held.entered_at
        ended = self._clock.now() if started is not None else None
        return result_without_run(held.attempt, outcome, reason, entered=entered, exit_code=code,
                           started_at=started, ended_at=ended)

    def _finish(self, held: PendingAttempt, result: AttemptResult) -> None:
        if held.fresh_reason is not None:
            result = msgspec.structs.replace(result, fresh_reason=held.fresh_reason)
        if self.ledger.end(held, result):
            self.listener.on_ended(result)

    def _entry_timeout_s(self, held: PendingAttempt) -> float:
        return self._entry_silence_s + self.child_pool.import_limit_s if held.fresh else self._entry_silence_s

    def _kill_silent(self, child: ChildProcess, held: PendingAttempt, now: float) -> None:
        if held.fresh:
            child.kill(f"it took longer than {self.child_pool.import_limit_s:g} s ([core] dagbag_import_timeout)")
            return
        child.kill(f"silent for {self._entry_silence_s:g} s before author code was entered")
        if child.pid is None:
            self.child_pool.kill_zygote_of_child(child, now)

    def _force_exit(self, child: ChildProcess, now: float) -> None:
        assert child.exiting_since is not None
        if (child.pid is None and child.stream.ended and not self.child_pool.has_zygote(child)) or now - child.exiting_since > 2 * EXIT_GRACE_S:
            self.child_pool.remove_child(child.number, None)
        elif now - child.exiting_since > EXIT_GRACE_S and not child.kill_reason:
            child.kill("it did not end after its last word")
