"""Ends what takes too much processor time in the main thread, also while Python's engine of regular expressions works."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class CpuDeadlineExceeded(BaseException):
    """The block has taken its processor time. Not an Exception, so that code that catches Exception does not catch it."""


@contextmanager
def limit_cpu(seconds: float) -> Iterator[None]:
    """Raise CpuDeadlineExceeded in the block after so many seconds of processor time of this process.

    The engine of expressions looks for signals while it matches. In another thread than the main one, which gets no signals, nothing is limited.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _raise)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise CpuDeadlineExceeded
