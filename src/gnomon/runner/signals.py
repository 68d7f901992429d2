"""SIGTERM and the execution timeout, as exceptions in the main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from gnomon.errors.authoring import AirflowTaskTerminated, AirflowTaskTimeout


@contextmanager
def terminable() -> Iterator[None]:
    """Inside, SIGTERM raises AirflowTaskTerminated; outside, what was in force before. Only the main thread can do it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def time_limit(timeout_s: float | None, what: str) -> Iterator[None]:
    """Raises AirflowTaskTimeout inside once `timeout_s` seconds have passed; None: no limit."""
    if timeout_s is None:
        yield
        return
    if timeout_s <= 0:
        raise AirflowTaskTimeout(f"{what} has an execution_timeout of {timeout_s:g} s")

    def expire(_signal: int, _frame: FrameType | None) -> None:
        raise AirflowTaskTimeout(f"{what} ran for longer than its execution_timeout of {timeout_s:g} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise AirflowTaskTerminated("the task was told to end (SIGTERM)")
