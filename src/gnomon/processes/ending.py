"""The end of child processes: killed with what they started, waited for, reaped."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Container


def kill(pid: int) -> None:
    """SIGKILL to the process and to the group that it leads. Only while `pid` lives or is not yet reaped."""
    kill_group(pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_group(pid: int) -> None:
    """What is left of the process group that `pid` leads is killed. Only while `pid` lives or is not yet reaped."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def wait(pid: int, at_most_s: float) -> None:
    """The child has ended, or had so long to. It is not reaped."""
    with contextlib.suppress(OSError, AttributeError):  # no pidfd: not Linux, or reaped already
        ended = os.pidfd_open(pid)
        try:
            select.select([ended], [], [], at_most_s)
        finally:
            os.close(ended)


def reap(leaders: Container[int] = ()) -> list[tuple[int, int]]:
    """(pid, exit code) of every child that has ended; negative codes are signals. The groups of `leaders` among them are killed.

    They are killed while the defunct child still keeps its number from being used again.
    """
    ended: list[tuple[int, int]] = []
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return ended
            if found.si_pid in leaders:
                kill_group(found.si_pid)
            pid, status = os.waitpid(found.si_pid, 0)
        except ChildProcessError:
            return ended
        ended.append((pid, os.waitstatus_to_exitcode(status)))
