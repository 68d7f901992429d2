"""Exit codes and signals in words: one table for services, attempts, parses and timetable hosts.

Exit codes are as `os.waitstatus_to_exitcode` gives them: negative is a signal.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Literal, NamedTuple

from gnomon.model.sentences import Sentence, render, say

_CAUSES: dict[int, str] = {
    signal.SIGKILL: "probably_out_of_memory",
    signal.SIGSEGV: "crash_in_library",
    signal.SIGBUS: "crash_in_library_or_full_disk",
    signal.SIGABRT: "library_aborted",
    signal.SIGILL: "library_for_other_processor",
    signal.SIGFPE: "division_in_library",
    signal.SIGTERM: "signal_of_other_process",
}
"""Signal to the code of its usual cause in a process of author code."""

CHANNEL_LOST_EXIT = 239
"""The exit code of the process of an attempt that could not send its result because author code has closed its socket."""


class CrashDescription(NamedTuple):
    """Why a process of author code ended without an answer."""

    kind: Literal["exit", "memory", "crash"]
    sentence: Sentence
    """The predicate: `ended with exit code 3 (...)`, `was killed by signal 9 (...)`, `crashed with signal 11 (...)`."""


def describe_exit(code: int) -> str:
    """The end of a service, as a predicate: `ended with code 3`, `was killed by signal 15 (SIGTERM)`."""
    if code >= 0:
        return render(say("ended_with_code", number=str(code)))
    return render(_say_signal("was_killed_by_signal", -code, {signal.SIGKILL: "probably_killed_by_kernel"}))


def describe_exit_without_result(exit_code: int | None, *, out_of_memory: bool) -> str:
    """The end of an attempt that left no result, as one line for its log and state.

    `exit_code` None: unknown. `out_of_memory`: the kernel has killed a process for want of memory since the last such exit.
    """
    if exit_code is None:
        return render(say("ended_with_unknown_code"))
    if exit_code == CHANNEL_LOST_EXIT:
        return describe_closed_channel()
    if exit_code >= 0:
        return render(say("exited_without_result", number=str(exit_code)))
    counted: dict[int, str] = {signal.SIGKILL: "out_of_memory_by_kernel"} if out_of_memory else {}
    return render(_say_signal("killed_by_signal", -exit_code, _CAUSES | counted))


def describe_closed_channel() -> str:
    """Why a result was lost whose process could not send it."""
    return render(say("channel_was_closed"))


def describe_crash(exit_code: int) -> CrashDescription:
    """The end of a host process or parse child that ran author code and gave no answer."""
    if exit_code >= 0:
        return CrashDescription("exit", say("ended_with_exit_code", number=str(exit_code)))
    if -exit_code == signal.SIGKILL:
        return CrashDescription("memory", _say_signal("was_killed_by_signal", -exit_code, _CAUSES))
    return CrashDescription("crash", _say_signal("crashed_with_signal", -exit_code, _CAUSES))


def _say_signal(code: str, number: int, hints: Mapping[int, str]) -> Sentence:
    """`killed by signal 11 (SIGSEGV), a crash inside a compiled library`; a number without a name is unnamed."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "unnamed"
    return say(code, number=str(number), name=name, hint=say(hints[number]) if number in hints else None)
