"""SIGTERM and the execution timeout, as exceptions in the main thread.

CPython looks for signals between two instructions. A signal that arrives after the last look before a system call does not end the call, so workers send
SIGTERM again (`worker/child_process.py`), and the timer of a time limit goes off again. An exception in a destructor or in a callback of a weak reference
goes no further; then the signal comes once more.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType, TracebackType

from gnomon.errors.authoring import AirflowTaskTerminated, AirflowTaskTimeout


class _Sigterm:
    """The handler of SIGTERM in this process: while armed, the first SIGTERM raises an exception; else it does nothing."""

    __slots__ = ("armed", "prepared")

    def __init__(self) -> None:
        self.armed = False
        self.prepared = False

    def handle(self, _signal: int, _frame: FrameType | None) -> None:
        if self.armed:
            self.armed = False
            raise AirflowTaskTerminated("the task was stopped (SIGTERM)")


_sigterm = _Sigterm()
AGAIN_S = 1.0
"""The time between two signals of the timer of a time limit, of which the first that is handled ends the timer."""
_AFTER_LOSS_S = 0.05
"""So long after its exception was lost the signal comes again."""


def _repeat_lost(unraisable: sys.UnraisableHookArgs) -> None:
    """The hook of exceptions that go no further: has the signal of a lost one come again."""
    if isinstance(unraisable.exc_value, AirflowTaskTerminated):
        _sigterm.armed = True
        threading.Timer(_AFTER_LOSS_S, os.kill, args=(os.getpid(), signal.SIGTERM)).start()
    elif isinstance(unraisable.exc_value, AirflowTaskTimeout):
        signal.setitimer(signal.ITIMER_REAL, _AFTER_LOSS_S, AGAIN_S)
    else:
        sys.__unraisablehook__(unraisable)


def prepare_sigterm() -> None:
    """Install the handler in a zygote, so that its children need no system call for it. A zygote itself ignores SIGTERM."""
    signal.signal(signal.SIGTERM, _sigterm.handle)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGALRM))  # a parent may have blocked them, and its mask is inherited
    sys.unraisablehook = _repeat_lost
    _sigterm.prepared = True


class terminable:  # noqa: N801 - a context manager
    """`with terminable():` SIGTERM raises AirflowTaskTerminated inside the block; the earlier handler is back after it.

    Has no effect outside the main thread. A class, because a generator costs more in every child.
    """

    __slots__ = ("_before", "_hook_before", "_installed")

    def __enter__(self) -> None:
        self._installed = False
        if not _sigterm.prepared and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, _sigterm.handle)
            self._hook_before, sys.unraisablehook = sys.unraisablehook, _repeat_lost
            self._installed = True
        _sigterm.armed = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _sigterm.armed = False
        if self._installed:
            signal.signal(signal.SIGTERM, self._before)
            sys.unraisablehook = self._hook_before


class time_limit:  # noqa: N801
    """`with time_limit(timeout_s, what):` raises AirflowTaskTimeout inside the block after `timeout_s` seconds; None: no limit.

    `of_s`: the author's limit, of which `timeout_s` is left after earlier parts of the same try.
    """

    __slots__ = ("_before", "_of_s", "_timeout_s", "_what")

    def __init__(self, timeout_s: float | None, what: str, of_s: float | None = None) -> None:
        self._timeout_s = timeout_s
        self._of_s = timeout_s if of_s is None else of_s
        self._what = what

    def __enter__(self) -> None:
        if self._timeout_s is None:
            return
        if self._timeout_s <= 0:
            if self._of_s is not None and self._of_s > 0:
                self._expire(0, None)
            raise AirflowTaskTimeout(f"{self._what} has an execution_timeout of {self._of_s:g} s")
        self._before = signal.signal(signal.SIGALRM, self._expire)
        signal.setitimer(signal.ITIMER_REAL, self._timeout_s, AGAIN_S)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._timeout_s is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def _expire(self, _signal: int, _frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        waits = "" if self._of_s == self._timeout_s else ", its waits included"
        raise AirflowTaskTimeout(f"{self._what} ran for longer than its execution_timeout of {self._of_s:g} s{waits}")
