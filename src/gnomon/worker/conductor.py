"""Attempts on their way through children: begun, heard, stopped, ended, whatever the child does."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Protocol

import msgspec

from gnomon import log
from gnomon.clock import Clock
from gnomon.model.facts import AttemptResult
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.questions import AnyQuestion
from gnomon.processes.kernel import oom_kills
from gnomon.runner import logs
from gnomon.runner.results import without_run
from gnomon.wire.messages import Answer, Ask, Begin, ChildDone, ChildEntered, ChildReady
from gnomon.worker.children import Child
from gnomon.worker.endings import in_words
from gnomon.worker.ledger import Held, Ledger, Stop
from gnomon.worker.nursery import Nursery

events = log.get("worker")

LEAVING_S = 5.0
"""A child that has said its last word is gone after so long, or is killed."""

AnswerTask = Callable[[Held, AnyQuestion], object]


class Outlet(Protocol):
    """Who wants to know of entries and ends: the connected schedulers."""

    def entered(self, attempt_id: str, group_no: int, at: Instant) -> None: ...

    def ended(self, result: AttemptResult) -> None: ...


class Conductor:
    """Moves attempts from the ledger's queue to its results."""

    nursery: Nursery
    """Set right after construction: the two know each other."""

    def __init__(self, ledger: Ledger, outlet: Outlet, clock: Clock, logs_folder: str, slots: int,
                 silence_s: float, answer: AnswerTask, update: Callable[[Child], None], forget: Callable[[Child], None]) -> None:
        self.ledger = ledger
        self.outlet = outlet
        self._clock = clock
        self._logs_folder = logs_folder
        self._slots = slots
        self._silence_s = silence_s
        self._answer = answer
        self._update = update
        self._forget = forget
        self._by_attempt: dict[str, Child] = {}
        self._oom_kills = oom_kills()
        self.abnormal = False
        """A child ended without its last word: something of it may be left."""

    def start_waiting(self) -> None:
        """Attempts leave the queue while there are slots."""
        while self.ledger.running < self._slots and (held := self.ledger.next_waiting()) is not None:
            self.nursery.place(held, self._clock.monotonic())

    def begin(self, child: Child, held: Held) -> None:
        """The child has the attempt."""
        child.held = held
        child.attempts += 1
        child.heard_at = self._clock.monotonic()
        self._by_attempt[held.attempt.attempt_id] = child
        attempt = msgspec.structs.replace(held.attempt, log=self._log_path(held))
        child.link.put(Begin(attempt=attempt))
        self._update(child)

    def hear(self, child: Child) -> None:
        """Everything that the child has said is taken in."""
        for message in child.link.receive():
            child.heard_at = self._clock.monotonic()
            match message:
                case ChildEntered(at=at):
                    self._entered(child, at)
                case ChildDone(result=result):
                    self._done(child, result)
                case Ask():
                    child.link.put(self._answered(child, message))
                case ChildReady(pid=pid):
                    child.pid = pid
        if child.link.ended and child.leaving_at is None:
            child.leaving_at = self._clock.monotonic()
        self._update(child)

    def stop(self, held: Held, stop: Stop) -> None:
        """The attempt ends: at once while it waits; else SIGTERM now, and SIGKILL after the grace."""
        first = held.stop is None
        held.stop = held.stop or stop
        child = self._by_attempt.get(held.attempt.attempt_id)
        if child is None:
            self._end(held, self._word(held, stop.outcome, stop.reason, entered=False))
        elif first:
            child.told_at = self._clock.monotonic()
            child.signal(signal.SIGTERM)

    def child_gone(self, child: Child, code: int | None) -> None:
        """The child's process ended with this code: what it was running has a result, or another try."""
        if not child.link.ended:
            self.hear(child)
        self._forget(child)
        child.link.close()
        held = child.held
        if held is None:
            return
        self._by_attempt.pop(held.attempt.attempt_id, None)
        if held.ended:
            return
        self.abnormal = True
        self._ended_without_word(child, held, code)

    def child_refused(self, child: Child) -> None:
        """The machine refused the child's process: its attempt waits for another, or ends when it was told to."""
        self._forget(child)
        child.link.close()
        held, child.held = child.held, None
        if held is None or held.ended:
            return
        self._by_attempt.pop(held.attempt.attempt_id, None)
        if held.stop is not None:
            self._end(held, self._word(held, held.stop.outcome, held.stop.reason, entered=False))
        else:
            self.nursery.postpone(held, self._clock.monotonic())

    def give_back(self, held: Held, reason: str) -> None:
        """The attempt, which has no process yet, is lost here: its scheduler places it anew, at the cost of no try."""
        events.warning("attempt_given_back", attempt=held.attempt.attempt_id, reason=reason)
        self._end(held, self._word(held, "lost", reason, entered=False))

    def tick(self) -> None:
        """Silent children, those that do not stop, and those that do not leave, are killed."""
        now = self._clock.monotonic()
        for child in list(self.nursery.children.values()):
            held = child.held
            if child.leaving_at is not None:
                self._hurry(child, now)
            elif held is None or held.ended or child.killed:
                continue
            elif held.stop is not None and child.told_at is not None and now - child.told_at >= held.stop.grace_s:
                child.kill(f"it did not end within {held.stop.grace_s:g} s after SIGTERM")
            elif held.entered_at is None and now - child.heard_at > self._patience(held):
                self._give_up(child, held, now)

    def _entered(self, child: Child, at: Instant) -> None:
        held = child.held
        if held is None or held.ended:
            return
        held.entered_at = at
        self.outlet.entered(held.attempt.attempt_id, held.attempt.group_no, at)
        if held.stop is not None:
            child.signal(signal.SIGTERM)  # the first one may have come before the child could take it

    def _done(self, child: Child, result: AttemptResult) -> None:
        held = child.held
        if held is None or held.ended:
            return
        if held.stop is not None and result.outcome == "failed":
            result = msgspec.structs.replace(result, outcome=held.stop.outcome, reason=held.stop.reason)
        child.held = None
        self._by_attempt.pop(held.attempt.attempt_id, None)
        now = self._clock.monotonic()
        self._end(held, result)
        reusable = child.attempts < held.attempt.attempts_per_child and held.stop is None
        if held.attempt.attempts_per_child > 1 and not (reusable and self.nursery.give_back(child, now)):
            self.nursery.let_go(child, now)
        elif held.attempt.attempts_per_child <= 1:
            child.leaving_at = now

    def _answered(self, child: Child, ask: Ask) -> Answer:
        if child.held is None:
            return Answer(number=ask.number, error="the attempt has ended; nobody answers for it")
        try:
            return Answer(number=ask.number, value=self._answer(child.held, ask.question))
        except Exception as error:  # the edge: a question must not end the worker
            if type(error).__name__ not in ("Refused", "StoreAway"):
                events.exception("answer_failed", attempt=child.held.attempt.attempt_id)
            return Answer(number=ask.number, error=str(error))

    def _ended_without_word(self, child: Child, held: Held, code: int | None) -> None:
        before_entry = held.entered_at is None
        before, self._oom_kills = self._oom_kills, oom_kills()
        words = in_words(code, out_of_memory=self._oom_kills > before)
        if held.stop is not None:
            reason = f"{held.stop.reason}; {child.killed or words}"
            self._end_of_dead(held, self._word(held, held.stop.outcome, reason, entered=not before_entry, code=code))
        elif before_entry and not held.fresh:
            events.warning("fork_failed", attempt=held.attempt.attempt_id, file=held.attempt.file,
                           how=child.killed or words, next="a new interpreter")
            held.fresh = True
            self.nursery.place(held, self._clock.monotonic())
        elif before_entry:
            reason = f"importing {held.attempt.file}: {child.killed or words}"
            self._end_of_dead(held, self._word(held, "failed", reason, entered=True, code=code))
        else:
            self._end_of_dead(held, self._word(held, "failed", words, entered=True, code=code))

    def _end_of_dead(self, held: Held, result: AttemptResult) -> None:
        """The last line of the attempt's log is the reason that its state shows; its process could not write it."""
        verb = "failed" if result.outcome == "failed" else f"ended as {result.outcome}"
        try:
            logs.append_error(self._log_path(held), to_datetime(self._clock.now()), f"task {verb}: {result.reason}")
        except OSError as error:
            events.warning("task_log_not_written", attempt=held.attempt.attempt_id, log=held.attempt.log, error=str(error))
        self._end(held, result)

    def _log_path(self, held: Held) -> str:
        return os.path.join(self._logs_folder, held.attempt.log)

    def _word(self, held: Held, outcome: str, reason: str, *, entered: bool, code: int | None = None) -> AttemptResult:
        started = held.entered_at
        ended = self._clock.now() if started is not None else None
        return without_run(held.attempt, outcome, reason, entered=entered, exit_code=code,
                           started_at=started, ended_at=ended)

    def _end(self, held: Held, result: AttemptResult) -> None:
        if held.fresh_reason is not None:
            result = msgspec.structs.replace(result, fresh_reason=held.fresh_reason)
        if self.ledger.end(held, result):
            self.outlet.ended(result)

    def _patience(self, held: Held) -> float:
        return self._silence_s + self.nursery.import_limit_s if held.fresh else self._silence_s

    def _give_up(self, child: Child, held: Held, now: float) -> None:
        if held.fresh:
            child.kill(f"it took longer than {self.nursery.import_limit_s:g} s ([core] dagbag_import_timeout)")
            return
        child.kill(f"silent for {self._silence_s:g} s before author code was entered")
        if child.pid is None:
            self.nursery.kill_zygote_of(child, now)

    def _hurry(self, child: Child, now: float) -> None:
        assert child.leaving_at is not None
        if (child.pid is None and child.link.ended and not self.nursery.has_zygote(child)) or now - child.leaving_at > 2 * LEAVING_S:
            self.nursery.forget_child(child.number, None)
        elif now - child.leaving_at > LEAVING_S and not child.killed:
            child.kill("it did not end after its last word")
