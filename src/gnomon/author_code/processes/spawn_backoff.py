"""Processes that the machine refuses to start (EAGAIN, EMFILE, ENOMEM, ...): a description of the refusal, and when to retry."""

from __future__ import annotations

import errno

REFUSAL_REMEDY = "raise the machine's limits of processes, open files or memory"
PAUSE_FIRST_S = 0.5
PAUSE_MAX_S = 15.0
"""The pause doubles with each refusal, up to this; the start of a process resets it."""


def describe_refusal(error: OSError) -> str:
    """Why the machine refused, with the name of the error: `Resource temporarily unavailable (EAGAIN)`."""
    words = error.strerror or str(error) or type(error).__name__
    name = None if error.errno is None else errno.errorcode.get(error.errno)
    return words if name is None else f"{words} ({name})"


class SpawnBackoff:
    """When to retry the start of a process. All times are monotonic seconds."""

    def __init__(self) -> None:
        self.reason = ""
        """The text of the last refusal."""
        self.pause_s = PAUSE_FIRST_S
        """The length of the pause after the last refusal."""
        self._again_at = 0.0
        self._in_a_row = 0

    def is_over(self, now: float) -> bool:
        """True when a process may be started."""
        return now >= self._again_at

    def left_s(self, now: float) -> float:
        """Seconds until a process may be started."""
        return max(0.0, self._again_at - now)

    def refused(self, reason: str, now: float) -> bool:
        """Record a refusal: a pause begins. False when a pause is already under way; that one stays as it is."""
        if not self.is_over(now):
            return False
        self.reason = reason
        self.pause_s = min(PAUSE_FIRST_S * 2**self._in_a_row, PAUSE_MAX_S)
        self._again_at = now + self.pause_s
        self._in_a_row = min(self._in_a_row + 1, _DOUBLINGS_MAX)
        return True

    def succeeded(self) -> None:
        """Record the start of a process: the next refusal begins with the first pause."""
        self._in_a_row = 0


_DOUBLINGS_MAX = 16
