"""A time limit for a block of code, by the alarm signal of the main thread."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from gnomon.errors.authoring import AirflowTaskTimeout


class timeout:  # noqa: N801 - the dialect's name
    """`with timeout(seconds=5):` raises AirflowTaskTimeout when the block takes longer."""

    def __init__(self, seconds: float = 1, error_message: str = "Timeout") -> None:
        self.seconds = seconds
        self.error_message = error_message
        self._before: Any = None

    def handle_timeout(self, signum: int, frame: FrameType | None) -> None:
        """Handle SIGALRM: raise AirflowTaskTimeout."""
        raise AirflowTaskTimeout(f"{self.error_message} after {self.seconds} s")

    def __enter__(self) -> timeout:
        self._before = signal.signal(signal.SIGALRM, self.handle_timeout)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        return self

    def __exit__(self, *exc: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
