"""Attempts that wait for a process after the machine refused one: a refusal costs a pause and a log line, never an attempt."""

from __future__ import annotations

from collections import deque

from gnomon.author_code.processes.spawn_backoff import REFUSAL_REMEDY, SpawnBackoff
from gnomon.ground import log
from gnomon.model.sentences import render, say
from gnomon.services.worker.attempt_registry import PendingAttempt

events = log.get_logger("worker")

WAIT_MAX_S = 60.0
"""An attempt that has waited for this time is returned to its scheduler with the reason, without counting a try."""


class SpawnRefused(Exception):
    """The machine refused a process, now or during the current pause: the attempt waits in the SpawnQueue."""


class SpawnQueue:
    """Attempts that wait for the end of the pause after a refused process."""

    def __init__(self) -> None:
        self.backoff = SpawnBackoff()
        self._waiting: deque[PendingAttempt] = deque()

    def check(self, now: float) -> None:
        """Raises SpawnRefused during a pause."""
        if not self.backoff.is_over(now):
            raise SpawnRefused(self.backoff.reason)

    def refused(self, process: str, reason: str, now: float) -> SpawnRefused:
        """Begin a pause and log the refusal, once for each pause. Returns the error for the caller to raise."""
        if self.backoff.refused(reason, now):
            events.warning(
                "process_refused",
                process=process,
                error=reason,
                again_after_s=self.backoff.pause_s,
                attempts_waiting=len(self._waiting),
                remedy=REFUSAL_REMEDY,
            )
        return SpawnRefused(reason)

    def add(self, pending: PendingAttempt, now: float) -> None:
        """Queue the attempt. Its waiting time runs from its first refusal."""
        if pending.refused_at is None:
            pending.refused_at = now
        self._waiting.append(pending)

    def take_due(self, now: float) -> list[PendingAttempt]:
        """Remove and return the attempts for which a process may be started now, in the order of their refusals."""
        if not self._waiting or not self.backoff.is_over(now):
            return []
        due = [pending for pending in self._waiting if not pending.is_ended]
        self._waiting.clear()
        return due

    def take_overdue(self, now: float) -> list[tuple[PendingAttempt, str]]:
        """Remove and return the attempts that have waited for WAIT_MAX_S, each with the reason for its result."""
        overdue = [
            pending
            for pending in self._waiting
            if pending.refused_at is not None and now - pending.refused_at >= WAIT_MAX_S
        ]
        for pending in overdue:
            self._waiting.remove(pending)
        reason = render(say("worker_starts_no_process", duration=WAIT_MAX_S, error=self.backoff.reason))
        return [(pending, reason) for pending in overdue if not pending.is_ended]

    def clear(self) -> None:
        """Remove all attempts."""
        self._waiting.clear()
