"""How a process ended, in words."""

from __future__ import annotations

import signal


def describe_exit(code: int) -> str:
    """Of an exit code as `os.waitstatus_to_exitcode` gives it: negative is a signal."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    hint = ", probably out of memory or by hand" if -code == signal.SIGKILL else ""
    return f"was killed by signal {-code} ({name}{hint})"


def describe_exit_without_result(exit_code: int | None, *, out_of_memory: bool) -> str:
    """One line about a process that left no result. `out_of_memory`: the kernel has killed for want of memory since."""
    if exit_code is None:
        return "ended without a result, and nobody saw its exit code"
    if exit_code >= 0:
        return f"exited with code {exit_code} without a result; does the task call os._exit, or a library for it?"
    number = -exit_code
    return f"killed by signal {number} ({_signal_name(number)}){_probable_cause(number, out_of_memory)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"


def _probable_cause(number: int, out_of_memory: bool) -> str:
    if number == signal.SIGKILL:
        return ", out of memory by the kernel's count" if out_of_memory else ", probably out of memory"
    return _CAUSES.get(number, "")


_CAUSES: dict[int, str] = {
    signal.SIGSEGV: ", a crash inside a compiled library",
    signal.SIGBUS: ", a crash inside a compiled library, or a full disk under a mapped file",
    signal.SIGABRT: ", a compiled library gave up",
    signal.SIGILL: ", a compiled library was built for another processor",
    signal.SIGFPE: ", a division by zero inside a compiled library",
    signal.SIGTERM: ", somebody told the process to end",
}
