"""What a refused process costs the worker: a pause and a sentence. Its attempts wait here, and no attempt is lost by it."""

from __future__ import annotations

from collections import deque

from gnomon import log
from gnomon.processes.spawn_backoff import REFUSAL_REMEDY, SpawnBackoff
from gnomon.worker.attempt_registry import PendingAttempt

events = log.get_logger("worker")

WAIT_MAX_S = 60.0
"""An attempt that has waited so long goes back to its scheduler with the reason; that costs no try."""


class SpawnRefused(Exception):
    """The machine refused a process, now or a moment ago: the attempt waits in the SpawnQueue."""


class SpawnQueue:
    """Attempts that wait until the machine is asked for a process again."""

    def __init__(self) -> None:
        self.backoff = SpawnBackoff()
        self._waiting: deque[PendingAttempt] = deque()

    def check(self, now: float) -> None:
        """Returns when a process may be asked for; else SpawnRefused."""
        if not self.backoff.is_over(now):
            raise SpawnRefused(self.backoff.reason)

    def refused(self, process: str, reason: str, now: float) -> SpawnRefused:
        """The machine refused this process: nothing is asked of it for a pause. Logged once a pause; the error is to be raised."""
        if self.backoff.refused(reason, now):
            events.warning("process_refused", process=process, error=reason, again_after_s=self.backoff.pause_s,
                           attempts_waiting=len(self._waiting), remedy=REFUSAL_REMEDY)
        return SpawnRefused(reason)

    def add(self, held: PendingAttempt, now: float) -> None:
        """The attempt waits. Its time runs from its first refusal."""
        if held.refused_at is None:
            held.refused_at = now
        self._waiting.append(held)

    def take_due(self, now: float) -> list[PendingAttempt]:
        """The attempts for which a process may be asked for again, in the order of their refusals."""
        if not self._waiting or not self.backoff.is_over(now):
            return []
        due = [held for held in self._waiting if not held.is_ended]
        self._waiting.clear()
        return due

    def take_overdue(self, now: float) -> list[tuple[PendingAttempt, str]]:
        """The attempts that have waited for WAIT_MAX_S, each with the reason for its state."""
        overdue = [held for held in self._waiting if held.refused_at is not None and now - held.refused_at >= WAIT_MAX_S]
        for held in overdue:
            self._waiting.remove(held)
        reason = f"the worker could start no process for {WAIT_MAX_S:g} s: {self.backoff.reason}; {REFUSAL_REMEDY}"
        return [(held, reason) for held in overdue if not held.is_ended]

    def clear(self) -> None:
        """No attempt waits."""
        self._waiting.clear()
