"""`BatchPace`: how long a busy process waits before its next commit or request, so that one carries several ends of attempts.

A commit, or a request, costs about the same for one as for ten. The scheduler paces its rounds, and a worker without a database its reports.
"""

from __future__ import annotations

from dataclasses import dataclass

SHARE = 0.25
"""Longest wait as a share of the time that an attempt takes, so that few slots are idle meanwhile."""


@dataclass(slots=True)
class BatchPace:
    """Counts the ends of attempts. Instants are seconds of the monotonic clock."""

    window_s: float
    """The rate of ends is measured over so many seconds."""
    paced_a_second: float
    """Ends a second from which on the process is paced. A chain of tasks, each of which waits for the one before, should not reach it."""
    wait_max_s: float
    """Longest wait."""
    _window_at: float = 0.0
    _ends: int = 0
    _ends_a_second: float = 0.0

    def record(self, ends: int, now_s: float) -> None:
        """Count attempts that have ended."""
        elapsed_s = now_s - self._window_at
        if elapsed_s >= self.window_s:
            rate = self._ends / elapsed_s
            self._ends_a_second = rate if rate >= self.paced_a_second else 0.0
            self._window_at, self._ends = now_s, 0
        self._ends += ends

    def find_wait_s(self, live: int, since_s: float, now_s: float) -> float:
        """Seconds to wait with so many live attempts, when the wait counts from `since_s`; 0: none."""
        if not self._ends_a_second or now_s - self._window_at >= 2 * self.window_s:
            return 0.0
        return max(0.0, since_s + min(self.wait_max_s, SHARE * live / self._ends_a_second) - now_s)
