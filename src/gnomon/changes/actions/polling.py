"""`poll_until`: waiting, up to a limit, for something that another process does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gnomon.ground.clock import Clock

T = TypeVar("T")

FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.1


def poll_until(
    look: Callable[[], T | None], clock: Clock, sleep: Callable[[float], object], limit_s: float
) -> T | None:
    """Call `look` until it returns something other than None, and return that; None when `limit_s` seconds have passed."""
    deadline = clock.monotonic() + limit_s
    pause_s = FIRST_PAUSE_S
    while True:
        result = look()
        if result is not None or clock.monotonic() >= deadline:
            return result
        sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
