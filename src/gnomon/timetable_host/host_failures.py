"""Words for a host process that ended over a question: what happened, at which line, what to do."""

from __future__ import annotations

import re
import signal
import sysconfig

from gnomon.timetable_host.call_watchdog import is_own_file
from gnomon.timetable_host.protocol import TimetableRequest

_DUMP_FRAME = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)$', re.MULTILINE)
"""A frame as the fault handler writes it, the innermost first."""


def describe_timeout(question: TimetableRequest, patience_s: float, output: str) -> str:
    """It said nothing for longer than one call may take, and was ended."""
    method, place = _find_author_line(output)
    return f"{question.timetable_name()}{method} did not answer within {patience_s:g} s{place}; see to its timetable"


def describe_host_exit(question: TimetableRequest, exit_code: int, output: str) -> str:
    """It ended by itself."""
    method, place = _find_author_line(output)
    if exit_code >= 0:
        what = f"ended its process with exit code {exit_code} (os._exit, or a library that ends the process)"
    elif -exit_code == signal.SIGKILL:
        what = "had its process killed by signal 9, probably because the machine was out of memory"
    else:
        what = f"crashed its process with {_signal_name(-exit_code)}{place}"
    return f"{question.timetable_name()}{method} {what}; see to its timetable"


def describe_failed_start(exit_code: int, output: str) -> str:
    """No question was ever answered by it."""
    last = output.strip().rpartition("\n")[2]
    return f"the process that asks author timetables ended at its start (exit code {exit_code}): {last or 'it said nothing'}"


def describe_refused_start(error: OSError) -> str:
    """The machine starts no process."""
    return f"no process can be started to ask author timetables: {error.strerror or error}; see to the machine's limits"


def _find_author_line(output: str) -> tuple[str, str]:
    """`.method` that we had called, and the innermost line of the author's, as the fault handler named them; else nothing."""
    library = sysconfig.get_path("stdlib")
    frames = [found for found in _DUMP_FRAME.finditer(output) if not is_own_file(found["file"])]
    own = [found for found in frames if not found["file"].startswith((library, "<frozen"))]
    if not own:
        return "", ""
    method = own[-1]["name"]
    return f".{method}" if method.isidentifier() else "", f" (it was at {own[0]['file']}, line {own[0]['line']})"


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
