"""The end of child processes: killing them with their descendants, waiting for them, reaping them."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Container, Sequence

from gnomon.author_code.processes.kernel import own_children


def kill_with_group(pid: int) -> None:
    """Kill the process and the group that it leads. Call it only before `pid` is reaped."""
    kill_group(pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_group(pid: int) -> None:
    """Kill the process group that `pid` leads. Call it only before `pid` is reaped."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def wait_for_exit(pid: int, at_most_s: float) -> None:
    """Block until the child has ended, for `at_most_s` seconds at most. Does not reap it."""
    with contextlib.suppress(OSError, AttributeError):  # no pidfd: not Linux, or reaped already
        ended = os.pidfd_open(pid)
        try:
            select.select([ended], [], [], at_most_s)
        finally:
            os.close(ended)


def reap_children(leaders: Container[int] = ()) -> list[tuple[int, int]]:
    """Reap every child that has ended and return (pid, exit code) of each; negative codes are signals.

    The process groups of those in `leaders` are killed, before the pid of the leader can be used again.
    """
    ended: list[tuple[int, int]] = []
    while True:
        try:
            child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if child is None:
                return ended
            if child.si_pid in leaders:
                kill_group(child.si_pid)
            pid, status = os.waitpid(child.si_pid, 0)
        except ChildProcessError:
            return ended
        ended.append((pid, os.waitstatus_to_exitcode(status)))


GENERATIONS_MAX = 100
"""Each pass kills one generation of descendants; what a deeper family leaves, the worker kills."""


def kill_descendants() -> int:
    """Kill and reap all descendants of this process; return how many were killed.

    This process must be a subreaper: then it is the parent of all orphans among its descendants, daemons included.
    """
    killed = 0
    for _ in range(GENERATIONS_MAX):
        if not _reap_ended():
            return killed
        alive = own_children()
        if not alive:
            return killed
        for pid in alive:
            killed += _kill_and_reap(pid)
    return killed


def _reap_ended() -> bool:
    """Reap every defunct child; True when children are left."""
    try:
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
    except ChildProcessError:
        return False


def _kill_and_reap(pid: int) -> int:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        return 0
    return 1


def kill_unknown_children(known_pids: Container[int]) -> int:
    """Kill every direct child that is not in `known_pids`, with its process group; return how many.

    Does not reap them. Their own children become direct children of a subreaper, which the next call kills.
    """
    orphans = [pid for pid in own_children() if pid not in known_pids]
    for pid in orphans:
        kill_with_group(pid)
    return len(orphans)


def kill_and_reap_orphans(keep: frozenset[int]) -> int:
    """Kill and reap every child but those in `keep`, and then the orphans that this makes; return how many were killed.

    This process must be a subreaper.
    """
    killed = 0
    for _ in range(_ORPHAN_GENERATIONS_MAX):
        orphans = [pid for pid in own_children() if pid not in keep]
        if not orphans:
            break
        signal_processes(orphans, signal.SIGKILL)
        for pid in orphans:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass
        killed += len(orphans)
    return killed


def signal_processes(pids: Sequence[int], number: int) -> None:
    """Send the signal to each of these processes that still exists."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


_ORPHAN_GENERATIONS_MAX = 200
"""Killing orphans makes orphans: the bound of generations."""
