"""Exit codes and signals in words: one table for services, attempts, parses and timetable hosts.

Exit codes are as `os.waitstatus_to_exitcode` gives them: negative is a signal.
"""

from __future__ import annotations

import signal
from typing import Literal, NamedTuple

_CAUSES: dict[int, str] = {
    signal.SIGKILL: ", probably out of memory",
    signal.SIGSEGV: ", a crash inside a compiled library",
    signal.SIGBUS: ", a crash inside a compiled library, or a full disk under a mapped file",
    signal.SIGABRT: ", a compiled library aborted the process",
    signal.SIGILL: ", a compiled library was built for another processor",
    signal.SIGFPE: ", a division by zero inside a compiled library",
    signal.SIGTERM: ", another process sent the signal",
}
"""Signal to its usual cause in a process of author code, as the end of a sentence."""


CHANNEL_LOST_EXIT = 239
"""The exit code of the process of an attempt that could not send its result because author code has closed its socket."""
CHANNEL_LOST = (
    "the task has closed the socket to its worker, a descriptor that it did not open (os.closerange, or a library that makes a daemon), so its result "
    "was lost; close only what the task has opened, or start the daemon with subprocess"
)


class CrashDescription(NamedTuple):
    """Why a process of author code ended without an answer."""

    kind: Literal["exit", "memory", "crash"]
    sentence: str
    """The predicate: `ended with exit code 3 (...)`, `was killed by signal 9 (...)`, `crashed with signal 11 (...)`."""


def describe_signal(number: int) -> str:
    """`signal 11 (SIGSEGV)`; `signal 63 (unnamed)` for a number without a name."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "unnamed"
    return f"signal {number} ({name})"


def describe_exit(code: int) -> str:
    """The end of a service, as a predicate: `ended with code 3`, `was killed by signal 15 (SIGTERM)`."""
    if code >= 0:
        return f"ended with code {code}"
    hint = ", probably by the kernel for want of memory, or by kill -9" if -code == signal.SIGKILL else ""
    return f"was killed by {describe_signal(-code)}{hint}"


def describe_exit_without_result(exit_code: int | None, *, out_of_memory: bool) -> str:
    """The end of an attempt that left no result, as one line for its log and state.

    `exit_code` None: unknown. `out_of_memory`: the kernel has killed a process for want of memory since the last such exit.
    """
    if exit_code is None:
        return "ended without a result and with an unknown exit code"
    if exit_code == CHANNEL_LOST_EXIT:
        return CHANNEL_LOST
    if exit_code >= 0:
        return f"exited with code {exit_code} without a result; does the task call os._exit, or a library for it?"
    if -exit_code == signal.SIGKILL and out_of_memory:
        return f"killed by {describe_signal(-exit_code)}, out of memory by the kernel's count"
    return f"killed by {describe_signal(-exit_code)}{_CAUSES.get(-exit_code, '')}"


def describe_crash(exit_code: int) -> CrashDescription:
    """The end of a host process or parse child that ran author code and gave no answer."""
    if exit_code >= 0:
        return CrashDescription(
            "exit", f"ended with exit code {exit_code} (os._exit, or a library that ends the process)"
        )
    words = f"{describe_signal(-exit_code)}{_CAUSES.get(-exit_code, '')}"
    if -exit_code == signal.SIGKILL:
        return CrashDescription("memory", f"was killed by {words}")
    return CrashDescription("crash", f"crashed with {words}")
