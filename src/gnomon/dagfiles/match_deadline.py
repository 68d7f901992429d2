"""Ends a match of an author's regular expression that takes too long: `re` looks for signals while it matches."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class MatchTimeout(Exception):
    """The match took longer than its limit."""


def call_in_time(match: Callable[[], T], limit_s: float) -> T:
    """The result of `match`. Raises MatchTimeout after `limit_s`.

    Only the main thread can be interrupted, and only where nothing else uses the timer of the process; elsewhere there is no limit.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        return match()
    is_matching = True

    def interrupt(*_: object) -> None:
        if is_matching:
            raise MatchTimeout

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        return match()
    finally:
        is_matching = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
