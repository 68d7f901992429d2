"""A time limit for a block of code, by the alarm signal of the main thread."""

from __future__ import annotations

import logging
import signal
from types import FrameType
from typing import Any

from gnomon.model.errors.authoring import AirflowTaskTimeout

TIMER_MAX_S = 1e9
"""The longest timer that every system takes."""
AGAIN_S = 1.0
"""The time between two signals of the timer: one may arrive just before a system call, which it then does not end."""


class timeout:  # noqa: N801 - the dialect's name
    """`with timeout(seconds=5):` raises AirflowTaskTimeout when the block takes longer.

    In a thread other than the main thread, where Python handles no signals, the block has no limit; a warning in the log says so.
    """

    def __init__(self, seconds: float = 1, error_message: str = "Timeout") -> None:
        self.seconds = seconds
        self.error_message = error_message
        self._before: Any = None
        self._is_set = True

    def handle_timeout(self, signum: int, frame: FrameType | None) -> None:
        """Handle SIGALRM: end the timer, and raise AirflowTaskTimeout."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise AirflowTaskTimeout(f"{self.error_message} after {self.seconds} s")

    def __enter__(self) -> timeout:
        try:
            self._before = signal.signal(signal.SIGALRM, self.handle_timeout)
            signal.setitimer(signal.ITIMER_REAL, min(self.seconds, TIMER_MAX_S), AGAIN_S)  # as in `runner/signals.py`
        except (ValueError, AttributeError) as error:
            self._is_set = False
            logging.getLogger("gnomon.task").warning("timeout(%s) cannot be used here: %s", self.seconds, error)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._is_set:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)
