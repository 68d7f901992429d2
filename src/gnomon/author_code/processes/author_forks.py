"""Forks that author code makes: each is a plain Python program, with none of the duties of the process that was forked.

A process that runs author code calls `claim_process()` before. From then on a fork of it (`os.fork`, `multiprocessing`, a library) has the
signal handlers of a plain program, holds no socket of Gnomon, and ends where the code that made it returns or raises: `end_fork` stands at
every such place, and before every message. A fork that a C library makes calls no hooks of Python, so its process id decides.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from gnomon.author_code.processes.author_traceback import drop_leading_frames
from gnomon.ground.log.secret_masks import hide
from gnomon.model.errors.error_text import error_text, error_traceback, format_error

FORK_REFUSAL = (
    "a process that the task or file has forked (os.fork, multiprocessing) has no connection to Gnomon: only the process that was forked may ask. "
    "Read Variables, Connections and XComs before the fork, and hand the values over"
)
_HELD_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGURG)
"""Signals that wait while a process is forked, so that none arrives at a fork that still has the handlers of its parent."""
_INTERRUPTED_EXIT = 128 + signal.SIGINT

_owner = 0
"""The process that runs author code for Gnomon; 0 when this process does not."""
_handlers: dict[int, tuple[Any, Any]] = {}
"""Signal to the handler that Gnomon has installed, and the one that a plain program would have."""
_releases: list[Callable[[], None]] = []
_masks = threading.local()


def claim_process() -> int:
    """Make this process the one that runs author code for Gnomon: forks of it are the author's from now on. Returns the former one, for `give_back_process`."""
    global _owner
    former, _owner = _owner, os.getpid()
    return former


def give_back_process(former: int = 0) -> None:
    """Undo `claim_process`; with 0, forks of this process are Gnomon's own again."""
    global _owner
    _owner = former


def is_fork() -> bool:
    """Whether this process is a fork that author code has made."""
    return _owner != 0 and os.getpid() != _owner


def end_fork(error: BaseException | None = None) -> None:
    """End this process if author code has forked it, as Python ends a program whose code returned, or raised `error`. Else return."""
    if _owner != 0 and os.getpid() != _owner:
        _exit_as_program(error)


def release_in_forks(release: Callable[[], None]) -> None:
    """Call `release` in each fork that author code makes, to close what belongs to the process that was forked."""
    _releases.append(release)


def install_handler(number: int, handler: Any) -> Any:
    """As `signal.signal`; forks that author code makes have the handler that this one has replaced."""
    former = signal.signal(number, handler)
    _handlers[number] = handler, _handlers[number][1] if number in _handlers else former
    return former


def restore_handler(number: int, former: Any) -> None:
    """Install the handler again that `install_handler` returned."""
    signal.signal(number, former)
    if number in _handlers and former != _handlers[number][1]:
        _handlers[number] = former, _handlers[number][1]
    else:
        _handlers.pop(number, None)


def end_by_signal_in_fork(number: int) -> bool:
    """For handlers of signals: in a fork that called no hooks, let the signal do what it does to a plain program. False in any other process."""
    if not is_fork():
        return False
    _restore_plain_handlers()
    os.kill(os.getpid(), number)
    return True


# ---- hooks of os.fork --------------------------------------------------------------------------------------------------
def _before_fork() -> None:
    if _owner != 0 and os.getpid() == _owner:
        _masks.former = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_SIGNALS)


def _after_fork_in_parent() -> None:
    former = _masks.__dict__.pop("former", None)
    if former is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def _after_fork_in_child() -> None:
    if not is_fork():
        return
    _restore_plain_handlers()
    for release in _releases:
        try:
            release()
        except Exception:
            continue
    _after_fork_in_parent()


def _restore_plain_handlers() -> None:
    """Give each signal the handler of a plain program, unless author code has installed one of its own."""
    for number, (handler, plain) in _handlers.items():
        if signal.getsignal(number) == handler:
            signal.signal(number, signal.SIG_DFL if plain is None else plain)
    _handlers.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


# ---- the end of a fork -------------------------------------------------------------------------------------------------
def _exit_as_program(error: BaseException | None) -> None:
    code = 0 if error is None else 1
    try:
        code = 0 if error is None else _report(error)
        _flush()
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        os._exit(code)


def _report(error: BaseException) -> int:
    """Write what Python writes for an error that nothing caught, and return its exit code."""
    if isinstance(error, SystemExit):
        code = error.code
        if code is None or isinstance(code, int):
            return (code or 0) & 0xFF
        _print(f"{error_text(code)}\n")
        return 1
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error_traceback(error))
    else:
        _print(format_error(type(error), error, drop_leading_frames(error_traceback(error))))
    return _INTERRUPTED_EXIT if isinstance(error, KeyboardInterrupt) else 1


def _print(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # author code has closed it
        os.write(2, hide(text).encode(errors="backslashreplace"))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
