"""Waiting in the foreground for something that another process does, with a bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gnomon.clock import Clock

T = TypeVar("T")

FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.1


def wait_for(look: Callable[[], T | None], clock: Clock, sleep: Callable[[float], None], limit_s: float) -> T | None:
    """What `look` answers first that is not None; None when `limit_s` seconds passed without."""
    deadline = clock.monotonic() + limit_s
    pause_s = FIRST_PAUSE_S
    while True:
        found = look()
        if found is not None or clock.monotonic() >= deadline:
            return found
        sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
