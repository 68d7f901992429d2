"""The system's clock, and one that moves only when it is told to. The wall clock is read here and nowhere else."""

from __future__ import annotations

import time
from typing import Protocol

from gnomon.model.instants import SECOND, Instant


class Clock(Protocol):
    """What time it is, and how time passes."""

    def now(self) -> Instant:
        """The wall clock, in microseconds UTC; it may step."""

    def monotonic(self) -> float:
        """Seconds that never run backwards; only differences mean something."""


class SystemClock:
    """The time of this machine."""

    def now(self) -> Instant:
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        return time.monotonic()


class VirtualClock:
    """A clock that stands still until it is advanced; both its readings move together."""

    def __init__(self, start: Instant) -> None:
        self._start = start
        self._now = start
        self._stepped = 0

    def now(self) -> Instant:
        return self._now

    def monotonic(self) -> float:
        return (self._now - self._start - self._stepped) / SECOND

    def advance_to(self, instant: Instant) -> None:
        """It is `instant`; ValueError when that lies in the past."""
        if instant < self._now:
            raise ValueError(f"cannot go back from {self._now} to {instant}; step() moves the wall clock alone")
        self._now = instant

    def advance(self, seconds: float) -> None:
        """It is that much later."""
        self.advance_to(self._now + round(seconds * SECOND))

    def step(self, seconds: float) -> None:
        """The wall clock jumped, forwards or back, and no time passed: as when an operator sets it."""
        change = round(seconds * SECOND)
        self._now += change
        self._stepped += change
