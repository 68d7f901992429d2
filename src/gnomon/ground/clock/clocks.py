"""The system clock, and a virtual clock that moves only when advanced. Only this module reads the system's time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from gnomon.model.instants import SECOND, Instant


class Clock(Protocol):
    """Gives the current time, and measures how much time passes."""

    def now(self) -> Instant:
        """The current time in microseconds UTC; it may jump."""

    def monotonic(self) -> float:
        """Seconds that never decrease; only differences are meaningful."""


class SystemClock:
    """The clock of this machine; inside `virtual_time`, the virtual clock."""

    def now(self) -> Instant:
        return time.time_ns() // 1000 if _replacement is None else _replacement.now()

    def monotonic(self) -> float:
        return time.monotonic() if _replacement is None else _replacement.monotonic()


class VirtualClock:
    """A clock that stands still until it is advanced; wall clock and monotonic clock move together."""

    def __init__(self, start: Instant) -> None:
        self._start = start
        self._now = start
        self._stepped = 0

    def now(self) -> Instant:
        return self._now

    def monotonic(self) -> float:
        return (self._now - self._start - self._stepped) / SECOND

    def advance_to(self, instant: Instant) -> None:
        """Move to `instant`. Raises ValueError when it lies in the past."""
        if instant < self._now:
            raise ValueError(f"cannot go back from {self._now} to {instant}; step() moves the wall clock alone")
        self._now = instant

    def advance(self, seconds: float) -> None:
        """Move forward by `seconds`."""
        self.advance_to(self._now + round(seconds * SECOND))

    def step(self, seconds: float) -> None:
        """Move only the wall clock, forwards or backwards, as when an operator sets it."""
        change = round(seconds * SECOND)
        self._now += change
        self._stepped += change


_replacement: VirtualClock | None = None


@contextmanager
def virtual_time(clock: VirtualClock) -> Iterator[None]:
    """Let every SystemClock of this process be `clock` inside the block: for tests of what authors write."""
    global _replacement
    before, _replacement = _replacement, clock
    try:
        yield
    finally:
        _replacement = before


def skip_time(seconds: float) -> bool:
    """Advance the clock of `virtual_time`; False outside its block, where the caller has to wait."""
    if _replacement is None:
        return False
    _replacement.advance(seconds)
    return True
