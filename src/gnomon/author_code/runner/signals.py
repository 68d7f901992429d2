"""SIGTERM and the execution timeout, as exceptions in the main thread.

CPython looks for signals between two instructions. A signal that arrives after the last look before a system call, for example that of `time.sleep`, does
not end the call. So workers send INTERRUPT some time after SIGTERM, which ends the call and has no other effect, and the timer of a time limit goes off again.
An exception that is raised in a destructor or in a callback of a weak reference goes no further; it is raised anew with the next INTERRUPT or alarm.

Forks that author code makes have none of these handlers, and end where a block of this module ends (`processes/author_forks.py`).
"""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType, TracebackType

from gnomon.author_code.processes import author_forks
from gnomon.ground.clock import SystemClock
from gnomon.model.errors.authoring import AirflowTaskTerminated, AirflowTaskTimeout

INTERRUPT = signal.SIGURG
"""The signal that ends a system call. Processes that have no handler for it ignore it."""
TIMER_MAX_S = 1e9
"""The longest timer that every system takes; a longer limit never ends a task."""
_AT_ONCE_S = 1e-6
"""The shortest timer: 0 is none."""
_clock = SystemClock()
AGAIN_S = 1.0
"""The time between two signals of the timer of a time limit, of which the first that is handled ends the timer."""


class _Sigterm:
    """The handler of SIGTERM in this process: while armed, the first SIGTERM raises an exception; else it does nothing."""

    __slots__ = ("armed", "error", "is_lost", "prepared")

    def __init__(self) -> None:
        self.armed = False
        self.prepared = False
        self.error: AirflowTaskTerminated | None = None
        """What has been raised in the present block."""
        self.is_lost = False
        """True while that exception must be raised anew."""

    def handle(self, number: int, _frame: FrameType | None) -> None:
        if author_forks.end_by_signal_in_fork(number):
            return
        if self.armed:
            self.armed = False
            self.error = AirflowTaskTerminated("the task was stopped (SIGTERM)")
            raise self.error

    def handle_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.is_lost:
            self.is_lost = False
            self.armed = True
            self.handle(number, frame)

    def end_block(self) -> None:
        self.armed = self.is_lost = False
        self.error = None


_sigterm = _Sigterm()
_other_hook = sys.unraisablehook
_limit_error: AirflowTaskTimeout | None = None
"""What the present time limit has raised."""


def _note_lost(unraisable: sys.UnraisableHookArgs) -> None:
    """The hook of exceptions that go no further."""
    if _sigterm.error is not None and unraisable.exc_value is _sigterm.error:
        _sigterm.is_lost = True
    elif _limit_error is not None and unraisable.exc_value is _limit_error:
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
    else:
        _other_hook(unraisable)


def prepare_sigterm() -> None:
    """Install the handlers in a zygote, so that its children need no system call for them. A zygote itself ignores SIGTERM."""
    global _other_hook
    author_forks.install_handler(signal.SIGTERM, _sigterm.handle)
    author_forks.install_handler(INTERRUPT, _sigterm.handle_interrupt)
    signal.pthread_sigmask(
        signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGALRM, INTERRUPT)
    )  # a parent may have blocked them, and its mask is inherited
    if sys.unraisablehook is not _note_lost:
        _other_hook, sys.unraisablehook = sys.unraisablehook, _note_lost
    _sigterm.prepared = True


class terminable:  # noqa: N801 - a context manager
    """`with terminable():` SIGTERM raises AirflowTaskTerminated inside the block; the earlier handlers are back after it.

    Has no effect outside the main thread. A class, because a generator costs more in every child.
    """

    __slots__ = ("_before", "_before_interrupt", "_installed")

    def __enter__(self) -> None:
        self._installed = False
        if not _sigterm.prepared and threading.current_thread() is threading.main_thread():
            self._before = author_forks.install_handler(signal.SIGTERM, _sigterm.handle)
            self._before_interrupt = author_forks.install_handler(INTERRUPT, _sigterm.handle_interrupt)
            self._installed = True
        _sigterm.armed = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        author_forks.end_fork(error)
        _sigterm.end_block()
        if self._installed:
            author_forks.restore_handler(signal.SIGTERM, self._before)
            author_forks.restore_handler(INTERRUPT, self._before_interrupt)


class time_limit:  # noqa: N801
    """`with time_limit(timeout_s, what):` raises AirflowTaskTimeout inside the block after `timeout_s` seconds; None: no limit.

    `of_s`: the author's limit, of which `timeout_s` is left after earlier parts of the same try. A limit around this one goes on after the block;
    when it is over within the block, it raises at the end of the block.
    """

    __slots__ = ("_before", "_entered_s", "_of_s", "_outer_s", "_timeout_s", "_what")

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
        self._before = author_forks.install_handler(signal.SIGALRM, self._expire)
        self._entered_s = _clock.monotonic()
        self._outer_s, _ = signal.setitimer(signal.ITIMER_REAL, min(self._timeout_s, TIMER_MAX_S), AGAIN_S)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _limit_error
        author_forks.end_fork(error)
        _limit_error = None
        if self._timeout_s is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            author_forks.restore_handler(signal.SIGALRM, self._before)
            if self._outer_s:
                left_s = self._outer_s - (_clock.monotonic() - self._entered_s)
                signal.setitimer(signal.ITIMER_REAL, max(left_s, _AT_ONCE_S), AGAIN_S)

    def _expire(self, number: int, _frame: FrameType | None) -> None:
        global _limit_error
        if author_forks.end_by_signal_in_fork(number):
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        waits = "" if self._of_s == self._timeout_s else ", its waits included"
        _limit_error = AirflowTaskTimeout(
            f"{self._what} ran for longer than its execution_timeout of {self._of_s:g} s{waits}"
        )
        raise _limit_error
